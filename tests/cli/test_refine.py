# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""solve.refine: the last stage again at a fraction of the step."""

import os

from command import PENDULUM, PROBLEMS, Case, main

CART = os.path.join(PROBLEMS, 'cart_pole.yaml')


class Refine(Case):
    def test_a_refined_plan_no_longer_leans_on_its_time_step(self):
        self.run_command('plan', CART, '-o', 'run', '--set', 'solve.refine=1', '--strict', code=1)
        coarse = self.read_json('run', 'summary.json')
        done = self.run_command('plan', CART, '-o', 'run', '--set', 'solve.refine=4', '--strict')
        fine = self.read_json('run', 'summary.json')
        self.assertIn('4 steps for each step of the plan', done.stdout)
        self.assertEqual(fine['time'], {'step': 0.0025, 'steps': 800})
        self.assertEqual(len(self.read_rows('run', 'trajectory.csv')), 801)
        self.assertEqual(len(fine['stages']), len(coarse['stages']) + 1)
        self.assertEqual(fine['iterations'], sum(stage['iterations'] for stage in fine['stages']))
        rows = [row for row in self.read_rows('run', 'iterations.csv') if row['iteration'] != '0']
        self.assertEqual(len(rows), fine['iterations'])
        self.assertEqual(int(rows[-1]['stage']), len(fine['stages']) - 1)
        self.assertIsNone(fine['leans_on_time_step'])

    def test_the_cap_of_iterations_counts_the_refinement(self):
        for cap in (60, 30):
            self.run_command('plan', CART, '-o', 'run', '--set', f'solve.max_iterations={cap}', '--set', 'solve.refine=4',
                             '--set', 'solve.search=off', code=0 if cap == 60 else 1)
            rows = [row for row in self.read_rows('run', 'iterations.csv') if row['iteration'] != '0']
            self.assertLessEqual(len(rows), cap)

    def test_a_refined_run_is_simulated_with_its_policy(self):
        self.run_command('plan', PENDULUM, '-o', 'run', '--set', 'solve.refine=4', '--quiet')
        self.run_command('sim', PENDULUM, '--policy', 'run', '-o', 'again', '--quiet')
        again = self.read_json('again', 'summary.json')
        self.assertEqual(again['time'], {'step': 0.0025, 'steps': 800})
        self.assertTrue(all(goal['met'] for goal in again['goals']))

    def test_more_than_a_hundred_parts_are_refused(self):
        done = self.run_command('plan', PENDULUM, '--set', 'solve.refine=101', code=2)
        self.assertIn('refine is 101: at most 100', done.stderr)


if __name__ == '__main__':
    main()
