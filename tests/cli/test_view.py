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
