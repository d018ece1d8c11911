# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""The run folder: its name, what it may replace, where it cannot be; and signals."""

import glob
import math
import os
import signal
import subprocess
import time

from command import COMMAND, LONG, LONG_STEPS, PENDULUM, PLAN_FILES, PUSH, Case, main


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

    def test_a_run_is_replaced_and_an_empty_folder_filled(self):
        os.mkdir(self.path('run'))
        for steps in (10, 20):
            self.run_command('sim', PENDULUM, '-o', 'run', '--set', f'time.steps={steps}', '--quiet')
            self.assertEqual(self.read_json('run', 'summary.json')['time']['steps'], steps)
        self.assert_nothing_written('run')

    def test_the_folder_is_named_after_the_file(self):
        self.run_command('sim', PENDULUM, '--quiet')
        self.assertEqual(os.listdir(self.path('runs')), ['pendulum'])

    def test_other_verbs_spare_the_plan(self):
        # a simulation of the same file replaced the plan of minutes, and the policy that it followed
        self.run_command('plan', PENDULUM, '--quiet')
        for verb in (('sim', PENDULUM), ('sim', PENDULUM, '--policy', 'runs/pendulum'), ('mpc', PENDULUM)):
            self.assertIn("'runs/pendulum' holds a plan", self.run_command(*verb, code=2).stderr)
        self.assertEqual(set(os.listdir(self.path('runs', 'pendulum'))), PLAN_FILES)
        self.run_command('plan', PENDULUM, '--quiet', '--set', 'solve.iterations=1', code=1)
        self.run_command('sim', PENDULUM, '--quiet', '-o', 'runs/pendulum')
        self.assertNotIn('policy.npz', os.listdir(self.path('runs', 'pendulum')))

    def test_a_plan_that_cannot_be_written_is_not_made(self):
        # the plan was made, and lost at its end
        done = self.run_command('plan', PENDULUM, '-o', '/proc/run', code=4)
        self.assertEqual(done.stdout, '')
        self.assertIn('cannot create', done.stderr)

    def test_dots_at_the_end_of_a_path_are_no_name(self):
        # 'new/.' was simulated to its end and then refused
        for name in ('new/.', 'new/', 'new/./.'):
            self.run_command('sim', PENDULUM, '-o', name, '--quiet')
        self.assertEqual(self.read_json('new', 'summary.json')['time']['steps'], 200)
        self.run_command('sim', PENDULUM, '-o', 'newer/..', code=2)
        self.assert_nothing_written('new')


class Missing(Case):
    LANDSCAPE = """<mujoco><asset><mesh name="hills" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>
<geom type="sdf" mesh="hills"/><geom type="sdf" mesh="hills" contype="0" conaffinity="0"/>
<body name="ball" pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""
    PROBLEM = """tractrix: 1
model: {include: [{file: hills.xml, name: hills}]}
time: {step: 0.01, steps: 3}
"""

    def test_geometry_that_a_model_lacks_is_one_line(self):
        self.write('hills.xml', self.LANDSCAPE)
        problem = self.write('fall.yaml', self.PROBLEM)
        line = f'note: the model lacks geometry of its robots, 1 note: tractrix check {problem}'
        self.assertIn(line, self.run_command('sim', problem, '-o', 'run').stderr.splitlines()[-1])
        self.assertEqual(self.run_command('sim', problem, '-o', 'run', '--quiet').stderr, '')
        listed = self.run_command('check', problem).stdout
        self.assertIn('missing:\n', listed)
        kinds = [note['kind'] for note in self.read_json('run', 'summary.json')['notes'] if 'a geom of' in note['text']]
        self.assertEqual(kinds, ['missing', 'dropped'])


class Signals(Case):
    def interrupt(self, number, *args, wait=0):
        """Starts a long run, sends the signal `wait` seconds after its first line, returns exit code and output."""
        with subprocess.Popen([COMMAND, *args], cwd=self.place.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as child:
            first = child.stdout.readline()
            time.sleep(wait)
            child.send_signal(number)
            out, err = child.communicate(timeout=120)
        self.assertEqual(err, '')
        return child.returncode, first + out

    def has_written_steps(self):
        """Whether rows of a trajectory are in the folder that the run is written to."""
        return any(os.stat(file).st_size > 4000 for file in glob.glob(self.path('.run.tmp-*', 'trajectory.csv')))

    def test_a_plan_keeps_its_best_iterate(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            code, out = self.interrupt(number, 'plan', PUSH, '-o', 'run', *LONG)
            self.assertEqual(code, 130, out)
            self.assertIn('interrupted', out)
            self.assertEqual(set(os.listdir(self.path('run'))), PLAN_FILES)
            summary = self.read_json('run', 'summary.json')
            self.assertEqual(summary['status'], 'interrupted')
            self.assertTrue(math.isfinite(summary['cost']))
            self.assertEqual(summary['time']['steps'], LONG_STEPS)
        self.assert_nothing_written('run', '.run.progress')

    def test_a_comparison_ends_with_the_variant_that_was_interrupted(self):
        for wait in (0.2, 1, 5):  # a busy machine begins the first variant late
            code, out = self.interrupt(signal.SIGINT, 'compare', PUSH, '--over', 'solve.second_try=true,false', '-o', 'all', *LONG, wait=wait)
            if 'second_try' in out:
                break
        self.assertEqual(code, 130, out)
        self.assertIn('second_try=true  interrupted ', out)
        self.assertNotIn('second_try=false', out)
        self.assertEqual([row['status'] for row in self.read_rows('all', 'compare.csv')], ['interrupted'])

    def test_a_simulation_keeps_its_steps(self):
        with subprocess.Popen([COMMAND, 'sim', PENDULUM, '-o', 'run', '--set', 'time.steps=9000000'],
                              cwd=self.place.name, stdout=subprocess.PIPE, text=True) as child:
            while not self.has_written_steps():
                self.assertIsNone(child.poll())
            child.send_signal(signal.SIGINT)
            out, _ = child.communicate(timeout=120)
        self.assertEqual(child.returncode, 130, out)
        summary = self.read_json('run', 'summary.json')
        self.assertEqual(summary['status'], 'interrupted')
        self.assertGreater(summary['time']['steps'], 0)
        self.assertLess(summary['time']['steps'], 9000000)


if __name__ == '__main__':
    main()
