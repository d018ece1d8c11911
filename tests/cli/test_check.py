# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""check: the report for people, and the one for programs."""

import json

from command import PUSH, Case, main


class Check(Case):
    def test_json_has_the_keys_of_the_contract(self):
        report = json.loads(self.run_command('check', PUSH, '--json').stdout)
        self.assertIs(report['ok'], True)
        self.assertEqual([report['model'][key] for key in ('nq', 'nv', 'nu')], [10, 9, 3])
        self.assertEqual(report['model']['bodies'], ['box', 'pusher', 'ground'])
        self.assertAlmostEqual(report['model']['mass'], 0.8)
        self.assertEqual(report['warnings'], [])
        gradients = report['gradients']
        self.assertGreater(gradients['states'], 10)
        for name in 'AB':
            self.assertGreater(gradients[name]['max_rel_error'], 0)
            self.assertLess(gradients[name]['max_rel_error'], 1e-5)
            self.assertIn(' d ', gradients[name]['at'])

    def test_the_report_shows_tree_pairs_and_warnings(self):
        done = self.run_command('check', PUSH, '--set', 'start.box.xyz=[0, 0, 0.04]')
        for text in ('free box', 'slide px', 'box#1|pusher#1', 'px [-20, 20]', 'gradients agree'):
            self.assertIn(text, done.stdout)
        self.assertIn('warning:', done.stderr)
        self.assert_nothing_written()

    def test_what_plan_cannot_serve_is_noted(self):
        done = self.run_command('check', PUSH, '--set', 'solve.method=ipopt')
        self.assertIn('note: plan cannot serve this file: not in this version: solve.method', done.stderr)


if __name__ == '__main__':
    main()
