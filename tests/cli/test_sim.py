# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""sim: what drives it, and what it leaves."""

import glob
import os
import re
import signal
import subprocess
import time

from command import COMMAND, PENDULUM, PLAN_FILES, PROBLEMS, PUSH, Case, main


MUSCLES = os.path.join(PROBLEMS, 'methods', 'muscle_reach.yaml')


class Sim(Case):
    def test_a_pendulum_from_rest_stays_there(self):
        self.run_command('sim', PENDULUM, '-o', 'run')
        summary = self.read_json('run', 'summary.json')
        self.assertEqual(set(os.listdir(self.path('run'))), PLAN_FILES - {'iterations.csv', 'linearization.npz', 'policy.npz'})
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
        failed = re.match(r'step (\d+) \(t = 0\.5\d* s\): ', summary['message'])
        self.assertEqual(summary['time']['steps'], int(failed.group(1)))
        self.assertEqual(len(self.read_rows('run', 'trajectory.csv')), int(failed.group(1)) + 1)

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
        self.assert_nothing_written('run')

    def test_a_policy_runs_at_any_time_step(self):
        self.run_command('plan', PENDULUM, '-o', 'run', '--quiet')
        steps = {'time.step=0.001': 2000, 'time.step=0.003': 667, 'time.step=0.01': 200}
        for step, count in steps.items():
            self.run_command('sim', PENDULUM, '-o', 'other', '--policy', 'run', '--quiet', '--set', step, '--set',
                             f'time.steps={count}')
            self.assertLess(self.read_json('other', 'summary.json')['goals'][0]['error'], 0.05)


