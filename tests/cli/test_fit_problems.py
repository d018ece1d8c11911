# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Every shipped problem of tractrix fit with synthetic recordings against the outcome that its head promises: the true values, which lie beside
the recordings, were simulated in finer steps than the model of the fit takes."""

import os
import unittest

from command import PROBLEMS, SANITIZED, Case, main


class FitProblems(Case):
    def truth(self, data):
        values = {}
        with open(os.path.join(PROBLEMS, 'fit', 'data', f'{data}.truth.yaml'), encoding='utf-8') as file:
            for line in file:
                if line.startswith('  "'):
                    name, value = line.strip()[1:].rsplit('": ', 1)
                    values[name] = float(value)
        return values

    def check_fit(self, problem, data, bounds):
        """Every true value is found within its bound, and the interval is no wider than the bound promises."""
        self.run_command('fit', os.path.join(PROBLEMS, 'fit', problem), '-o', 'run', '--quiet')
        summary, truth = self.read_json('run', 'summary.json'), self.truth(data)
        found = {p['name']: p for p in summary['parameters'] if p['value'] is not None}
        self.assertEqual(set(found), set(truth))
        for name, true in truth.items():
            p, bound = found[name], bounds(name) * true
            self.assertEqual(p['verdict'], 'determined', p)
            self.assertLess(abs(p['value'] - true), bound, (true, p))
            self.assertLess(p['high'] - p['low'], 2 * bound, p)
            self.assertGreater(abs(p['start'] - true), 2 * bound, p)
        return summary

    def test_the_slides_give_the_friction_of_the_table(self):
        self.check_fit('fit_box_slide.yaml', 'box_slides', lambda name: 0.02)

    @unittest.skipIf(SANITIZED, 'the values are those of the optimized run, and other fits run the same code')
    def test_the_swings_give_the_friction_of_every_joint_and_the_load(self):
        summary = self.check_fit('fit_arm_swing.yaml', 'arm_swings', lambda name: 0.01 if name.endswith('.mass') else 0.05)
        self.assertEqual(len(summary['parameters']), 15)
        self.assertLess(summary['held_out']['rotation']['mean'], 0.003)

    def test_the_spins_give_friction_bearing_and_inertia(self):
        summary = self.check_fit('fit_spinner.yaml', 'spins', lambda name: 0.03 if name.endswith('.friction') else 0.05)
        self.assertLess(summary['held_out']['rotation']['mean'], 0.002)

        # the step makes the friction too large, and half the step takes back half of it
        friction = next(p for p in summary['parameters'] if p['name'].endswith('.friction'))
        error = friction['value'] - self.truth('spins')[friction['name']]
        self.assertGreater(error, 2 * friction['sd'])
        self.assertLess(abs(error + 2 * friction['half_step']), 0.25 * error)
        self.assertIn('half of it moves pair(finger2, spinner).friction by -0.003', summary['time_step'])

    @unittest.skipIf(SANITIZED, 'the values are those of the optimized run, and other fits run the same code')
    def test_the_pushes_give_friction_and_mass(self):
        summary = self.check_fit('fit_two_body_push.yaml', 'pushes', lambda name: 0.02)
        self.assertLess(summary['held_out']['position']['mean'], 0.002)

        # a stiffer tip would make the objective a sawtooth function
        self.assertLess(summary['roughness'], 0.03)
        self.assertNotIn('rough', summary)


if __name__ == '__main__':
    main()
