# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""view: the page again, from the folder alone."""

import json
import os

from command import PENDULUM, Case, main


class View(Case):
    def test_the_page_is_rewritten_from_the_folder(self):
        self.run_command('plan', PENDULUM, '-o', 'run', '--quiet')
        with open(self.path('run', 'player.html'), encoding='utf-8') as file:
            page = file.read()
        os.remove(self.path('run', 'player.html'))
        self.assertEqual(self.run_command('view', 'run').stdout, 'run/player.html\n')
        with open(self.path('run', 'player.html'), encoding='utf-8') as file:
            self.assertEqual(file.read(), page)

    def test_the_policy_is_exported_as_c_and_as_a_table(self):
        self.run_command('plan', PENDULUM, '-o', 'run', '--quiet')
        self.run_command('view', 'run', '--export', 'p.c', '--quiet')
        self.run_command('view', 'run', '--export', 'p.csv', '--quiet')
        with open(self.path('p.c'), encoding='utf-8') as file:
            text = file.read()
        self.assertIn('void policy_control(REAL t, const REAL *x, REAL *u)', text)
        self.assertIn('LEAD = (REAL)0.005;', text)
        self.assertEqual(len(self.read_rows('p.csv')), 201)
        done = self.run_command('view', 'run', '--export', 'p.txt', code=2)
        self.assertIn('written as .npz, .csv or .c', done.stderr)

    def test_a_folder_that_is_no_run_is_exit_3(self):
        os.mkdir(self.path('mine'))
        for name in ('summary.json', 'scene.json', 'trajectory.csv', 'contacts.csv'):
            self.write(os.path.join('mine', name), '{}\n')
        self.run_command('view', 'mine', code=3)
        self.assertNotIn('player.html', os.listdir(self.path('mine')))

    def test_json_names_the_page(self):
        self.run_command('sim', PENDULUM, '-o', 'run', '--quiet')
        self.assertEqual(json.loads(self.run_command('view', 'run//', '--json').stdout), {'player': 'run/player.html'})

    def test_a_browser_that_cannot_be_started_is_exit_4(self):
        self.run_command('sim', PENDULUM, '-o', 'run', '--quiet')
        done = self.run_command('view', 'run', '--open', code=4, env={'PATH': '/nowhere'})
        self.assertIn('run/player.html', done.stderr)


if __name__ == '__main__':
    main()
