# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Findings with their places, and the exit codes of failures."""

from command import PENDULUM, Case, main


class Message(Case):
    def test_a_missing_file_is_exit_4(self):
        for verb in ('check', 'sim', 'plan', 'bench'):
            self.assertIn('nothing.yaml', self.run_command(verb, 'nothing.yaml', code=4).stderr)
        self.run_command('view', 'nothing', code=4)
        self.assert_nothing_written()

    def test_errors_have_their_places_and_exit_3(self):
        self.write('bad.yaml', 'tractrix: 1\nmodel:\n  bodys: []\n  gravity: [0, 0, down]\n'
                               'time: {step: 0.01, steps: 10}\nstart: {}\n')
        for verb in ('check', 'sim', 'plan'):
            done = self.run_command(verb, 'bad.yaml', code=3)
            self.assertEqual(done.stdout, '')
            places = [line.split(': error: ')[0] for line in done.stderr.splitlines() if ': error: ' in line]
            self.assertIn('bad.yaml:3:3', places)
            self.assertEqual(places, sorted(places))
        self.assert_nothing_written('bad.yaml')

    def test_a_bad_override_is_exit_2(self):
        self.run_command('sim', PENDULUM, '--set', 'time.stepz=3', code=2)
        self.run_command('sim', PENDULUM, '--set', 'model.bodies.nobody.gravity=false', code=2)
        self.assert_nothing_written()

    def test_at_most_twenty_errors_are_shown(self):
        lines = ''.join(f'  - {{joint: j{i}}}\n' for i in range(30))
        self.write('many.yaml', f'tractrix: 1\nmodel:\n  bodies: []\n  actuators:\n{lines}')
        done = self.run_command('check', 'many.yaml', code=3)
        self.assertEqual(done.stderr.count(': error: '), 20)
        self.assertRegex(done.stderr, r'tractrix: note: \d+ more errors\n$')

    def test_control_characters_are_shown_not_sent(self):
        # a key, a file name and a cell of a table reached the terminal as they were
        name = 'e\033[31mvil\u009b1m.yaml'
        self.write(name, 'tractrix: 1\n"\\e[31mred": 1\ntitle: "\\e]0;mine\\a"\nmodel: {bodies: []}\ntime: {step: 0.01, steps: 1}\n')
        done = self.run_command('check', name, code=3)
        self.assertNotRegex(done.stdout + done.stderr, '[\x00-\x09\x0b-\x1f\x7f-\x9f]')
        self.assertIn(r'e\x1b[31mvil\x9b1m.yaml:2:1: error: unknown key "\x1b[31mred"', done.stderr)
        self.assertIn('title: a control character', done.stderr)
        self.write('u.csv', 't,u.theta\n0,\033[31m\n')
        done = self.run_command('sim', PENDULUM, '--controls', 'u.csv', code=3)
        self.assertNotIn('\033', done.stderr)
        self.assertIn(r'\x1b[31m', done.stderr)

    def test_a_long_list_of_unknown_keys_is_short(self):
        # every key got a suggestion, which took 21 s for a million keys
        self.write('keys.yaml', ''.join(f'x{i}: 1\n' for i in range(20000)))
        done = self.run_command('check', 'keys.yaml', code=3)
        self.assertEqual(done.stderr.count(': error: '), 20)
        self.assertIn('unknown key "x0": the keys here are tractrix', done.stderr)
        self.assertIn('tractrix: note: 19983 more errors', done.stderr)


if __name__ == '__main__':
    main()
