# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""tractrix trial: files, exit codes, single worlds, and feedback against open loop on the push."""

import os
import signal
import subprocess
import time
import unittest

from command import COMMAND, PUSH, Case


class Trial(Case):
    def setUp(self):
        super().setUp()
        self.run_command('plan', PUSH, '-o', 'run', '--quiet')

    def trial(self, *args, name='trial_policy', code=0):
        self.run_command('trial', 'run', '--quiet', *args, code=code)
        return self.read_json('run', name + '.json'), self.read_rows('run', name + '.csv')

    def test_feedback_succeeds_where_open_loop_does_not(self):
        policy, rows = self.trial('--worlds', '40')
        self.assertEqual((policy['worlds'], len(rows)), (40, 40))
        self.assertEqual(policy['successes'], sum(row['success'] == '1' for row in rows))
        self.assertGreaterEqual(policy['successes'], 38)
        self.assertTrue(policy['rate_low'] < policy['rate'] <= policy['rate_high'])
        goal = policy['goals'][0]
        self.assertEqual(goal['allowed'], 0.02)
        self.assertTrue(goal['median'] <= goal['q90'] <= goal['q95'] <= goal['worst'])
        worst = max(rows, key=lambda row: float(row['ratio']))
        self.assertEqual(policy['worst'][0]['world'], int(worst['world']))
        open_loop, _ = self.trial('--worlds', '40', '--with', 'open', name='trial_open')
        self.assertLess(open_loop['successes'], 20)

    def test_a_world_depends_on_seed_and_number_alone(self):
        _, rows = self.trial('--worlds', '12', '--threads', '2')
        _, one = self.trial('--worlds', '1', '--first-world', '7')
        self.assertEqual(one, [rows[7]])
        _, other = self.trial('--worlds', '1', '--first-world', '7', '--seed', '5')
        self.assertNotEqual(one[0]['box.mass'], other[0]['box.mass'])

    def test_ranges_come_from_the_file(self):
        summary, rows = self.trial('--worlds', '3', '--set', 'trial={friction: 0, stiffness: 0, mass: 0.5, start: {position: 0, '
                                   'rotation: 0}, success: {tolerances: 1, distance: 0}}')
        self.assertIn('box.mass', rows[0])
        self.assertNotIn('start of box.vx', rows[0])
        self.assertEqual(summary['goals'][0]['allowed'], summary['goals'][0]['tolerance'])
        self.assertEqual({entry['range'] for entry in summary['correlations']}, {0.5})

    def test_what_people_read(self):
        text = self.run_command('trial', 'run', '--worlds', '5').stdout
        for words in ('worlds succeed', 'box.position', 'worst worlds', 'what decides', 'run/trial_policy.csv'):
            self.assertIn(words, text)
        self.assertIn('"rate"', self.run_command('trial', 'run', '--worlds', '5', '--json').stdout)

    def test_a_signal_leaves_the_worlds_that_have_run(self):
        with subprocess.Popen([COMMAND, 'trial', 'run', '--worlds', '100000', '--threads', '1'], cwd=self.place.name, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as child:
            self.assertEqual(child.stdout.readline(), '100000 worlds with policy\n')
            while not os.path.exists(self.path('run', '.trial_policy.progress.csv')):
                time.sleep(0.01)
            child.send_signal(signal.SIGTERM)
            out, err = child.communicate()
        self.assertEqual((child.returncode, err), (130, ''), out)
        self.assertIn('--resume', out)
        summary, rows = self.read_json('run', 'trial_policy.json'), self.read_rows('run', 'trial_policy.csv')
        self.assertEqual(summary['worlds'], len(rows))
        self.assertGreater(len(rows), 0)
        more = str(len(rows) + 4)
        _, resumed = self.trial('--worlds', more, '--resume')
        self.assertEqual(resumed[:len(rows)], rows)
        _, whole = self.trial('--worlds', more)
        self.assertEqual(resumed, whole)
        self.run_command('trial', 'run', '--worlds', more, '--resume', '--seed', '7', code=3)
        self.run_command('trial', 'run', '--worlds', more, '--resume', '--set', 'trial.delay=0.002', code=3)

    def test_a_killed_trial_goes_on_with_the_same_bits(self):
        saved = self.path('run', '.trial_policy.progress.csv')
        if os.path.exists(self.path('run', 'trial_policy.csv')):
            os.remove(self.path('run', 'trial_policy.csv'))
        for _ in range(2):
            command = [COMMAND, 'trial', 'run', '--worlds', '100000', '--resume', '--quiet', '--threads', '1']
            before = os.stat(saved).st_mtime_ns if os.path.exists(saved) else 0
            with subprocess.Popen(command, cwd=self.place.name) as child:
                while not os.path.exists(saved) or os.stat(saved).st_mtime_ns == before:
                    self.assertIsNone(child.poll())
                    time.sleep(0.01)
                child.kill()
            self.assertFalse(os.path.exists(self.path('run', 'trial_policy.csv')))
        rows = sorted(self.read_rows('run', '.trial_policy.progress.csv'), key=lambda row: int(row['world']))
        more = str(int(rows[-1]['world']) + 4)
        summary, resumed = self.trial('--worlds', more, '--resume')
        self.assertEqual([row for row in resumed if row in rows], rows)
        self.assertEqual((summary['worlds'], summary['asked']), (int(more), int(more)))
        self.assertFalse(os.path.exists(saved))
        _, whole = self.trial('--worlds', more)
        self.assertEqual(resumed, whole)

    def test_what_is_wrong_is_refused(self):
        self.run_command('trial', 'nothing', code=4)
        self.run_command('trial', code=2)
        self.run_command('trial', 'run', '--with', 'luck', code=2)
        self.run_command('trial', 'run', '--worlds', '0', code=2)
        self.run_command('trial', 'run', '--set', 'trial.time_step=0.3', code=2)
        self.run_command('sim', PUSH, '--worlds', '3', code=2)


if __name__ == '__main__':
    unittest.main(argv=['test_trial'])
