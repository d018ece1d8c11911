# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""The bar: on a terminal, after a while, and gone at the end."""

from command import PENDULUM, PUSH, TerminalCase, main


class Progress(TerminalCase):
    def test_a_long_run_shows_its_progress_and_clears_it(self):
        out = self.on_terminal('plan', PUSH, '-o', 'run', '--set', 'time={step: 0.001, steps: 1000}')
        self.assertRegex(out, r'\[=+> *\]\033\[0m +\d+ % +stage \d of \d +about [\d.]+ s left')
        self.assertGreater(out.rindex('\r\033[K'), out.rindex(' left'))

    def test_a_short_run_shows_none(self):
        self.assertNotIn(' left', self.on_terminal('plan', PENDULUM, '-o', 'run'))


if __name__ == '__main__':
    main()
