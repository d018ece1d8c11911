# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""The search after a plan that misses a goal: its table, its record, and how to turn it off."""

import os

from command import PENDULUM, PUSH, SANITIZED, Case, main

FRONT = ('plan', PUSH, '-o', 'run', '--set', 'start.px=0.12', '--set', 'time.steps=75')


class Search(Case):
    def test_a_pusher_in_front_of_the_box_finds_its_way_round(self):
        done = self.run_once(*FRONT, '--threads', '1')
        self.assertRegex(done.stdout, r'\n +0 +start +0\.\.75 .* missed +plain\n')
        self.assertRegex(done.stdout, r' met +pusher on box at ')
        summary = self.read_json('run', 'summary.json')
        search = summary['search']
        self.assertEqual(search['status'], 'converged')
        self.assertEqual([c['number'] for c in search['candidates']], list(range(len(search['candidates']))))
        self.assertEqual(search['candidates'][search['best']]['outcome'], 'met')
        self.assertEqual(search['candidates'][0]['kind'], 'plain')
        self.assertTrue(all(goal['met'] for goal in summary['goals']))
        self.assertTrue(summary['stages'][-1]['settings']['physical'])
        self.assertGreater(summary['timing']['solve'], search['seconds'])

    def test_threads_do_not_change_the_plan(self):
        texts = []
        for run, threads in ((self.run_once, '1'), (self.run_command, '3')):
            run(*FRONT, '--threads', threads)
            with open(self.path('run', 'trajectory.csv'), encoding='utf-8') as file:
                texts.append(file.read())
        self.assertEqual(*texts)

    def test_every_scene_for_the_search_is_solved(self):
        folder = os.path.join(os.path.dirname(PUSH), 'search')
        names = sorted(os.listdir(folder))
        self.assertGreaterEqual(len(names), 5)
        for name in names[::6] if SANITIZED else names:
            self.run_command('plan', os.path.join(folder, name), '-o', 'run', '--quiet', '--threads', '2')
            summary = self.read_json('run', 'summary.json')
            self.assertEqual(summary['search']['status'], 'converged', name)
            self.assertEqual(summary['search']['candidates'][0]['outcome'], 'missed', name)
            self.assertTrue(all(goal['met'] for goal in summary['goals']), name)
            self.assertTrue(all(limit['met'] for limit in summary['limits']), name)

    def test_off_leaves_the_search_out(self):
        done = self.run_command(*FRONT, '--set', 'solve.search=off', code=1)
        self.assertNotRegex(done.stdout, r'(?m)^search')
        self.assertIsNone(self.read_json('run', 'summary.json')['search'])

    def test_a_plan_that_leans_on_its_time_step_is_searched_where_the_file_asks_for_it(self):
        # the tolerance lies between the errors of both replays
        self.run_command('plan', PENDULUM, '-o', 'run', '--quiet')
        first = self.read_json('run', 'summary.json')
        error, fine = first['goals'][1]['error'], first['fine']['goals'][1]['error']
        leaning = ('plan', PENDULUM, '-o', 'run', '--set', f'cost.3.tolerance={(error * fine) ** 0.5}')
        self.assertIn('the plan leans on its time step', self.run_command(*leaning).stdout)
        self.assertIsNone(self.read_json('run', 'summary.json')['search'])
        done = self.run_command(*leaning, '--set', 'solve.search={fine: true, starts: 4}')
        self.assertRegex(done.stdout, r'(?m)^search  the plan leans on its time step$')
        self.assertRegex(done.stdout, r'\n +0 +start +0\.\.200 .* leans +plain\n')
        candidates = self.read_json('run', 'summary.json')['search']['candidates']
        self.assertGreater(len(candidates), 1)
        self.assertGreater(candidates[0]['fine'], 1)

    def test_a_search_without_a_result_says_so(self):
        done = self.run_command(*FRONT, '--set', 'solve.search={starts: 3}', '--set', 'cost.5.target=[50, 0, 0.05]', code=1)
        self.assertIn('the best of 3 candidates misses a goal', done.stdout)
        self.assertEqual(self.read_json('run', 'summary.json')['search']['status'], 'stalled')

    def test_json_stays_one_object(self):
        done = self.run_command(*FRONT, '--json')
        with open(self.path('run', 'summary.json'), encoding='utf-8') as file:
            self.assertEqual(done.stdout, file.read())

    def test_wrong_keys_are_refused(self):
        for value in ('maybe', '{starts: 0}', '{time_limit: -1}', '{tries: 3}', '{fine: 2}'):
            done = self.run_command(*FRONT, '--set', 'solve.search=' + value, code=2)
            self.assertIn('search', done.stderr)


if __name__ == '__main__':
    main()
