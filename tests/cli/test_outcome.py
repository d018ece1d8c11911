# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""The end of a run: what is said, and the exit code."""

import os

from command import PENDULUM, PLAN_FILES, PUSH, Case, main


class Outcome(Case):
    def test_quiet_is_quiet(self):
        done = self.run_command('plan', PENDULUM, '-o', 'run', '--quiet')
        self.assertEqual((done.stdout, done.stderr), ('', ''))

    def test_a_missed_goal_is_exit_1_and_still_written(self):
        done = self.run_command('plan', PENDULUM, '-o', 'run', '--set', 'solve={iterations: 1, search: off}', code=1)
        self.assertIn('iteration limit', done.stdout)
        summary = self.read_json('run', 'summary.json')
        self.assertEqual(summary['status'], 'iteration_limit')
        self.assertEqual(set(os.listdir(self.path('run'))), PLAN_FILES)

    def test_a_simulation_reports_goals_but_does_not_judge_them(self):
        done = self.run_command('sim', PENDULUM, '-o', 'run')
        self.assertRegex(done.stdout, r'theta\.position .* missed')
        self.assertFalse(self.read_json('run', 'summary.json')['goals'][0]['met'])

    def test_a_deep_penetration_is_explained(self):
        # a pusher that starts 1 cm inside of the box was thrown off without a word
        done = self.run_command('sim', PUSH, '-o', 'run', '--set', 'start.px=-0.06')
        self.assertRegex(done.stderr, r'push_box\.yaml:\d+:\d+: warning: "box#1" and "pusher#1" overlap by 0\.01 m at the start')
        self.assertEqual(self.run_command('sim', PUSH, '-o', 'run').stderr, '')

    def test_without_goals_a_plan_must_converge(self):
        free = ('--set', 'cost.2={of: theta.position, target: 3.14, weight: 100, at: end}',
                '--set', 'cost.3={of: theta.velocity, weight: 100, at: end}')
        self.run_command('plan', PENDULUM, '-o', 'run', *free)
        self.assertEqual(self.read_json('run', 'summary.json')['goals'], [])
        self.run_command('plan', PENDULUM, '-o', 'run', *free, '--set', 'solve.iterations=2', code=1)

    def test_a_plan_that_leans_on_its_time_step_says_so(self):
        loose = ('--set', 'cost.2.tolerance=0.5', '--set', 'cost.3.tolerance=0.5')
        done = self.run_command('plan', PENDULUM, '-o', 'run')
        summary = self.read_json('run', 'summary.json')
        worst = max(summary['fine']['goals'], key=lambda goal: goal['error'] / goal['tolerance'])
        self.assertGreater(worst['error'], worst['tolerance'])
        self.assertIn(f"the plan leans on its time step: replayed at a tenth of it, {worst['name']} is off by", done.stdout)
        self.assertNotIn('leans', self.run_command('plan', PENDULUM, '-o', 'run', *loose).stdout)

    def test_limits_of_the_problem_are_kept_and_shown(self):
        limit = 'limits=[{of: theta.velocity, min: -4, max: 4}]'
        done = self.run_command('plan', PENDULUM, '-o', 'run', '--set', limit)
        self.assertRegex(done.stdout, r'theta\.velocity +\S+ +0\.0001 +met')
        summary = self.read_json('run', 'summary.json')
        asked = [item for item in summary['limits'] if item['asked']]
        self.assertEqual([item['name'] for item in asked], ['theta.velocity'])
        self.assertLessEqual(asked[0]['violation'], 1e-4)
        self.assertEqual(asked[0]['unit'], 'rad/s')
        self.assertEqual(summary['physical']['limits'], asked)
        self.assertEqual(len(summary['fine']['limits']), 1)

    def test_a_missed_limit_is_exit_1_with_knot_and_amount(self):
        limits = 'limits=[{of: theta.velocity, max: 0.01}, {of: theta.position, equal: 3.14, at: end}]'
        done = self.run_command('plan', PENDULUM, '-o', 'run', '--set', limits, '--set', 'solve.search=off', code=1)
        self.assertRegex(done.stdout, r'the limit of theta\.\w+ is violated by \S+ rad(/s)? at knot \d+')
        self.assertRegex(done.stdout, r'missed +\S+ at knot \d+')

    def test_a_start_beyond_a_limit_is_exit_3_with_the_amount(self):
        with open(PENDULUM, encoding='utf-8') as file:
            path = self.write('low.yaml', file.read() + 'limits: [{of: theta.position, min: 0.5}]\n')
        done = self.run_command('plan', path, '-o', 'run', code=3)
        self.assertIn('limit of theta.position: the start violates it by 0.5 rad', done.stderr)
        self.assertFalse(os.path.exists(self.path('run')))

    def test_an_exceeded_limit_is_said(self):
        done = self.run_command('sim', PENDULUM, '--set', 'model.actuators.0.limits=[-1, 1]', '--controls',
                                self.write('u.csv', 't,u.theta\n0,3\n'))
        self.assertIn('limit of u.theta exceeded by 2', done.stdout)


if __name__ == '__main__':
    main()
