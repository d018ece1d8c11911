# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""docs/examples/push.py says what it promises."""

import os
import subprocess
import sys

from case import PROBLEMS, PUSH, Case, main

EXAMPLE = os.path.join(PROBLEMS, '..', 'docs', 'examples', 'push.py')


class Example(Case):
    def test_the_example_meets_its_goals_in_another_world(self):
        done = subprocess.run([sys.executable, EXAMPLE, PUSH], capture_output=True, text=True, check=False, cwd=self.place.name)
        self.assertEqual((done.returncode, done.stderr), (0, ''), done.stdout)
        self.assertIn('box.position: error 0.0006, tolerance 0.005: met', done.stdout)


if __name__ == '__main__':
    main()
