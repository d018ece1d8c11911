# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Wrong usage: one line that names it, exit 2, nothing written."""

from command import PENDULUM, PUSH, Case, main


class Options(Case):
    def test_wrong_usage_is_one_line_and_exit_2(self):
        wrong = {
            (): 'what shall be done',
            ('pln', PUSH): "did you mean 'plan'",
            ('plan',): 'usage: tractrix plan PROBLEM',
            ('view', '--mjcf', 'run'): 'usage: tractrix view RUN [--mjcf FILE] [--export FILE]',
            ('trial', PUSH): 'trial takes the folder of a run',
            ('plan', PUSH, '--jsn'): "did you mean '--json'",
            ('plan', PUSH, PENDULUM): 'one thing too many',
            ('plan', PUSH, '--hold'): 'plan does not take --hold',
            ('plan', PUSH, '--quiet=1'): '--quiet takes no value',
            ('plan', PUSH, '-o'): '-o needs a value',
            ('plan', PUSH, '--threads', '0'): '--threads takes a whole number',
            ('plan', PUSH, '--seed', '-1'): '--seed takes a whole number',
            ('plan', PUSH, '--set', 'steps'): '--set takes KEY=VALUE',
            ('sim', PUSH, '--hold', '--controls', 'a.csv'): 'exclude each other',
            ('help', 'nothing'): "no help on 'nothing'",
        }
        for args, text in wrong.items():
            with self.subTest(args=args):
                done = self.run_command(*args, code=2)
                self.assertEqual(done.stdout, '')
                self.assertRegex(done.stderr, r'^tractrix: error: .*\n$')
                self.assertIn(text, done.stderr)
        self.assert_nothing_written()

    def test_values_stand_in_the_same_or_the_next_word(self):
        for words in (('-o', 'run'), ('-orun',), ('-o=run',)):
            self.run_command('sim', PENDULUM, '--quiet', *words)
            self.assert_nothing_written('run')
        self.run_command('sim', '--set=time.steps=7', '--seed=11', '--', PENDULUM)
        summary = self.read_json('runs', 'pendulum', 'summary.json')
        self.assertEqual((summary['time']['steps'], summary['seed']), (7, 11))

    def test_threads_change_nothing_but_are_checked(self):
        self.assertEqual(self.run_command('sim', PENDULUM, '--threads', '4').stderr,
                         self.run_command('sim', PENDULUM, '--threads', '1').stderr)


if __name__ == '__main__':
    main()
