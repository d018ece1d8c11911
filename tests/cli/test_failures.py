# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Plans that fail name their cause, and what is tried by itself is said."""

import os

from command import PENDULUM, PROBLEMS, PUSH, Case, main

NO_SEARCH = ('--set', 'solve.search=off')
FINGERS, PALM = (os.path.join(PROBLEMS, 'failures', name + '.yaml') for name in ('two_fingers', 'floating_palm'))


class Failures(Case):
    def test_a_lift_that_the_floor_hides_is_solved_by_the_second_try(self):
        done = self.run_command('plan', FINGERS, '-o', 'run')
        self.assertIn('second try', done.stdout)
        summary = self.read_json('run', 'summary.json')
        self.assertEqual(summary['second_try'], 'kept')
        self.assertTrue(summary['goals'][0]['met'])
        rows = self.read_rows('run', 'iterations.csv')
        self.assertEqual({row['attempt'] for row in rows}, {'0', '1'})
        counted = [row for row in rows if row['iteration'] != '0']
        self.assertEqual(summary['iterations'], len(counted))

    def test_without_the_second_try_the_message_names_what_holds_the_box(self):
        done = self.run_command('plan', FINGERS, '-o', 'run', '--set', 'solve.second_try=false', *NO_SEARCH, code=1)
        self.assertIn('ground#1|box#1 holds it', done.stdout)
        self.assertIn('pairs: all', done.stdout)
        self.assertNotIn('is open', done.stdout)
        self.assertRegex(done.stdout, r'z -0\.\d+ m')
        self.assertEqual(self.read_json('run', 'summary.json')['second_try'], 'none')

    def test_a_base_that_nothing_drives_is_named(self):
        done = self.run_command('plan', PALM, '-o', 'run', *NO_SEARCH, code=1)
        self.assertIn('no actuator drives its base palm', done.stdout)
        self.assertNotIn('start closer', done.stdout)
        components = self.read_json('run', 'summary.json')['goals'][0]['components']
        self.assertEqual([part['name'] for part in components], ['x', 'y', 'z'])
        self.assertAlmostEqual(components[0]['error'], -0.2, places=3)
        self.assertEqual(components[0]['unit'], 'm')

    def test_a_slide_that_nothing_drives_is_a_base_and_is_not_searched(self):
        done = self.run_command('plan', PUSH, '-o', 'run', '--set', 'model.actuators=[{joint: pz}]', code=1)
        self.assertIn('no actuator drives its base px', done.stdout)
        self.assertNotIn('start closer', done.stdout)
        self.assertEqual(len(self.read_json('run', 'summary.json')['search']['candidates']), 1)

    def test_the_wrong_side_is_named(self):
        done = self.run_command('plan', PUSH, '-o', 'run', '--set', 'start.px=0.1', *NO_SEARCH, code=1)
        self.assertIn('pushes away from the goal', done.stdout)

    def test_a_control_at_its_limits_is_named(self):
        done = self.run_command('plan', PENDULUM, '-o', 'run', '--set', 'model.actuators.0.limits=[-1, 1]', *NO_SEARCH, code=1)
        self.assertRegex(done.stdout, r'control theta is at its limits at \d+ of 200 knots')

    def test_strict_is_about_the_time_step(self):
        self.run_command('plan', PENDULUM, '-o', 'run')
        doubt = self.read_json('run', 'summary.json')['leans_on_time_step']
        self.assertGreater(doubt['times_tolerance'], 1)
        self.run_command('plan', PENDULUM, '-o', 'run', '--strict', code=1)
        loose = ('--set', 'cost.2.tolerance=0.5', '--set', 'cost.3.tolerance=0.5')
        self.run_command('plan', PENDULUM, '-o', 'run', '--strict', *loose)
        self.assertIsNone(self.read_json('run', 'summary.json')['leans_on_time_step'])

    def test_one_cap_counts_every_iteration(self):
        for cap in (1, 5, 29):
            self.run_command('plan', FINGERS, '-o', 'run', '--set', f'solve.max_iterations={cap}', *NO_SEARCH, code=1)
            summary = self.read_json('run', 'summary.json')
            rows = [row for row in self.read_rows('run', 'iterations.csv') if row['iteration'] != '0']
            self.assertLessEqual(len(rows), cap)
            self.assertEqual(summary['iterations'], len(rows))
            self.assertGreater(summary['stages'][-1]['iterations'], 0)

    def test_a_time_limit_leaves_room_for_the_physical_stage(self):
        arm = os.path.join(PROBLEMS, 'gen3_ball_side.yaml')
        self.run_command('plan', arm, '-o', 'run', '--set', 'solve.time_limit=0.2', *NO_SEARCH, code=1)
        stages = self.read_json('run', 'summary.json')['stages']
        self.assertEqual(stages[-2]['status'], 'time_limit')
        self.assertGreater(stages[-1]['iterations'], 0)


if __name__ == '__main__':
    main()
