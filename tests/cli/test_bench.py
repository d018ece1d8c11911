# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""bench: the keys of its report, and that its numbers are times."""

import json
import os
import shutil

from command import PENDULUM, PUSH, Case, main


class Bench(Case):
    def test_json_has_the_keys_of_the_contract(self):
        result = json.loads(self.run_command('bench', PUSH, '--json').stdout)
        for part in ('settled', 'plan'):
            for piece in ('step_us', 'jac_us', 'vjp_us'):
                self.assertGreater(result[part][piece]['min'], 0)
                self.assertGreaterEqual(result[part][piece]['median'], result[part][piece]['min'])
            self.assertGreaterEqual(result[part]['newton_iterations'], 1)
        self.assertEqual(result['settled']['contacts'], 4)
        self.assertGreater(result['riccati_us']['min'], 0)
        self.assertGreater(result['rollout_us']['min'], 0)
        self.assertGreater(result['search_us']['min'], 0)
        self.assertGreater(result['linearize_us']['min'], result['rollout_us']['min'])
        self.assertGreater(result['at_once_us']['min'], result['rollout_us']['min'])
        self.assertGreater(1000 * result['iteration_ms']['min'], result['at_once_us']['min'])
        self.assertEqual(result['threads'], 1)

    def test_without_a_problem_it_takes_those_at_hand(self):
        self.assertIn('no problems here', self.run_command('bench', code=2).stderr)
        os.mkdir(self.path('problems'))
        shutil.copy(PENDULUM, self.path('problems'))
        result = json.loads(self.run_command('bench', '--json').stdout)
        self.assertEqual(list(result['problems']), ['problems/pendulum.yaml'])
        self.assertEqual(result['problems']['problems/pendulum.yaml']['settled']['contacts'], 0)
        self.assertIn('Riccati sweep', self.run_command('bench').stdout)

    def test_without_a_cost_there_is_no_plan_to_time(self):
        with open(PENDULUM, encoding='utf-8') as file:
            text = file.read()
        self.write('free.yaml', text[:text.index('cost:')])
        result = json.loads(self.run_command('bench', 'free.yaml', '--json').stdout)
        self.assertIsNone(result['plan'])
        self.assertIsNone(result['iteration_ms'])
        self.assertIsNone(result['rollout_us'])
        self.assertIsNone(result['search_us'])


if __name__ == '__main__':
    main()
