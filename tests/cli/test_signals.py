# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Signals while a problem is loaded, while it is solved, and for a second time; pipes and files that take no more; small stacks;
what killed processes leave behind."""

import os
import resource
import signal
import subprocess
import time

from command import COMMAND, LONG, PENDULUM, PLAN_FILES, PROBLEMS, PUSH, Case, main

GENTLE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU)


class Signals(Case):
    def start(self, *args, **more):
        return subprocess.Popen([COMMAND, *args], cwd=self.place.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, **more)

    def test_the_first_signal_ends_in_a_written_folder(self):
        for number in GENTLE:
            with self.start('plan', PUSH, '-o', 'run', *LONG) as child:
                child.stdout.readline()
                child.send_signal(number)
                out, err = child.communicate(timeout=60)
            self.assertEqual((child.returncode, err), (130, ''), out)
            self.assertEqual(set(os.listdir(self.path('run'))), PLAN_FILES)
            self.assertEqual(self.read_json('run', 'summary.json')['status'], 'interrupted')

    def test_a_signal_while_loading_ends_at_once(self):
        os.mkfifo(self.path('problem.yaml'))  # loading waits for the end of the file
        for number in GENTLE:
            with self.start('plan', 'problem.yaml') as child:
                with open(self.path('problem.yaml'), 'w', encoding='utf-8'):
                    child.send_signal(number)
                    self.assertEqual(child.wait(timeout=10), 130)
        self.assert_nothing_written('problem.yaml')

    def test_the_second_signal_ends_at_once_and_the_next_run_cleans_up(self):
        for verb, problem in (('plan', PUSH), ('sim', PENDULUM)):
            more = LONG if verb == 'plan' else ('--set', 'time.steps=9000000')
            with self.start(verb, problem, '-o', 'run', *more) as child:
                if verb == 'plan':
                    child.stdout.readline()
                while verb == 'sim' and not os.path.exists(self.path(f'.run.tmp-{child.pid}')):
                    self.assertIsNone(child.poll())
                while child.poll() is None:
                    child.send_signal(signal.SIGTERM)
                    time.sleep(0.001)
                child.communicate()
            self.assertEqual(child.returncode, 130)
            self.run_command(verb, PENDULUM, '-o', 'run', '--quiet')
            self.assertEqual([name for name in os.listdir(self.place.name) if '.tmp-' in name], [])

    def test_an_ignored_signal_stays_ignored(self):
        ignore = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
        with self.start('plan', PUSH, '-o', 'run', '--quiet', preexec_fn=ignore) as child:
            while child.poll() is None:
                child.send_signal(signal.SIGHUP)
                time.sleep(0.01)
        self.assertEqual(child.returncode, 0)


class Outputs(Case):
    def test_a_reader_that_leaves_keeps_the_plan(self):
        with subprocess.Popen([COMMAND, 'plan', PUSH, '-o', 'run'], cwd=self.place.name, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as child:
            child.stdout.readline()
            child.stdout.close()
            err = child.stderr.read()
            code = child.wait(timeout=60)
        self.assertEqual((code, err), (0, ''))
        self.assertEqual(set(os.listdir(self.path('run'))), PLAN_FILES)
        self.assertEqual(self.read_json('run', 'summary.json')['status'], 'converged')

    def test_a_file_that_becomes_too_large_is_exit_4(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        for verb, problem in (('plan', PUSH), ('sim', PENDULUM)):
            done = self.run_command(verb, problem, '-o', 'run', '--quiet', code=4, preexec_fn=limit)
            self.assertIn('run', done.stderr)
            self.assert_nothing_written()


class Stack(Case):
    def test_verbs_work_with_a_small_stack(self):
        size = 1024 * int(os.environ.get('STACK', '64'))
        small = {'preexec_fn': lambda: resource.setrlimit(resource.RLIMIT_STACK, (size, size)),
                 'env': {name: value for name, value in os.environ.items() if 'SAN_OPTIONS' in name}}
        mesh = os.path.join(PROBLEMS, '..', 'tests', 'faults', 'mesh.yaml')
        hand = os.path.join(PROBLEMS, 'allegro_ball.yaml')
        self.run_command('plan', PUSH, '-o', 'run', '--quiet', **small)
        self.run_command('view', 'run', '--quiet', **small)
        self.run_command('sim', mesh, '-o', 'run', '--quiet', '--set', 'time.steps=3', **small)
        self.run_command('check', mesh, '--quiet', '--set', 'time.steps=1', **small)
        self.run_command('check', hand, '--quiet', '--set', 'time.steps=1', **small)


class Leftovers(Case):
    def leave(self, *names):
        for name in names:
            os.mkdir(self.path(name))
            self.write(os.path.join(name, 'trajectory.csv'), 't,x\n')

    def test_folders_of_dead_processes_are_removed(self):
        with subprocess.Popen(['true']) as dead:
            pass
        mine = f'.run.tmp-{os.getpid()}'
        others = (mine, '.run.tmp-x', f'.other.tmp-{dead.pid}', 'run.tmp-1')
        self.leave(f'.run.tmp-{dead.pid}', f'.run.tmp-{dead.pid}-3', *others)
        self.write(f'..run.progress.tmp-{dead.pid}', 'half')
        self.run_command('plan', PENDULUM, '-o', 'run', '--quiet')
        self.assert_nothing_written('run', *others)

    def test_a_killed_simulation_leaves_nothing_to_the_next(self):
        with subprocess.Popen([COMMAND, 'sim', PENDULUM, '-o', 'run', '--set', 'time.steps=9000000'], cwd=self.place.name,
                              stdout=subprocess.DEVNULL) as child:
            rows = self.path(f'.run.tmp-{child.pid}', 'trajectory.csv')
            while not (os.path.exists(rows) and os.path.getsize(rows) > 0):
                self.assertIsNone(child.poll())
            child.kill()
        self.assertEqual((child.returncode, os.listdir(self.place.name)), (-signal.SIGKILL, [f'.run.tmp-{child.pid}']))
        self.run_command('sim', PENDULUM, '-o', 'run', '--quiet')
        self.assert_nothing_written('run')


if __name__ == '__main__':
    main()
