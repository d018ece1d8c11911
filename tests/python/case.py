# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""What the tests of the module share. Every test file is called as test_X.py TRACTRIX PROBLEMS, with the module in the path."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np
import tractrix

COMMAND, PROBLEMS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PUSH = os.path.join(PROBLEMS, 'push_box.yaml')
SLIDE = os.path.join(PROBLEMS, 'fit', 'fit_box_slide.yaml')
PENDULUM = os.path.join(PROBLEMS, 'pendulum.yaml')

# a state of push_box in which the pusher touches the box, and the box slides: contacts that slip and contacts that stick
TOUCHING = np.array([0.001, 0.002, 0.0495, np.cos(0.05), 0, 0, np.sin(0.05), -0.0685, 0.001, 0.05,
                     0.05, 0.01, -0.01, 0.02, 0.03, 0.1, 0.2, 0.01, 0.0])
FORCE = np.array([3.0, 0.2, -0.1])


class Case(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)

    def path(self, *names):
        return os.path.join(self.place.name, *names)

    def run_command(self, *args):
        done = subprocess.run([COMMAND, *args], cwd=self.place.name, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def interrupt_when(self, begun):
        """Sends Ctrl-C to this process as soon as the event `begun` is set."""
        old = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, old)

        def interrupt():
            begun.wait()
            os.kill(os.getpid(), signal.SIGINT)
        thread = threading.Thread(target=interrupt)
        thread.start()
        self.addCleanup(thread.join)

    def assert_same(self, a, b):
        """The same bits."""
        np.testing.assert_array_equal(a, b)

    def assert_fails(self, status, message, call, *args, **more):
        with self.assertRaises(tractrix.Error) as caught:
            call(*args, **more)
        self.assertEqual(caught.exception.status, status)
        self.assertRegex(str(caught.exception), message)
        return caught.exception


def differences(f, count, eps=1e-6):
    """Jacobian of f by central differences about zero, extrapolated once."""
    columns = []
    for j in range(count):
        e = np.zeros(count)
        e[j] = eps
        near, far = (f(e) - f(-e)) / (2 * eps), (f(2 * e) - f(-2 * e)) / (4 * eps)
        columns.append((4 * near - far) / 3)
    return np.array(columns).T


def main():
    unittest.main(argv=sys.argv[:1])
