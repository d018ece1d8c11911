# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""The iteration table: rows that are those of iterations.csv, colours on a terminal only."""

from command import PENDULUM, PUSH, TerminalCase, main


class Table(TerminalCase):
    def test_a_terminal_gets_colours_unless_told_otherwise(self):
        self.assertIn('\033[32mconverged', self.on_terminal('plan', PENDULUM, '-o', 'run'))
        self.assertNotIn('\033', self.on_terminal('plan', PENDULUM, '-o', 'run', '--no-color'))

    def test_a_row_is_a_line_of_iterations_csv(self):
        out = self.run_command('plan', PUSH, '-o', 'run').stdout
        rows = [line.split() for line in out.splitlines() if line.endswith(' s') and line.split()[0].isdigit()]
        recorded = self.read_rows('run', 'iterations.csv')
        self.assertEqual(len(rows), len(recorded))
        for row, record in zip(rows, recorded):
            self.assertEqual(row[0], record['iteration'])
            self.assertAlmostEqual(float(row[1]), float(record['cost']), 6)
        heads = [line for line in out.splitlines() if line.startswith('stage ')]
        self.assertEqual(len(heads), len(self.read_json('run', 'summary.json')['stages']))
        self.assertIn('smoothed, smoothing 0.005 m', heads[0])
        self.assertTrue(heads[-1].endswith('physical'))


if __name__ == '__main__':
    main()
