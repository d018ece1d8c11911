# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Dispatch: the version, and a stdout that cannot be written."""

import os
import subprocess
import unittest

from command import COMMAND, Case, main


class Main(Case):
    def test_version_is_a_number(self):
        self.assertRegex(self.run_command('version').stdout, r'^tractrix \d+\.\d+\.\d+\n$')

    @unittest.skipUnless(os.path.exists('/dev/full'), 'no /dev/full')
    def test_a_full_stdout_is_exit_4(self):
        with open('/dev/full', 'w', encoding='utf-8') as full:
            done = subprocess.run([COMMAND, 'help'], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 4)
        self.assertIn('could not write to stdout', done.stderr)


if __name__ == '__main__':
    main()
