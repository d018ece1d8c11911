# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""What the tests of the command share: a fresh folder for each, the command run in it, its exit code checked.

Every test file is called with the command and the folder of the shipped problems: test_X.py TRACTRIX PROBLEMS
"""

import csv
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

COMMAND, PROBLEMS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SANITIZED = os.environ.get('SANITIZED', '') != ''  # such a command takes several times as long
TIMEOUT = 600 if SANITIZED else 120  # [s] for one command, also on a busy machine
PENDULUM, PUSH = os.path.join(PROBLEMS, 'pendulum.yaml'), os.path.join(PROBLEMS, 'push_box.yaml')
# a plan of push_box that takes many seconds
LONG_STEPS = 1000 if SANITIZED else 5000
LONG = ('--set', f'time={{step: {1 / LONG_STEPS}, steps: {LONG_STEPS}}}')
PLAN_FILES = {'summary.json', 'problem.yaml', 'scene.json', 'trajectory.csv', 'contacts.csv', 'iterations.csv',
              'linearization.npz', 'policy.npz', 'player.html'}

RUNS = {}  # by arguments: the place and the outcome of Case.run_once

# commands start with the signals' defaults even where the tests run with some of them ignored, as after nohup
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


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
        done = subprocess.run([COMMAND, *args], cwd=self.place.name, capture_output=True, text=True, timeout=TIMEOUT,
                              check=False, **more)
        self.assertEqual(done.returncode, code, f'{args}: {done.stdout}\n{done.stderr}')
        self.assertNotRegex(done.stdout, r'(?i)\b(nan|inf)\b')
        return done

    def run_once(self, *args, code=0):
        """The same for a command that several tests look at: the first call runs it, and every call gets its outcome and a copy of its files."""
        if args not in RUNS:
            place = tempfile.TemporaryDirectory()
            RUNS[args] = place, subprocess.run([COMMAND, *args], cwd=place.name, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        place, done = RUNS[args]
        shutil.copytree(place.name, self.place.name, dirs_exist_ok=True)
        self.assertEqual(done.returncode, code, f'{args}: {done.stdout}\n{done.stderr}')
        self.assertNotRegex(done.stdout, r'(?i)\b(nan|inf)\b')
        return done

    def read_rows(self, *names):
        with open(self.path(*names), encoding='utf-8') as file:
            return list(csv.DictReader(file))

    def assert_nothing_written(self, *except_for):
        self.assertEqual(set(os.listdir(self.place.name)), set(except_for))


class TerminalCase(Case):
    def on_terminal(self, *args):
        """Output of the command on a pseudo-terminal."""
        try:
            master, slave = pty.openpty()
        except OSError:
            self.skipTest('this machine has no pseudo-terminals')
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

def main():
    unittest.main(argv=sys.argv[:1], verbosity=2)
