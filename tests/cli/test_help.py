# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Help on everything that exists."""

from command import Case, main


class Help(Case):
    def test_help_names_every_exit_code_and_verb(self):
        for args in (('help',), ('--help',), ('help', 'plan'), ('plan', '--help'), ('sim', '-h')):
            text = self.run_command(*args).stdout
            for code in ('0 ', '1 ', '2 ', '3 ', '4 ', '130 '):
                self.assertIn(f'\n  {code}', text)
        overview = self.run_command('help').stdout
        for verb in ('check', 'sim', 'plan', 'view', 'bench', 'help', 'version'):
            self.assertRegex(overview, rf'\n  {verb}\b')
            self.run_command('help', verb)


if __name__ == '__main__':
    main()
