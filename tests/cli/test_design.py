# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""tractrix fit --design: deviations of a planned motion, a better motion within its limits, its files, and refusals."""

import math
import os
import unittest

from command import PROBLEMS, Case, main

ARM = os.path.join(PROBLEMS, 'fit', 'design_arm.yaml')


class Design(Case):
    def planned(self):
        rows = [f'{k * 0.01!r},{math.sin(0.04 * k)!r},{0.5 * math.sin(0.06 * k)!r}\n' for k in range(300)]
        return self.write('planned.csv', 't,u.shoulder_motor,u.elbow_motor\n' + ''.join(rows))

    def test_a_designed_motion_has_smaller_deviations_and_keeps_its_limits(self):
        done = self.run_command('fit', '--design', ARM, '--controls', self.planned(), '-o', 'run', '--set', 'fit.design.evaluations=800')
        self.assertEqual(set(os.listdir(self.path('run'))), {'summary.json', 'design.csv', 'problem.yaml'})
        summary = self.read_json('run', 'summary.json')
        self.assertEqual([p['name'] for p in summary['parameters']], ['shoulder.damping', 'elbow.damping', 'lower.mass', 'lower.com.z'])
        self.assertLess(summary['designed'], 0.5 * summary['planned'])
        self.assertRegex(done.stdout, r'lower\.mass +0\.8 ')
        self.run_command('sim', ARM, '--controls', self.path('run', 'design.csv'), '-o', 'sim', '--quiet')
        for row in self.read_rows('sim', 'trajectory.csv'):
            for name, most in (('shoulder', 1.5), ('elbow', 1.5), ('shoulder.v', 6), ('elbow.v', 6)):
                self.assertLessEqual(abs(float(row[name])), most + 1e-6)

    def test_the_planned_motion_alone_is_judged_without_evaluations(self):
        self.run_command('fit', '--design', ARM, '--controls', self.planned(), '-o', 'run', '--quiet', '--set', 'fit.design.evaluations=0')
        summary = self.read_json('run', 'summary.json')
        self.assertEqual(summary['planned'], summary['designed'])
        for parameter in summary['parameters']:
            self.assertGreater(parameter['planned_sd'], 0)
            self.assertEqual(parameter['planned_sd'], parameter['designed_sd'])

    def test_wrong_designs_are_refused_with_their_place(self):
        for change, message, code in (
                ('fit.design.limits={wrist: [0, 1]}', 'wrist is no coordinate or velocity of the model', 2),
                ('fit.design.limits={elbow: [1, 0]}', 'elbow: write the lower limit before the upper one', 2),
                ('fit.design.controls={motor: [0, 1]}', 'motor is no actuator of the model', 2),
                ('fit.design.knots=1', 'knots: write 2 or more', 2),
                ('fit.design.record=[wrist]', 'no column of the model', 3),
                ('fit.design.record=[elbow, shoulder, elbow]', 'elbow is in the list twice', 3),
                ('fit.noise={shoulder.position: 0.002}', 'no noise of elbow.position', 3)):
            with self.subTest(change):
                done = self.run_command('fit', '--design', ARM, '-o', 'run', '--set', change, code=code)
                self.assertIn(message, done.stderr)
                self.assertFalse(os.path.exists(self.path('run')))
        self.assertIn('no data', self.run_command('fit', ARM, '-o', 'run', code=3).stderr)
        self.assertIn('--design', self.run_command('fit', ARM, '--controls', 'x.csv', '-o', 'run', code=2).stderr)


if __name__ == '__main__':
    main()
