# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""The command as a user meets it: exit codes, what goes where, what is left on disk.

usage: test_command.py TRACTRIX PROBLEMS
"""

import csv
import json
import math
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import unittest

COMMAND, PROBLEMS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PENDULUM, PUSH = os.path.join(PROBLEMS, 'pendulum.yaml'), os.path.join(PROBLEMS, 'push_box.yaml')
PLAN_FILES = {'summary.json', 'problem.yaml', 'scene.json', 'trajectory.csv', 'contacts.csv', 'iterations.csv',
              'linearization.npz', 'player.html'}


class Case(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)

    def path(self, *names):
        return os.path.join(self.place.name, *names)

    def write(self, name, text):
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(text)
        return self.path(name)

    def read_json(self, *names):
        with open(self.path(*names), encoding='utf-8') as file:
            return json.load(file, parse_constant=lambda word: self.fail(f'{word} is not JSON'))

    def run_command(self, *args, code=0, **more):
        done = subprocess.run([COMMAND, *args], cwd=self.place.name, capture_output=True, text=True, timeout=120,
                              check=False, **more)
        self.assertEqual(done.returncode, code, f'{args}: {done.stdout}\n{done.stderr}')
        self.assertNotRegex(done.stdout, r'(?i)\b(nan|inf)\b')
        return done

    def assert_nothing_written(self, *except_for):
        self.assertEqual(set(os.listdir(self.place.name)), set(except_for))


class Usage(Case):
    def test_wrong_usage_is_one_line_and_exit_2(self):
        wrong = {
            (): 'what shall be done',
            ('pln', PUSH): "did you mean 'plan'",
            ('plan',): 'usage: tractrix plan PROBLEM',
            ('plan', PUSH, '--jsn'): "did you mean '--json'",
            ('plan', PUSH, PENDULUM): 'one thing too many',
            ('plan', PUSH, '--hold'): 'plan does not take --hold',
            ('plan', PUSH, '--quiet=1'): '--quiet takes no value',
            ('plan', PUSH, '-o'): '-o needs a value',
            ('plan', PUSH, '--threads', '0'): '--threads takes a whole number',
            ('plan', PUSH, '--seed', '-1'): '--seed takes a whole number',
            ('plan', PUSH, '--set', 'steps'): '--set takes KEY=VALUE',
            ('sim', PUSH, '--hold', '--controls', 'a.csv'): 'exclude each other',
            ('help', 'nothing'): "no help on 'nothing'",
        }
        for args, text in wrong.items():
            with self.subTest(args=args):
                done = self.run_command(*args, code=2)
                self.assertEqual(done.stdout, '')
                self.assertRegex(done.stderr, r'^tractrix: error: .*\n$')
                self.assertIn(text, done.stderr)
        self.assert_nothing_written()

    def test_verbs_of_later_versions_say_so(self):
        for verb in ('mpc', 'fit', 'compare'):
            done = self.run_command(verb, PUSH, code=2)
            self.assertEqual(done.stderr, f'tractrix: error: not in this version: {verb}\n')

    def test_help_names_every_exit_code_and_verb(self):
        for args in (('help',), ('--help',), ('help', 'plan'), ('plan', '--help'), ('sim', '-h')):
            text = self.run_command(*args).stdout
            for code in ('0 ', '1 ', '2 ', '3 ', '4 ', '130 '):
                self.assertIn(f'\n  {code}', text)
        overview = self.run_command('help').stdout
        for verb in ('check', 'sim', 'plan', 'view', 'bench', 'help', 'version'):
            self.assertRegex(overview, rf'\n  {verb}\b')
            self.run_command('help', verb)

    def test_version_is_a_number(self):
        self.assertRegex(self.run_command('version').stdout, r'^tractrix \d+\.\d+\.\d+\n$')


class BadInput(Case):
    def test_a_missing_file_is_exit_4(self):
        for verb in ('check', 'sim', 'plan', 'bench'):
            self.assertIn('nothing.yaml', self.run_command(verb, 'nothing.yaml', code=4).stderr)
        self.run_command('view', 'nothing', code=4)
        self.assert_nothing_written()

    def test_errors_have_their_places_and_exit_3(self):
        self.write('bad.yaml', 'tractrix: 1\nmodel:\n  bodys: []\n  gravity: [0, 0, down]\n'
                               'time: {step: 0.01, steps: 10}\nstart: {}\n')
        for verb in ('check', 'sim', 'plan'):
            done = self.run_command(verb, 'bad.yaml', code=3)
            self.assertEqual(done.stdout, '')
            places = [line.split(': error: ')[0] for line in done.stderr.splitlines() if ': error: ' in line]
            self.assertIn('bad.yaml:3:3', places)
            self.assertEqual(places, sorted(places))
        self.assert_nothing_written('bad.yaml')

    def test_a_bad_override_is_exit_2(self):
        self.run_command('sim', PENDULUM, '--set', 'time.stepz=3', code=2)
        self.run_command('sim', PENDULUM, '--set', 'model.bodies.nobody.gravity=false', code=2)
        self.assert_nothing_written()

    def test_bad_controls_are_exit_3(self):
        self.write('u.csv', 't,u.theta\n0,1\n0,2\n')
        done = self.run_command('sim', PENDULUM, '--controls', 'u.csv', code=3)
        self.assertIn('u.csv:3:1: error:', done.stderr)
        self.assertIn('u.theta', self.run_command('sim', PENDULUM, '--controls', self.write('v.csv', 't,x\n0,1\n'),
                                                  code=3).stderr)
        self.run_command('sim', PENDULUM, '--controls', 'nothing.csv', code=4)
        self.run_command('sim', PENDULUM, '--policy', 'nothing', code=4)
        self.assert_nothing_written('u.csv', 'v.csv')


class Folders(Case):
    def test_a_folder_that_is_no_run_is_left_alone(self):
        os.mkdir(self.path('mine'))
        self.write('mine/notes.txt', 'keep')
        for verb in ('sim', 'plan'):
            self.assertIn('mine', self.run_command(verb, PENDULUM, '-o', 'mine', code=2).stderr)
        self.run_command('sim', PENDULUM, '-o', self.write('file', 'keep'), code=2)
        self.assertEqual(os.listdir(self.path('mine')), ['notes.txt'])
        self.assert_nothing_written('mine', 'file')

    def test_an_unwritable_place_is_exit_4(self):
        self.write('file', 'no folder')
        self.run_command('sim', PENDULUM, '-o', 'file/run', code=4)
        self.run_command('sim', PENDULUM, '-o', '/proc/run', code=4)
        self.assert_nothing_written('file')

    @unittest.skipUnless(os.path.exists('/dev/full'), 'no /dev/full')
    def test_a_full_stdout_is_exit_4(self):
        with open('/dev/full', 'w', encoding='utf-8') as full:
            done = subprocess.run([COMMAND, 'help'], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 4)
        self.assertIn('could not write to stdout', done.stderr)

    def test_a_run_is_replaced_and_an_empty_folder_filled(self):
        os.mkdir(self.path('run'))
        for steps in (10, 20):
            self.run_command('sim', PENDULUM, '-o', 'run', '--set', f'time.steps={steps}', '--quiet')
            self.assertEqual(self.read_json('run', 'summary.json')['time']['steps'], steps)
        self.assert_nothing_written('run')

    def test_the_folder_is_named_after_the_file(self):
        self.run_command('sim', PENDULUM, '--quiet')
        self.assertEqual(os.listdir(self.path('runs')), ['pendulum'])


class Check(Case):
    def test_json_has_the_keys_of_the_contract(self):
        report = json.loads(self.run_command('check', PUSH, '--json').stdout)
        self.assertIs(report['ok'], True)
        self.assertEqual([report['model'][key] for key in ('nq', 'nv', 'nu')], [10, 9, 3])
        self.assertEqual(report['model']['bodies'], ['box', 'pusher', 'ground'])
        self.assertAlmostEqual(report['model']['mass'], 0.8)
        self.assertEqual(report['warnings'], [])
        gradients = report['gradients']
        self.assertGreater(gradients['states'], 10)
        for name in 'AB':
            self.assertGreater(gradients[name]['max_rel_error'], 0)
            self.assertLess(gradients[name]['max_rel_error'], 1e-5)
            self.assertIn(' d ', gradients[name]['at'])

    def test_the_report_shows_tree_pairs_and_warnings(self):
        done = self.run_command('check', PUSH, '--set', 'start.box.xyz=[0, 0, 0.04]')
        for text in ('free box', 'slide px', 'box#1|pusher#1', 'px [-20, 20]', 'gradients agree'):
            self.assertIn(text, done.stdout)
        self.assertIn('warning:', done.stderr)
        self.assert_nothing_written()


class Sim(Case):
    def test_a_pendulum_from_rest_stays_there(self):
        self.run_command('sim', PENDULUM, '-o', 'run')
        summary = self.read_json('run', 'summary.json')
        self.assertEqual(set(os.listdir(self.path('run'))), PLAN_FILES - {'iterations.csv', 'linearization.npz'})
        self.assertEqual(summary['status'], 'converged')
        self.assertIsNone(summary['fine'])
        with open(self.path('run', 'trajectory.csv'), encoding='utf-8') as file:
            rows = list(csv.DictReader(file))
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
            with open(self.path(run, 'trajectory.csv'), encoding='utf-8') as file:
                ends[run] = float(list(csv.DictReader(file))[-1]['theta'])
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
        with open(self.path('run', 'iterations.csv'), encoding='utf-8') as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(float(rows[-1]['cost']), summary['stages'][-1]['cost'])

    def test_json_is_the_summary_and_nothing_else(self):
        done = self.run_command('plan', PENDULUM, '-o', 'run', '--json')
        with open(self.path('run', 'summary.json'), encoding='utf-8') as file:
            self.assertEqual(done.stdout, file.read())
        self.assertEqual(json.loads(done.stdout)['model'], {'nq': 1, 'nv': 1, 'nu': 1, 'bodies': 2, 'pairs': 0})

    def test_quiet_is_quiet(self):
        done = self.run_command('plan', PENDULUM, '-o', 'run', '--quiet')
        self.assertEqual((done.stdout, done.stderr), ('', ''))

    def test_a_missed_goal_is_exit_1_and_still_written(self):
        done = self.run_command('plan', PENDULUM, '-o', 'run', '--set', 'solve.iterations=1', code=1)
        self.assertIn('iteration limit', done.stdout)
        summary = self.read_json('run', 'summary.json')
        self.assertEqual(summary['status'], 'iteration_limit')
        self.assertEqual(set(os.listdir(self.path('run'))), PLAN_FILES)

    def test_the_recorded_problem_gives_the_same_plan(self):
        self.run_command('plan', PENDULUM, '-o', 'run', '--set', 'time.steps=150', '--quiet')
        self.run_command('plan', self.path('run', 'problem.yaml'), '-o', 'again', '--quiet')
        texts = []
        for run in ('run', 'again'):
            with open(self.path(run, 'trajectory.csv'), encoding='utf-8') as file:
                texts.append(file.read())
        self.assertEqual(*texts)
        self.assertEqual(len(texts[0].splitlines()), 152)

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


class Interrupt(Case):
    def interrupt(self, number, *args):
        """Starts a long run, sends the signal when its first line is out, returns exit code and output."""
        with subprocess.Popen([COMMAND, *args], cwd=self.place.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as child:
            first = child.stdout.readline()
            child.send_signal(number)
            out, err = child.communicate(timeout=120)
        self.assertEqual(err, '')
        return child.returncode, first + out

    @staticmethod
    def catches(pid, number):
        """Whether the process has a handler for the signal (Linux)."""
        with open(f'/proc/{pid}/status', encoding='utf-8') as file:
            caught = re.search(r'^SigCgt:\s*([0-9a-f]+)', file.read(), re.M)
        return caught is not None and int(caught.group(1), 16) >> (number - 1) & 1 == 1

    def test_a_plan_keeps_its_best_iterate(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            code, out = self.interrupt(number, 'plan', PUSH, '-o', 'run', '--set', 'time={step: 0.0002, steps: 5000}')
            self.assertEqual(code, 130, out)
            self.assertIn('interrupted', out)
            self.assertEqual(set(os.listdir(self.path('run'))), PLAN_FILES)
            summary = self.read_json('run', 'summary.json')
            self.assertEqual(summary['status'], 'interrupted')
            self.assertTrue(math.isfinite(summary['cost']))
            self.assertEqual(summary['time']['steps'], 5000)
        self.assert_nothing_written('run')

    def test_a_simulation_keeps_its_steps(self):
        # a simulation prints nothing before its end: the signal comes when /proc says it would be caught
        with subprocess.Popen([COMMAND, 'sim', PENDULUM, '-o', 'run', '--set', 'time.steps=2000000'],
                              cwd=self.place.name, stdout=subprocess.PIPE, text=True) as child:
            while not self.catches(child.pid, signal.SIGINT):
                self.assertIsNone(child.poll())
            child.send_signal(signal.SIGINT)
            out, _ = child.communicate(timeout=120)
        self.assertEqual(child.returncode, 130, out)
        summary = self.read_json('run', 'summary.json')
        self.assertEqual(summary['status'], 'interrupted')
        self.assertGreater(summary['time']['steps'], 0)
        self.assertLess(summary['time']['steps'], 2000000)


class View(Case):
    def test_the_page_is_rewritten_from_the_folder(self):
        self.run_command('plan', PENDULUM, '-o', 'run', '--quiet')
        with open(self.path('run', 'player.html'), encoding='utf-8') as file:
            page = file.read()
        os.remove(self.path('run', 'player.html'))
        self.assertEqual(self.run_command('view', 'run').stdout, 'run/player.html\n')
        with open(self.path('run', 'player.html'), encoding='utf-8') as file:
            self.assertEqual(file.read(), page)

    def test_a_folder_that_is_no_run_is_exit_3(self):
        os.mkdir(self.path('mine'))
        for name in ('summary.json', 'scene.json', 'trajectory.csv', 'contacts.csv'):
            self.write(os.path.join('mine', name), '{}\n')
        self.run_command('view', 'mine', code=3)
        self.assertNotIn('player.html', os.listdir(self.path('mine')))


class Bench(Case):
    def test_json_has_the_keys_of_the_contract(self):
        result = json.loads(self.run_command('bench', PUSH, '--json').stdout)
        for part in ('settled', 'plan'):
            for piece in ('step_us', 'jac_us', 'vjp_us'):
                self.assertGreater(result[part][piece]['min'], 0)
                self.assertGreaterEqual(result[part][piece]['median'], result[part][piece]['min'])
            self.assertGreaterEqual(result[part]['newton_iterations'], 1)
        self.assertEqual(result['settled']['contacts'], 4)
        self.assertGreater(result['riccati_us']['min'], 0)
        self.assertGreater(result['iteration_ms']['min'], 0)
        self.assertEqual(result['threads'], 1)


class Terminal(Case):
    def on_terminal(self, *args):
        """Output of the command on a pseudo-terminal."""
        master, slave = pty.openpty()
        env = {**os.environ, 'TERM': 'xterm'}
        env.pop('NO_COLOR', None)
        with subprocess.Popen([COMMAND, *args], cwd=self.place.name, stdout=slave, stderr=slave, env=env) as child:
            os.close(slave)
            chunks = []
            while True:
                try:
                    chunk = os.read(master, 65536)
                except OSError:
                    break
                if not chunk:
                    break
                chunks.append(chunk)
        os.close(master)
        self.assertIn(child.returncode, (0, 1))
        return b''.join(chunks).decode()

    def test_a_terminal_gets_colours_unless_told_otherwise(self):
        self.assertIn('\033[32mconverged', self.on_terminal('plan', PENDULUM, '-o', 'run'))
        self.assertNotIn('\033', self.on_terminal('plan', PENDULUM, '-o', 'run', '--no-color'))

    def test_a_long_run_shows_its_progress_and_clears_it(self):
        out = self.on_terminal('plan', PUSH, '-o', 'run', '--set', 'time={step: 0.001, steps: 1000}')
        self.assertRegex(out, r'\[=+> *\]\033\[0m +\d+ % +stage \d of \d +about [\d.]+ s left')
        self.assertGreater(out.rindex('\r\033[K'), out.rindex(' left'))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
