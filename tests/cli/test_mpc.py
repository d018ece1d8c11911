# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""tractrix mpc: the loop reaches its goal in a plant that is not the model; run folder, exit codes, refusals."""

import unittest

from command import PUSH, Case

PLANT = 'mpc={duration: 1.2, plant: {time.step: 0.002, model.bodies.box.geometry.0.mass: 0.6, contact.stiction_tolerance: 1.0e-3}}'


class Mpc(Case):
    def test_the_box_arrives_in_another_plant(self):
        text = self.run_command('mpc', PUSH, '-o', 'run', '--set', PLANT).stdout
        self.assertIn('ticks: 60, 0 failed, one every 20 ms', text)
        summary = self.read_json('run', 'summary.json')
        self.assertTrue(all(goal['met'] for goal in summary['goals']))
        rows = self.read_rows('run', 'trajectory.csv')
        self.assertEqual(len(rows), 601)
        self.assertAlmostEqual(float(rows[-1]['box.x']), 0.15, delta=0.005)
        ticks = self.read_rows('run', 'ticks.csv')
        self.assertEqual([len(ticks), ticks[0]['knots'], ticks[49]['knots'], ticks[59]['knots']], [60, '50', '1', '10'])
        self.assertTrue(all(int(tick['status']) >= 0 and float(tick['seconds']) > 0 for tick in ticks))
        self.assertAlmostEqual(float(ticks[30]['t']), 0.6)
        self.assertIn('up to', text)
        histogram = self.read_json('run', 'summary.json')['loop']['histogram']
        self.assertEqual(sum(entry['ticks'] for entry in histogram), 60)
        slow = sum(float(tick['seconds']) > histogram[0]['up_to'] for tick in ticks)
        self.assertEqual(slow, 60 - histogram[0]['ticks'])
        horizons = self.read_json('run', 'scene.json')['horizons']
        self.assertEqual([len(horizons['times']), len(horizons['paths']), horizons['bodies']], [60, 60, [0, 1]])
        self.assertEqual([len(horizons['paths'][k][0]) for k in (0, 49, 59)], [36, 6, 33])
        self.assertAlmostEqual(horizons['paths'][0][0][-3], 0.15, delta=0.01)
        self.assertIn('mass: 0.6', open(self.path('run', 'problem.yaml'), encoding='utf-8').read())

    def test_pushes_noise_and_late_plans_are_in_the_run_folder(self):
        loop = ('mpc={duration: 1.2, plant: {time.step: 0.002}, delay: 0.006, latency: 0.004, dropped: 0.2, noise: {box.position: 0.0005}, '
                'pushes: [{body: box, at: 0.5, impulse: [0, 0.02, 0]}, {body: box, rate: 3, impulse: [0.02, 0.02, 0]}]}')
        texts = [self.run_command('mpc', PUSH, '-o', f'run{i}', '--set', loop, *more).stdout
                 for i, more in enumerate(([], [], ['--seed', '9']))]
        summaries = [self.read_json(f'run{i}', 'summary.json') for i in range(3)]
        tables = [open(self.path(f'run{i}', 'trajectory.csv'), encoding='utf-8').read() for i in range(3)]
        self.assertEqual(tables[0], tables[1])
        self.assertNotEqual(tables[0], tables[2])
        self.assertTrue(all(goal['met'] for goal in summaries[0]['goals']))
        self.assertEqual([summary['loop']['seed'] for summary in summaries], [1, 1, 9])

        info, ticks, pushes = summaries[0]['loop'], self.read_rows('run0', 'ticks.csv'), self.read_rows('run0', 'pushes.csv')
        self.assertEqual([info['ticks'], info['failed'], info['pushes']], [60, 0, len(pushes)])
        self.assertEqual(info['dropped'], sum(tick['dropped'] == '1' for tick in ticks))
        self.assertGreater(info['dropped'], 3)
        self.assertLess(info['dropped'], 24)
        self.assertIn(f'ticks: 60, 0 failed, {info["dropped"]} dropped', texts[0])
        self.assertEqual([pushes[0][key] for key in ('t', 'duration', 'body', 'fx', 'fy')], ['0.5', '0.01', 'box', '0', '2'])
        self.assertTrue(all(abs(float(push['fx'])) <= 2 for push in pushes))
        self.assertLessEqual(info['seconds']['median'], info['seconds']['most'])

    def test_old_measurements_are_predicted(self):
        loop = ('mpc={duration: 1.2, plant: {time.step: 0.002}, age: 0.06, pushes: [{body: box, rate: 3, impulse: [0.05, 0.05, 0]}]}')
        self.run_command('mpc', PUSH, '-o', 'run', '--quiet', '--set', loop)
        summary = self.read_json('run', 'summary.json')
        self.assertTrue(all(goal['met'] for goal in summary['goals']))
        self.assertEqual(summary['loop']['failed'], 0)

    def test_a_simulation_has_no_loop(self):
        self.run_command('sim', PUSH, '-o', 'run')
        self.assertIsNone(self.read_json('run', 'summary.json')['loop'])

    def test_a_missed_goal_is_exit_1(self):
        self.run_command('mpc', PUSH, '-o', 'run', '--quiet', '--set', 'mpc={duration: 0.1}', code=1)

    def test_json_is_the_summary_alone(self):
        summary = self.run_command('mpc', PUSH, '-o', 'run', '--json', '--set', 'mpc.iterations=2').stdout
        self.assertTrue(summary.startswith('{') and summary.rstrip().endswith('}'))

    def test_what_is_wrong_is_refused(self):
        self.run_command('mpc', code=2)
        self.run_command('mpc', PUSH, '--set', 'mpc.noise={com.position: 0.001}', code=2)
        self.run_command('mpc', PUSH, '--set', 'mpc.horizon=51', code=2)
        self.run_command('mpc', PUSH, '--set', 'mpc.plant={cost: 3}', code=2)
        self.run_command('mpc', PUSH, '--policy', 'x', code=2)
        self.assert_nothing_written()


if __name__ == '__main__':
    unittest.main(argv=['test_mpc'])
