# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""solve.robust: controls that serve several worlds."""

from command import PENDULUM, Case, main


class Robust(Case):
    def test_a_robust_plan_costs_less_on_average(self):
        done = self.run_command('plan', PENDULUM, '-o', 'run', '--set', 'solve.robust={worlds: 3, iterations: 4}',
                                '--set', 'trial={mass: 0.5}')
        self.assertIn('3 worlds', done.stdout)
        summary = self.read_json('run', 'summary.json')
        robust = summary['robust']
        self.assertEqual(robust['worlds'], 3)
        self.assertLess(robust['mean']['after'], robust['mean']['before'])
        self.assertAlmostEqual(robust['nominal']['after'], summary['cost'], delta=1e-9 * summary['cost'])
        self.assertEqual(summary['status'], 'converged')
        self.assertTrue(summary['stages'][-1]['settings']['physical'])

    def test_without_the_key_there_is_none(self):
        self.run_command('plan', PENDULUM, '-o', 'run', '--quiet')
        self.assertIsNone(self.read_json('run', 'summary.json')['robust'])

    def test_a_refined_plan_stays_refined(self):
        self.run_command('plan', PENDULUM, '-o', 'run', '--quiet', '--set', 'solve.refine=2', '--set',
                         'solve.robust={worlds: 2, iterations: 1}')
        self.assertEqual(self.read_json('run', 'summary.json')['time'], {'step': 0.005, 'steps': 400})

    def test_wrong_values_are_refused(self):
        for text in ('{worlds: 0}', '{worlds: 1001}', '{world: 3}', '3'):
            self.run_command('plan', PENDULUM, '--set', f'solve.robust={text}', code=2)


if __name__ == '__main__':
    main()
