# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""sim: what drives it, and what it leaves."""

import os

from command import PENDULUM, PLAN_FILES, PUSH, Case, main


class Sim(Case):
    def test_a_pendulum_from_rest_stays_there(self):
        self.run_command('sim', PENDULUM, '-o', 'run')
        summary = self.read_json('run', 'summary.json')
        self.assertEqual(set(os.listdir(self.path('run'))), PLAN_FILES - {'iterations.csv', 'linearization.npz'})
        self.assertEqual(summary['status'], 'converged')
        self.assertIsNone(summary['fine'])
        rows = self.read_rows('run', 'trajectory.csv')
        self.assertEqual(list(rows[0]), ['t', 'theta', 'theta.v', 'u.theta'])
        self.assertEqual(len(rows), 201)
        self.assertTrue(all(float(row['theta']) == 0 for row in rows))
        self.assertEqual([row['u.theta'] for row in rows[-2:]], ['0', ''])
        self.assertAlmostEqual(float(rows[-1]['t']), 2)

    def test_holding_controls_hold(self):
        start = ('--set', 'start.theta=1.0', '--set', 'time.steps=100')
        self.run_command('sim', PENDULUM, '-o', 'held', '--hold', *start)
        self.run_command('sim', PENDULUM, '-o', 'free', *start)
        ends = {}
        for run in ('held', 'free'):
            ends[run] = float(self.read_rows(run, 'trajectory.csv')[-1]['theta'])
        self.assertAlmostEqual(ends['held'], 1, 9)
        self.assertGreater(abs(ends['free'] - 1), 0.1)

    def test_a_step_that_fails_leaves_the_run_up_to_it(self):
        done = self.run_command('sim', PENDULUM, '-o', 'run', '--controls',
                                self.write('u.csv', 't,u.theta\n0,0\n0.5,1e308\n'), code=1)
        self.assertIn('failed', done.stdout)
        summary = self.read_json('run', 'summary.json')
        self.assertEqual(summary['status'], 'failed')
        self.assertRegex(summary['message'], r'step \d+ \(t = 0\.5')
        self.assertEqual(summary['time']['steps'], 50)

    def test_bad_controls_are_exit_3(self):
        self.write('u.csv', 't,u.theta\n0,1\n0,2\n')
        done = self.run_command('sim', PENDULUM, '--controls', 'u.csv', code=3)
        self.assertIn('u.csv:3:1: error:', done.stderr)
        self.assertIn('u.theta', self.run_command('sim', PENDULUM, '--controls', self.write('v.csv', 't,x\n0,1\n'),
                                                  code=3).stderr)
        self.run_command('sim', PENDULUM, '--controls', 'nothing.csv', code=4)
        self.run_command('sim', PENDULUM, '--policy', 'nothing', code=4)
        self.assert_nothing_written('u.csv', 'v.csv')


class Policy(Case):
    def test_controls_and_policy_reproduce_the_plan(self):
        self.run_command('plan', PUSH, '-o', 'run', '--quiet')
        planned = self.read_json('run', 'summary.json')['goals']
        for option, value in (('--controls', 'run/trajectory.csv'), ('--policy', 'run')):
            self.run_command('sim', PUSH, '-o', 'again', option, value, '--quiet')
            for goal, other in zip(planned, self.read_json('again', 'summary.json')['goals']):
                self.assertAlmostEqual(goal['error'], other['error'], 6)

    def test_feedback_rejects_what_open_loop_does_not(self):
        self.run_command('plan', PENDULUM, '-o', 'run', '--quiet')
        errors = {}
        for option, value in (('--controls', 'run/trajectory.csv'), ('--policy', 'run')):
            self.run_command('sim', PENDULUM, '-o', 'off', option, value, '--quiet', '--set', 'start.theta=0.1')
            errors[option] = self.read_json('off', 'summary.json')['goals'][0]['error']
        self.assertLess(errors['--policy'], 0.2 * errors['--controls'])

    def test_a_policy_of_another_model_is_refused(self):
        self.run_command('plan', PENDULUM, '-o', 'run', '--quiet')
        self.assertIn('does not fit', self.run_command('sim', PUSH, '--policy', 'run', code=3).stderr)
        self.run_command('sim', PENDULUM, '--policy', 'run', '--set', 'time.step=0.02', code=3)
        self.assert_nothing_written('run')


if __name__ == '__main__':
    main()