class Long(Case):
    """Runs of many steps: rows as asked for, memory, progress, states."""

    def test_rows_of_every_so_many_knots_and_a_row_a_step_on_request(self):
        self.run_command('sim', PUSH, '-o', 'run', '--every', '20', '--statistics', '--quiet')
        times = [float(row['t']) for row in self.read_rows('run', 'trajectory.csv')]
        self.assertEqual(times, [0, 0.4, 0.8, 1])
        self.assertEqual({float(row['t']) for row in self.read_rows('run', 'contacts.csv')}, {0, 0.4, 0.8})
        steps = self.read_rows('run', 'steps.csv')
        self.assertEqual(len(steps), 50)
        self.assertTrue(all(row['status'] in ('converged', 'round_off') for row in steps))
        self.assertTrue(all(float(row['seconds']) > 0 and int(row['contacts']) >= 4 for row in steps))
        self.assertNotIn('condition', steps[0])
        self.run_command('sim', PUSH, '-o', 'run', '--statistics', '--condition', '--quiet')
        conditions = [float(row['condition']) for row in self.read_rows('run', 'steps.csv')]
        self.assertTrue(all(condition > 1 for condition in conditions))
        simulation = self.read_json('run', 'summary.json')['simulation']
        self.assertEqual(simulation['contacts']['most'], max(int(row['contacts']) for row in steps))
        self.assertEqual(simulation['newton_iterations']['most'], max(int(row['iterations']) for row in steps))

    def test_derivatives_of_every_step_on_request(self):
        self.run_command('sim', PENDULUM, '-o', 'run', '--quiet')
        self.assertNotIn('linearization.npz', os.listdir(self.path('run')))
        self.run_command('sim', PENDULUM, '-o', 'run', '--linearize', '--quiet')
        self.assertIn('linearization.npz', os.listdir(self.path('run')))
        self.run_command('sim', PENDULUM, '-o', 'again', '--policy', 'run', '--quiet')

    @staticmethod
    def resident(pid):
        """Memory of the process [kB] (Linux)."""
        with open(f'/proc/{pid}/status', encoding='utf-8') as file:
            return int(re.search(r'^VmRSS:\s*(\d+) kB', file.read(), re.M).group(1))

    def wait_for_text(self, child, size):
        """Waits until the trajectory of a run that goes on has so many bytes."""
        while not any(os.stat(file).st_size >= size for file in glob.glob(self.path('.run.tmp-*', 'trajectory.csv'))):
            self.assertIsNone(child.poll())
            time.sleep(0.01)

    def test_memory_does_not_grow_while_it_runs(self):
        # a step has 25 numbers of its own and 4 contacts: kept, those of 10 MB of text would be 20 MB
        with subprocess.Popen([COMMAND, 'sim', PUSH, '-o', 'run', '--quiet', '--set', 'time.steps=10000000'],
                              cwd=self.place.name) as child:
            self.wait_for_text(child, 2e6)
            before = self.resident(child.pid)
            self.wait_for_text(child, 12e6)
            grown = self.resident(child.pid) - before
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.wait(timeout=60), 130)
        self.assertLess(grown, 1024)

    def test_a_run_in_a_pipe_says_now_and_then_how_far_it_is(self):
        with subprocess.Popen([COMMAND, 'sim', PUSH, '-o', 'run', '--every', '1000000', '--save', 'state.npz',
                               '--set', 'time.steps=10000000'], cwd=self.place.name, stdout=subprocess.PIPE,
                              text=True) as child:
            first = child.stdout.readline()
            child.send_signal(signal.SIGINT)
            out, _ = child.communicate(timeout=60)
        self.assertRegex(first, r'^step \d+ of 10000000, t = [\d.e+]+ s, \d+ %, about \d+ s left$')
        self.assertEqual(child.returncode, 130, out)
        self.assertIn('interrupted', out)
        steps = self.read_json('run', 'summary.json')['time']['steps']
        self.assertEqual(set(os.listdir(self.path('run'))), PLAN_FILES - {'iterations.csv', 'linearization.npz', 'policy.npz'})
        self.assertAlmostEqual(float(self.read_rows('run', 'trajectory.csv')[-1]['t']), steps * 0.02, 6)
        self.assertTrue(os.path.exists(self.path('state.npz')))

    def test_a_restored_run_goes_on_with_the_same_bits(self):
        start = ('--set', 'start.theta=2', '--set', 'start.theta={position: 2, velocity: 1}')
        self.run_command('sim', PENDULUM, '-o', 'whole', *start)
        whole = self.read_rows('whole', 'trajectory.csv')
        for steps in (1, 60, 199):
            self.run_command('sim', PENDULUM, '-o', 'first', '--save', 'states/a.npz', *start, '--set', f'time.steps={steps}')
            self.run_command('sim', PENDULUM, '-o', 'rest', '--restore', 'states/a.npz', '--json', *start)
            self.assertEqual(self.read_rows('rest', 'trajectory.csv'), whole[steps:])
            self.assertEqual(self.read_json('rest', 'summary.json')['simulation']['first_step'], steps)

    def test_a_restored_run_goes_on_with_its_activations(self):
        start = ('--set', 'start.elbow=0.9', '--set', 'model.actuators.elbow_flexor.activation.start=0.8')
        self.run_command('sim', MUSCLES, '-o', 'whole', *start)
        whole = self.read_rows('whole', 'trajectory.csv')
        self.assertNotEqual(float(whole[30]['elbow_flexor.a']), 0)
        for steps in (1, 31):
            self.run_command('sim', MUSCLES, '-o', 'first', '--save', 'a.npz', *start, '--set', f'time.steps={steps}')
            self.run_command('sim', MUSCLES, '-o', 'rest', '--restore', 'a.npz', *start)
            self.assertEqual(self.read_rows('rest', 'trajectory.csv'), whole[steps:])

    def test_a_state_is_an_archive_of_arrays(self):
        try:
            import numpy
        except ImportError:
            self.skipTest('NumPy is not installed')
        self.run_command('sim', PENDULUM, '-o', 'run', '--save', 'a.npz', '--save-every', '30', '--set', 'start.theta=1')
        with numpy.load(self.path('a.npz'), allow_pickle=False) as state:
            self.assertEqual(float(state['step']), 200)
            last = self.read_rows('run', 'trajectory.csv')[-1]
            self.assertEqual(list(state['x']), [float(last['theta']), float(last['theta.v'])])

    def test_states_that_do_not_fit_are_exit_3_and_nothing_to_do_is_exit_2(self):
        self.run_command('sim', PENDULUM, '-o', 'run', '--save', 'a.npz')
        self.assertIn('a.npz: error: a state of another model', self.run_command('sim', PUSH, '--restore', 'a.npz', code=3).stderr)
        self.assertIn('nothing is left', self.run_command('sim', PENDULUM, '--restore', 'a.npz', code=2).stderr)
        self.run_command('sim', PENDULUM, '--restore', 'b.npz', code=4)
        self.run_command('sim', PENDULUM, '--save-every', '3', code=2)
        self.run_command('sim', PENDULUM, '--every', '0', code=2)
        self.run_command('sim', PENDULUM, '--condition', code=2)
        self.run_command('sim', PENDULUM, '--save', '/proc/no/a.npz', code=4)
        self.assert_nothing_written('run', 'a.npz')

    def test_another_text_of_the_problem_is_noted(self):
        with open(PENDULUM, encoding='utf-8') as file:
            text = file.read()
        self.run_command('sim', self.write('p.yaml', text), '-o', 'run', '--save', 'a.npz')
        self.write('p.yaml', text.replace('damping: 0.1', 'damping: 0.2'))
        done = self.run_command('sim', 'p.yaml', '-o', 'run', '--restore', 'a.npz', '--set', 'time.steps=300')
        self.assertIn('another text', done.stderr)
        self.assertEqual(self.read_json('run', 'summary.json')['time']['steps'], 100)


class Models(Case):
    def test_models_of_rigid_contact_reach_the_end_where_they_did_not(self):
        # sweeps of raisim and ncp crawl, and the interior point of dojo goes in circles on its way back to the central path
        hard = {'cube_drag': ('raisim', 1), 'unlike_masses': ('dojo', 0.02), 'sliding_rod': ('dojo', 0.0145), 'box_stack': ('raisim', 0.01),
                'spring_cylinder': ('ncp', 1)}
        for name, (model, duration) in hard.items():
            path = os.path.join(PROBLEMS, 'cases', name + '.yaml')
            self.run_command('sim', path, '--set', f'contact.model={model}', '--set', f'time.duration={duration}', '-o', name)
            self.assertEqual(self.read_json(name, 'summary.json')['status'], 'converged', name)


if __name__ == '__main__':
    main()
