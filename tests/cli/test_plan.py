# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""plan: the run folder of a plan, and that its files agree with each other."""

import json
import os

from command import PENDULUM, PLAN_FILES, PUSH, Case, main


class Plan(Case):
    def test_a_plan_meets_its_goals_and_tells_all(self):
        done = self.run_command('plan', PUSH, '-o', 'run')
        self.assertEqual(done.stderr, '')
        self.assertIn('stage 1 of ', done.stdout)
        self.assertIn('run/player.html', done.stdout)
        self.assertNotIn('\033', done.stdout)
        self.assertNotIn('\r', done.stdout)
        self.assertEqual(set(os.listdir(self.path('run'))), PLAN_FILES)

        summary = self.read_json('run', 'summary.json')
        self.assertIn(summary['status'], ('converged', 'stalled'))
        self.assertTrue(summary['goals'] and all(goal['met'] for goal in summary['goals']))
        self.assertEqual(summary['physical']['goals'], summary['goals'])
        self.assertEqual(len(summary['fine']['goals']), len(summary['goals']))
        self.assertEqual(summary['iterations'], sum(stage['iterations'] for stage in summary['stages']))
        self.assertTrue(summary['stages'][-1]['settings']['physical'])
        self.assertTrue(all(limit['met'] for limit in summary['limits']))
        self.assertEqual(len(summary['coordinates']), summary['model']['nq'])
        self.assertEqual(summary['versions']['tractrix'], self.run_command('version').stdout.split()[1])
        self.assertRegex(summary['problem_sha256'], r'^[0-9a-f]{64}$')
        for key in ('solve', 'setup', 'write'):
            self.assertGreater(summary['timing'][key], 0)
        rows = self.read_rows('run', 'iterations.csv')
        self.assertEqual(float(rows[-1]['cost']), summary['stages'][-1]['cost'])

    def test_json_is_the_summary_and_nothing_else(self):
        done = self.run_command('plan', PENDULUM, '-o', 'run', '--json')
        with open(self.path('run', 'summary.json'), encoding='utf-8') as file:
            self.assertEqual(done.stdout, file.read())
        self.assertEqual(json.loads(done.stdout)['model'], {'nq': 1, 'nv': 1, 'nu': 1, 'bodies': 2, 'pairs': 0})

    def test_the_recorded_problem_gives_the_same_plan(self):
        self.run_command('plan', PENDULUM, '-o', 'run', '--set', 'time.steps=150', '--quiet')
        self.run_command('plan', self.path('run', 'problem.yaml'), '-o', 'again', '--quiet')
        texts = []
        for run in ('run', 'again'):
            with open(self.path(run, 'trajectory.csv'), encoding='utf-8') as file:
                texts.append(file.read())
        self.assertEqual(*texts)
        self.assertEqual(len(texts[0].splitlines()), 152)

    def test_the_arrays_are_the_derivatives_of_the_trajectory(self):
        try:
            import numpy
        except ImportError:
            self.skipTest('no numpy')
        self.run_command('plan', PENDULUM, '-o', 'run', '--quiet')
        data = numpy.load(self.path('run', 'linearization.npz'), allow_pickle=False)
        shapes = {'A': (200, 2, 2), 'B': (200, 2, 1), 'K': (200, 1, 2), 'x': (201, 2), 'u': (200, 1), 't': (201,)}
        self.assertEqual({name: data[name].shape for name in data.files}, shapes)
        # theory 2 for one hinge: (I + dt c) v' = I v + dt (u - m g l sin theta), theta' = theta + dt v'
        inertia, moment, damping, dt = 0.25, 0.5 * 9.81, 0.1, 0.01
        theta = data['x'][:-1, 0]
        dv_dtheta = -dt * moment * numpy.cos(theta) / (inertia + dt * damping)
        numpy.testing.assert_allclose(data['A'][:, 1, 0], dv_dtheta, rtol=1e-9, atol=1e-12)
        numpy.testing.assert_allclose(data['A'][:, 0, 0], 1 + dt * dv_dtheta, rtol=1e-9)
        numpy.testing.assert_allclose(data['A'][:, 0, 1], dt * data['A'][:, 1, 1], rtol=1e-9)
        numpy.testing.assert_allclose(data['B'][:, 1, 0], dt / (inertia + dt * damping), rtol=1e-9)

    def test_a_file_without_cost_cannot_be_planned(self):
        with open(PENDULUM, encoding='utf-8') as file:
            text = file.read()
        self.write('free.yaml', text[:text.index('cost:')])
        self.assertIn('cost', self.run_command('plan', 'free.yaml', code=3).stderr)
        self.run_command('sim', 'free.yaml', '--quiet')
        self.assert_nothing_written('free.yaml', 'runs')

    def test_what_this_version_cannot_serve_is_exit_2(self):
        done = self.run_command('plan', PUSH, '--set', 'solve.continuation=[{force_law: ipc}]', code=2)
        self.assertIn('not in this version: solve.continuation', done.stderr)
        self.assert_nothing_written()


if __name__ == '__main__':
    main()
