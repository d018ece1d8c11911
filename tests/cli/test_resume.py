# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Plans and fits that are killed, interrupted or out of time go on with --resume and end with the same bits."""

import json
import os
import signal
import subprocess
import time

from command import COMMAND, PROBLEMS, PUSH, SANITIZED, TIMEOUT, Case, main

FINE = ('--set', 'time={step: 0.02, steps: 75}' if SANITIZED else 'time={step: 0.004, steps: 375}')  # a push of some seconds
FIT = os.path.join(PROBLEMS, 'fit', 'fit_spinner.yaml' if SANITIZED else 'fit_cube_toss.yaml')  # a fit of some seconds
NO_TIME = 1e-9  # [s], less than any first iteration takes
REFINED = ('--set', f'solve.refine={3 if SANITIZED else 8}')  # most of the time is used by the refinement


class Resume(Case):
    def result(self, run):
        """Everything of a run that must not depend on interruptions."""
        files = []
        for name in ('trajectory.csv', 'contacts.csv', 'linearization.npz', 'scene.json'):
            with open(self.path(run, name), 'rb') as file:
                files.append(file.read())
        rows = self.read_rows(run, 'iterations.csv')
        for row in rows:
            del row['seconds']
        summary = self.read_json(run, 'summary.json')
        return files, rows, [json.dumps(summary[key]) for key in ('status', 'cost', 'goals', 'message')]

    def plan(self, *args, **more):
        return subprocess.run([COMMAND, 'plan', PUSH, *FINE, '--quiet', *args], cwd=self.place.name, capture_output=True,
                              text=True, timeout=TIMEOUT, check=False, **more)

    def whole_plan(self):
        return self.run_once('plan', PUSH, *FINE, '--quiet', '-o', 'whole')

    def kill_when_saved(self, *args):
        """Starts a plan and kills it as soon as its progress is on the disk."""
        with subprocess.Popen([COMMAND, 'plan', PUSH, *FINE, '--quiet', '-o', 'run', *args], cwd=self.place.name) as child:
            before = self.saved_at()
            while self.saved_at() == before and child.poll() is None:
                time.sleep(0.01)
            child.kill()

    def saved_at(self):
        try:
            return os.stat(self.path('.run.progress')).st_mtime_ns
        except FileNotFoundError:
            return None

    def test_a_killed_plan_goes_on_with_the_same_bits(self):
        whole = self.whole_plan()
        self.kill_when_saved('--resume')
        self.kill_when_saved('--resume', '--threads', '2')
        last = self.plan('-o', 'run', '--resume')
        self.assertEqual(last.returncode, whole.returncode, last.stderr)
        self.assertEqual(self.result('run'), self.result('whole'))
        self.assert_nothing_written('run', 'whole')

    def test_a_plan_out_of_time_goes_on_with_more(self):
        whole = self.whole_plan()
        seconds = float(self.read_rows('whole', 'iterations.csv')[-1]['seconds'])
        for limit in (NO_TIME, seconds / 8, seconds / 4, seconds / 2):  # a plan of any machine is out of the first
            done = self.plan('-o', 'run', '--set', f'solve.time_limit={limit}', *(['--resume'] if limit > NO_TIME else []))
            if done.returncode == whole.returncode and limit > NO_TIME:
                break  # so fast this time that it ended
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(self.read_json('run', 'summary.json')['status'], 'time_limit')
            self.assert_nothing_written('run', 'whole', '.run.progress')
        last = self.plan('-o', 'run', '--resume')
        self.assertEqual(last.returncode, whole.returncode, last.stderr)
        self.assertEqual(self.result('run'), self.result('whole'))
        self.assert_nothing_written('run', 'whole')

    def test_a_plan_out_of_time_says_how_to_go_on(self):
        limit = ('--set', f'solve.time_limit={NO_TIME}')
        short = self.run_command('plan', PUSH, *FINE, '-o', 'run', *limit, code=1)
        self.assertIn('--resume', short.stdout)
        again = self.run_command('plan', PUSH, *FINE, '-o', 'run', *limit, '--resume', code=1)
        self.assertIn('time limit', again.stdout)
        self.assert_nothing_written('run', '.run.progress')

    def test_an_interrupted_plan_goes_on(self):
        whole = self.whole_plan()
        with subprocess.Popen([COMMAND, 'plan', PUSH, *FINE, '-o', 'run'], cwd=self.place.name, stdout=subprocess.PIPE,
                              text=True) as child:
            child.stdout.readline()
            child.send_signal(signal.SIGHUP)
            out, _ = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130, out)
        self.assertIn('--resume', out)
        self.assertEqual(self.read_json('run', 'summary.json')['status'], 'interrupted')
        last = self.plan('-o', 'run', '--resume')
        self.assertEqual(last.returncode, whole.returncode, last.stderr)
        self.assertEqual(self.result('run'), self.result('whole'))

    def stop_in_refinement(self, number):
        """Starts a refined plan, or goes on, and sends a signal when the refinement begins; returns the exit code."""
        with subprocess.Popen([COMMAND, 'plan', PUSH, *REFINED, '-o', 'run', '--resume'], cwd=self.place.name,
                              stdout=subprocess.PIPE, text=True) as child:
            while 'refinement' not in child.stdout.readline():
                self.assertIsNone(child.poll())
            child.send_signal(number)
            child.communicate(timeout=60)
        return child.returncode

    def test_a_refinement_goes_on(self):
        whole = self.run_command('plan', PUSH, *REFINED, '-o', 'whole')
        self.assertIn('refinement', whole.stdout)
        for number in (signal.SIGHUP, signal.SIGKILL, signal.SIGINT):
            code = self.stop_in_refinement(number)
            self.assertIn(code, (0, 130, -signal.SIGKILL))
            if code == 130:  # not where the plan was faster than the signal
                self.assertEqual(self.read_json('run', 'summary.json')['status'], 'interrupted')
                self.assert_nothing_written('run', 'whole', '.run.progress')
        self.run_command('plan', PUSH, *REFINED, '-o', 'run', '--resume')
        self.assertEqual(self.result('run'), self.result('whole'))
        self.assert_nothing_written('run', 'whole')

    def test_without_progress_the_plan_starts_from_the_beginning(self):
        done = self.run_command('plan', PUSH, '-o', 'run', '--resume')
        self.assertIn('no progress', done.stderr)
        self.assert_nothing_written('run')

    def test_the_progress_of_another_problem_is_refused(self):
        self.run_command('plan', PUSH, *FINE, '-o', 'run', '--set', f'solve.time_limit={NO_TIME}', code=1)
        for change in ('solve.tolerance=1e-6', 'cost.0.weight=2', 'time.steps=100'):
            done = self.run_command('plan', PUSH, *FINE, '-o', 'run', '--resume', '--set', change, code=3)
            self.assertIn('another problem', done.stderr)
        self.assert_nothing_written('run', '.run.progress')

    def test_a_damaged_progress_is_refused(self):
        self.run_command('plan', PUSH, *FINE, '-o', 'run', '--set', f'solve.time_limit={NO_TIME}', code=1)
        with open(self.path('.run.progress'), 'rb') as file:
            content = file.read()
        for length, wrong in ((0, 0), (50, 0), (len(content) - 1, 0), (len(content), len(content) // 2)):
            with open(self.path('.run.progress'), 'wb') as file:
                file.write(content[:wrong] + bytes([content[wrong] ^ 1]) + content[wrong + 1:length] if wrong else content[:length])
            done = self.run_command('plan', PUSH, *FINE, '-o', 'run', '--resume', code=3)
            self.assertIn('damaged', done.stderr)

    def test_a_sample_of_the_script(self):
        few = '1' if SANITIZED else '2'
        script = os.path.join(os.path.dirname(PROBLEMS), 'scripts', 'kill_and_resume')
        done = subprocess.run([script, COMMAND, PUSH, '--kills', few, '--interrupts', few, '--latest', '120', *FINE], cwd=self.place.name,
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn('0 failures', done.stdout)


class ResumeFit(Case):
    def result(self, run):
        """Everything of a fit that must not depend on interruptions."""
        files = []
        for name in ('parameters.csv', 'recordings.csv', 'residuals.csv', 'predictions.csv', 'iterations.csv', 'fitted.yaml'):
            with open(self.path(run, name), 'rb') as file:
                files.append(file.read())
        summary = self.read_json(run, 'summary.json')
        del summary['seconds']
        return files, json.dumps(summary)

    def fit(self, *args):
        return subprocess.run([COMMAND, 'fit', FIT, '--quiet', *args], cwd=self.place.name, capture_output=True, text=True,
                              timeout=240, check=False)

    def saved_at(self):
        try:
            return os.stat(self.path('.run.progress')).st_mtime_ns
        except FileNotFoundError:
            return None

    def kill_when_saved(self, *args):
        """Starts a fit and kills it as soon as its progress is on the disk; whether it was killed before its end."""
        with subprocess.Popen([COMMAND, 'fit', FIT, '--quiet', '-o', 'run', *args], cwd=self.place.name) as child:
            before = self.saved_at()
            while self.saved_at() == before and child.poll() is None:
                time.sleep(0.01)
            child.kill()
        return child.returncode == -signal.SIGKILL

    def test_a_killed_fit_goes_on_with_the_same_bits(self):
        whole = self.run_once('fit', FIT, '--quiet', '-o', 'whole')
        killed = [self.kill_when_saved(), self.kill_when_saved('--resume', '--threads', '2')]
        self.assertTrue(killed[0])
        again = self.run_command('fit', FIT, '-o', 'run', '--resume', '--set', 'fit.huber=2', code=3)
        self.assertIn('another fit', again.stderr)
        last = self.fit('-o', 'run', '--resume')
        self.assertEqual(last.returncode, whole.returncode, last.stderr)
        self.assertEqual(self.result('run'), self.result('whole'))
        self.assert_nothing_written('run', 'whole')

    def test_an_interrupted_fit_goes_on_with_the_same_bits(self):
        whole = self.run_once('fit', FIT, '--quiet', '-o', 'whole')
        with subprocess.Popen([COMMAND, 'fit', FIT, '-o', 'run'], cwd=self.place.name, stdout=subprocess.PIPE,
                              text=True) as child:
            for _ in range(4):
                child.stdout.readline()
            child.send_signal(signal.SIGINT)
            out, _ = child.communicate(timeout=TIMEOUT)
        self.assertEqual(child.returncode, 130, out)
        self.assertIn('--resume', out)
        last = self.fit('-o', 'run', '--resume')
        self.assertEqual(last.returncode, whole.returncode, last.stderr)
        self.assertEqual(self.result('run'), self.result('whole'))
        self.assert_nothing_written('run', 'whole')

    def test_resume_belongs_to_recordings(self):
        done = self.run_command('fit', '--design', os.path.join(PROBLEMS, 'fit', 'design_arm.yaml'), '--resume', code=2)
        self.assertIn('--resume', done.stderr)


if __name__ == '__main__':
    main()
