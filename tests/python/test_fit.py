# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""A fit has the numbers of the command."""

import csv
import os
import threading
import time

import numpy as np
import tractrix

from case import PUSH, SLIDE, Case, main


class Fit(Case):
    @classmethod
    def setUpClass(cls):
        cls.lines = []
        cls.answer = tractrix.load(SLIDE).fit(cls.lines.append)

    def test_the_answer_has_the_numbers_of_the_command(self):
        self.run_command('fit', SLIDE, '-o', 'run', '--quiet')
        with open(self.path('run', 'parameters.csv'), encoding='utf-8') as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row['name'] for row in rows], [one.name for one in self.answer.estimates])
        for row, one in zip(rows, self.answer.estimates):
            if one.verdict == 'determined':
                self.assertEqual((float(row['value']), float(row['sd'])), (one.value, one.sd))
            else:
                self.assertEqual(row['value'], '')
            self.assertEqual(self.answer.values[one.name], one.value)

    def test_what_is_known_and_what_is_not(self):
        fit = self.answer
        self.assertEqual(fit.status, 'ok')
        friction, stiffness, mass = fit.estimates
        self.assertEqual(friction.verdict, 'determined')
        self.assertTrue(friction.low < 0.35 < friction.high)
        self.assertGreater(friction.sd, 0)
        self.assertIn('box.mass', fit.directions[0])
        self.assertEqual([group.name for group in fit.groups], ['box.position', 'box.orientation'])
        self.assertEqual(len(fit.recordings), 6)
        self.assertEqual([one.held_out for one in fit.recordings].count(True), 1)
        self.assertEqual(fit.correlation.shape, (3, 3))
        self.assert_same(fit.correlation, fit.correlation.T)
        self.assertTrue(any(one.whiteness == 'white' for one in fit.residuals))
        self.assertEqual(fit.info.rounds, max(line.round for line in self.lines))

    def test_a_written_fit_has_its_values_in_fitted_yaml(self):
        self.answer.write(self.path('run'))
        self.assertIn('fit.html', os.listdir(self.path('run')))
        changed = tractrix.load(SLIDE, values=[self.path('run', 'fitted.yaml')])
        friction = changed.sim().parameters['pair(box, table).friction']
        self.assertAlmostEqual(friction, self.answer.values['pair(box, table).friction'], places=6)
        self.assertNotAlmostEqual(friction, 0.5, places=2)

    def test_settings_and_threads(self):
        again = tractrix.load(SLIDE).fit(threads=2)
        self.assertEqual(again.values, self.answer.values)
        robust = tractrix.load(SLIDE).fit(huber=1.0)
        self.assertNotEqual(robust.values, self.answer.values)

    def test_a_fit_may_be_ended(self):
        fit = tractrix.load(SLIDE).fit(lambda line: False)
        self.assertEqual(fit.status, 'interrupted')
        with self.assertRaisesRegex(ZeroDivisionError, 'division'):
            tractrix.load(SLIDE).fit(lambda line: 1 / 0)

    def test_ctrl_c_ends_a_fit(self):
        begun = threading.Event()
        self.interrupt_when(begun)
        with self.assertRaises(KeyboardInterrupt):
            tractrix.load(SLIDE).fit(lambda line: begun.set() or time.sleep(0.01))

    def test_a_problem_without_recordings_has_no_fit(self):
        self.assert_fails('input', 'fit', tractrix.load(PUSH).fit)


if __name__ == '__main__':
    main()
