# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Dispatch: the version, and a stdout that cannot be written."""

import glob
import os
import subprocess
import unittest

from command import COMMAND, PENDULUM, Case, main


class Main(Case):
    def test_version_is_a_number(self):
        self.assertRegex(self.run_command('version').stdout, r'^tractrix \d+\.\d+\.\d+\n$')

    @unittest.skipUnless(os.path.exists('/dev/full'), 'no /dev/full')
    def test_a_full_stdout_is_exit_4(self):
        with open('/dev/full', 'w', encoding='utf-8') as full:
            done = subprocess.run([COMMAND, 'help'], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 4)
        self.assertIn('could not write to stdout', done.stderr)

    def test_closed_descriptors_are_no_files_of_the_run(self):
        # a message went into the file that had got the number of stderr
        for closed in ('0<&-', '2>&-', '0<&- 2>&-'):
            subprocess.run(['sh', '-c', f'exec "$0" "$@" {closed}', COMMAND, 'sim', PENDULUM, '-o', 'run'], cwd=self.place.name,
                           stdout=subprocess.DEVNULL, check=True)
            self.assertEqual(self.read_json('run', 'summary.json')['time']['steps'], 200)
        done = subprocess.run(['sh', '-c', 'exec "$0" "$@" >&-', COMMAND, 'sim', PENDULUM, '-o', 'run'], cwd=self.place.name,
                              stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (4, 'tractrix: error: could not write to stdout\n'))
        self.assertEqual(self.read_json('run', 'summary.json')['time']['steps'], 200)

    @unittest.skipUnless(glob.glob('/usr/lib/*/openblas-serial') and os.path.exists('/proc/self/task'), 'no serial OpenBLAS or /proc')
    def test_nothing_starts_threads_before_they_are_needed(self):
        # OpenBLAS with threads did, before main: with little address space it never ended
        os.mkfifo(self.path('problem'))
        env = {name: value for name, value in os.environ.items() if name != 'OPENBLAS_NUM_THREADS'}
        with subprocess.Popen([COMMAND, 'check', 'problem'], cwd=self.place.name, env=env, stderr=subprocess.DEVNULL) as child:
            with open(self.path('problem'), 'w', encoding='utf-8'):  # the command reads: its libraries are loaded
                threads = os.listdir(f'/proc/{child.pid}/task')
        self.assertEqual(len(threads), 1)


if __name__ == '__main__':
    main()
