# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""tractrix fit: the answer on the shipped slides, its files, --with, and exit codes."""

import math
import os
import random
import resource
import subprocess
import unittest

from command import COMMAND, PENDULUM, PROBLEMS, SANITIZED, Case, main

SLIDES = os.path.join(PROBLEMS, 'fit', 'fit_box_slide.yaml')
FRICTION = 'pair(box, table).friction'
FILES = {'summary.json', 'problem.yaml', 'parameters.csv', 'recordings.csv', 'iterations.csv', 'residuals.csv', 'predictions.csv',
         'fitted.yaml', 'fit.html'}


class Fit(Case):
    def test_friction_of_the_table_is_found_and_the_mass_is_not_sold(self):
        done = self.run_once('fit', SLIDES, '-o', 'run')
        self.assertEqual(set(os.listdir(self.path('run'))), FILES)
        self.assertRegex(done.stdout, r'only a combination is determined: pair\(box, table\)\.stiffness up, box\.mass up')
        summary = self.read_json('run', 'summary.json')
        friction, stiffness, mass = summary['parameters']
        self.assertEqual(summary['status'], 'converged')
        self.assertEqual((friction['name'], friction['verdict']), (FRICTION, 'determined'))
        self.assertLess(abs(friction['value'] - 0.35), 0.02 * 0.35)
        self.assertTrue(friction['low'] < 0.35 < friction['high'])
        self.assertEqual(stiffness['verdict'], 'not determined')
        self.assertEqual((mass['verdict'], mass['value'], mass['sd']), ('not determined', None, None))
        self.assertEqual(summary['held_out']['recordings'], 1)
        self.assertLess(summary['held_out']['position']['mean'], 0.002)
        self.assertEqual(len(self.read_rows('run', 'recordings.csv')), 6)
        self.assertEqual(self.read_rows('run', 'parameters.csv')[2]['value'], '')
        self.assertGreater(len(self.read_rows('run', 'iterations.csv')), 3)

    def test_residuals_and_predictions_of_every_channel_are_written(self):
        done = self.run_once('fit', SLIDES, '-o', 'run')
        self.assertRegex(done.stdout, r'box\.orientation about z +0\.01 ')
        channels, table = self.read_json('run', 'summary.json')['channels'], self.read_rows('run', 'residuals.csv')
        self.assertEqual([c['name'] for c in channels], [row['channel'] for row in table])
        self.assertEqual(len(channels), 6)
        rows = [row for row in self.read_rows('run', 'predictions.csv') if row['held_out'] == '0']
        for channel, row in zip(channels[:3], table):
            name = channel['name']
            residuals = [float(r[f'{name}.predicted']) - float(r[name]) for r in rows]
            mean = sum(residuals) / len(residuals)
            self.assertEqual(channel['count'], len(residuals))
            self.assertAlmostEqual(channel['mean'], mean, delta=1e-12)
            self.assertAlmostEqual(float(row['rms']), (sum(r * r for r in residuals) / len(residuals)) ** 0.5, delta=1e-12)
            self.assertAlmostEqual(float(row['autocorrelation_1']), channel['autocorrelation'][0], delta=1e-12)
            self.assertTrue(channel['white'], channel)

    def test_every_recording_is_left_out_by_one_fold(self):
        asked = '{of: "pair(box, table).friction", start: 0.5, min: 0.01, max: 2}'
        done = self.run_command('fit', SLIDES, '-o', 'run', '--set', f'fit.parameters=[{asked}]', '--set', 'fit.cross_validate=5')
        self.assertRegex(done.stdout, r'5 recordings left out by one fold, each predicted')
        summary = self.read_json('run', 'summary.json')
        self.assertEqual(summary['cross_validated']['recordings'], 5)
        self.assertLess(summary['cross_validated']['position']['mean'], 0.003)
        values, found = summary['folds'][0]['values'], summary['parameters'][0]
        self.assertEqual(len(values), 5)
        for value in values:
            self.assertLess(abs(value - found['value']), 4 * found['sd'])
        self.assertEqual(self.run_command('fit', SLIDES, '-o', 'run', '--set', 'fit.cross_validate=6', code=2).stderr.count('folds'), 1)

    def test_a_profile_is_written_as_table_and_json(self):
        asked = '{of: "pair(box, table).friction", start: 0.5, min: 0.01, max: 2, profile: true}'
        done = self.run_command('fit', SLIDES, '-o', 'run', '--set', f'fit.parameters=[{asked}]')
        profile, rows = self.read_json('run', 'summary.json')['profiles'][0], self.read_rows('run', 'profiles.csv')
        self.assertRegex(done.stdout, r'profile of pair\(box, table\)\.friction: 0\.34\d* to 0\.35\d*, agrees with')
        self.assertEqual([float(row['value']) for row in rows], profile['values'])
        self.assertTrue(profile['low'] < 0.35 < profile['high'])
        self.assertEqual(min(profile['rises']), 0)
        for value, rise in zip(profile['values'], profile['rises']):
            if min(abs(value - profile[end]) for end in ('low', 'high')) < 1e-3 * value:
                continue  # the search for an end, where the rise is the bound
            self.assertEqual(rise < profile['bound'], profile['low'] < value < profile['high'])

    def test_other_verbs_take_the_values(self):
        self.run_once('fit', SLIDES, '-o', 'run')
        value = self.read_json('run', 'summary.json')['parameters'][0]['value']
        self.run_command('sim', SLIDES, '-o', 'sim', '--with', 'run/fitted.yaml', '--set', 'time.steps=5')
        with open(self.path('sim', 'problem.yaml'), encoding='utf-8') as file:
            self.assertIn(f'parameters: {{"{FRICTION}": {value!r}', file.read())
        self.run_command('view', 'sim')
        shown = self.run_command('check', SLIDES, '--with', 'run/fitted.yaml').stdout
        self.assertIn(f'{value:.3g}'[:5], shown)

    def record_slides(self, friction, recording, seed):
        """A slide over a table of this friction, its position every 10 ms with noise of 1 mm."""
        self.run_command('sim', SLIDES, '-o', 'slide', '--quiet', '--set', f'parameters={{"{FRICTION}": {friction}}}', '--set',
                         'start.box.velocity=[0.9, 0.2, 0]', '--set', 'time.steps=80')
        noise, columns = random.Random(seed), ('box.qw', 'box.qx', 'box.qy', 'box.qz')
        return [','.join([str(recording), row['t']] + [repr(float(row[f'box.{axis}']) + noise.gauss(0, 0.001)) for axis in 'xyz'] +
                         [row[name] for name in columns]) + '\n' for row in self.read_rows('slide', 'trajectory.csv')[::2]]

    def test_a_marker_that_sits_askew_is_found_and_its_turn_about_the_normal_is_not_sold(self):
        names = 'slide,t,box.x,box.y,box.z,box.qw,box.qx,box.qy,box.qz\n'
        lines = self.record_slides(0.35, 1, 3) + self.record_slides(0.35, 2, 4)
        askew = (math.cos(0.05), math.sin(0.05), 0.0, 0.0)  # 0.1 rad about x
        turned = []
        for line in lines:
            cells = line.split(',')
            w, x, y, z = (float(cell) for cell in cells[5:])
            a, b, c, d = askew
            quat = (w * a - x * b - y * c - z * d, w * b + x * a + y * d - z * c, w * c - x * d + y * a + z * b, w * d + x * c - y * b + z * a)
            turned.append(','.join(cells[:5] + [repr(number) for number in quat]) + '\n')
        data = self.write('askew.csv', names + ''.join(turned))
        section = (f'fit={{data: [{{file: {data}, recording: slide}}], noise: {{box.position: 0.001, box.orientation: 0.005}}, '
                   f'parameters: [{{of: "{FRICTION}"}}, {{of: marker(box).%s, min: -1, max: 1}}, {{of: marker(box).ry, min: -1, max: 1}}]}}')
        self.run_command('fit', SLIDES, '-o', 'run', '--set', section % 'rx')
        found = self.read_json('run', 'summary.json')['parameters']
        self.assertEqual([value['name'] for value in found], [FRICTION, 'marker(box).rx', 'marker(box).ry'])
        for value, true in zip(found, (0.35, 0.1, 0)):
            self.assertTrue(value['low'] < true < value['high'], value)
            self.assertLess(value['high'] - value['low'], 0.05)
        section = section.replace(', {of: marker(box).ry, min: -1, max: 1}', '')
        self.run_command('fit', SLIDES, '-o', 'run', '--set', section % 'rotation')
        found = self.read_json('run', 'summary.json')['parameters']
        self.assertEqual((found[3]['name'], found[3]['verdict']), ('marker(box).rz', 'not determined'))
        said = self.run_command('fit', SLIDES, '--set', section.replace('(box)', '(bix)') % 'rx', code=2).stderr
        self.assertIn('marker(bix).rx: no file has columns of this name', said)

    def test_the_best_of_several_starts_is_taken_and_all_are_listed(self):
        done = self.run_command('fit', SLIDES, '-o', 'run', '--set', f'fit.parameters=[{{of: "{FRICTION}", start: 0.05, min: 0.02, max: 2}}]',
                                '--set', 'fit.starts=3', '--set', 'fit.seed=4')
        summary, rows = self.read_json('run', 'summary.json'), self.read_rows('run', 'iterations.csv')
        starts, value = summary['starts'], summary['parameters'][0]['value']
        self.assertEqual([start['best'] for start in starts].count(True), 1)
        self.assertAlmostEqual(starts[0]['from'][0], 0.05)
        self.assertEqual(len({start['from'][0] for start in starts}), 3)
        self.assertTrue(all(0.02 <= start['from'][0] <= 2 for start in starts))
        best = min(starts, key=lambda start: start['cost'])
        self.assertTrue(best['best'])
        self.assertEqual(best['to'], [value])
        self.assertEqual({row['start'] for row in rows}, {'0', '1', '2'})
        self.assertRegex(done.stdout, r'start +cost +iterations +ends at')

    def test_two_tables_have_a_friction_each(self):
        names = 'slide,t,box.x,box.y,box.z,box.qw,box.qx,box.qy,box.qz\n'
        oak, ice = (self.record_slides(friction, k + 1, k) for k, friction in enumerate((0.45, 0.2)))
        self.write('oak.csv', names + ''.join(oak))
        self.write('ice.csv', names + ''.join(ice))
        self.write('both.csv', names + ''.join(oak + ice))
        for per, files in (('recording', ['both']), ('file', ['oak', 'ice']))[SANITIZED:]:
            data = ', '.join(f'{{file: {self.path(name + ".csv")}, recording: slide}}' for name in files)
            done = self.run_command('fit', SLIDES, '-o', 'run', '--set', f'fit={{data: [{data}], noise: {{box.position: 0.001, box.orientation: 0.01}}, '
                                    f'parameters: [{{of: "{FRICTION}", start: 0.3, per: {per}}}]}}')
            sessions = ('slide 1', 'slide 2') if per == 'recording' else ('oak.csv', 'ice.csv')
            found = self.read_json('run', 'summary.json')
            for value, session, true in zip(found['parameters'], sessions, (0.45, 0.2)):
                self.assertEqual((value['name'], value['session']), (f'{FRICTION} of {session}', session))
                self.assertTrue(value['low'] < true < value['high'], value)
                self.assertLess(value['high'] - value['low'], 0.05)
                self.assertIn(value['name'], done.stdout)
            self.assertEqual(found['correlations'], [])
        with open(self.path('run', 'fitted.yaml'), encoding='utf-8') as file:
            self.assertIn(f'of one session alone: "{FRICTION} of oak.csv": 0.4', file.read())
        section = f'fit.parameters=[{{of: "{FRICTION}", per: file}}, {{of: box.mass, per: recording}}]'
        self.assertIn('parameters per recording and per file in one fit', self.run_command('fit', SLIDES, '--set', section, code=2).stderr)

    def record_swing(self, gain, bias):
        """A pendulum let go at 1.5 rad, as an encoder with a scale and an offset sees it, with noise of 5 mrad."""
        self.run_command('sim', PENDULUM, '-o', 'swing', '--quiet', '--set', 'start.theta=1.5')
        noise = random.Random(3)
        rows = [f"{row['t']},{gain * float(row['theta']) + bias + noise.gauss(0, 0.005)!r}\n"
                for row in self.read_rows('swing', 'trajectory.csv')[::2]]
        return self.write('encoder.csv', 't,theta\n' + ''.join(rows))

    def fit_swing(self, data, *parameters, code=0):
        listed = ', '.join(f'{{of: "{name}"}}' for name in parameters)
        return self.run_command('fit', PENDULUM, '-o', 'run', '--set', f'fit={{data: [{{file: {data}}}], parameters: [{listed}]}}', code=code)

    def test_gain_and_bias_of_an_encoder_are_found_beside_the_damping(self):
        data = self.record_swing(1.2, 0.1)
        self.fit_swing(data, 'gain(theta.position)', 'bias(theta)', 'theta.damping')
        summary = self.read_json('run', 'summary.json')
        self.assertEqual(summary['fitted']['recordings'], 1)  # of angles alone
        for found, true in zip(summary['parameters'], (1.2, 0.1, 0.1)):
            self.assertTrue(found['low'] < true < found['high'], found)
            self.assertLess(found['high'] - found['low'], 0.03 * true, found)
        with open(self.path('run', 'fitted.yaml'), encoding='utf-8') as file:
            text = file.read()
        self.assertIn('  # of the recordings, not of the model: "gain(theta.position)": 1.', text)
        self.run_command('sim', PENDULUM, '-o', 'again', '--with', 'run/fitted.yaml', '--quiet')

    def record_late_swing(self, delay, gain):
        """The swing simulated in steps of 0.5 ms, sampled every 10 ms: the angle `delay` too late and scaled, the velocity at once."""
        self.run_command('sim', PENDULUM, '-o', 'fine', '--quiet', '--set', 'start.theta=1.5', '--set',
                         'time={scheme: midpoint, step: 0.0005, steps: 4000}')
        rows, noise = self.read_rows('fine', 'trajectory.csv'), random.Random(5)
        late, lines = round(delay / 0.0005), []
        for k in range(100, len(rows), 20):
            lines.append(f"{rows[k]['t']},{gain * float(rows[k - late]['theta']) + noise.gauss(0, 0.002)!r},"
                         f"{float(rows[k]['theta.v']) + noise.gauss(0, 0.01)!r}\n")
        return self.write('late.csv', 't,theta,theta.v\n' + ''.join(lines))

    def test_a_late_encoder_is_found_within_a_fifth_of_a_millisecond(self):
        for delay in (0.0035, 0.0125)[SANITIZED:]:
            data = self.record_late_swing(delay, 1.05)
            self.run_command('fit', PENDULUM, '-o', 'run', '--set', 'time={scheme: midpoint, step: 0.002, steps: 1000}', '--set', f'fit={{data: [{{file: {data}}}], parameters: '
                             '[{of: "delay(theta.position)", min: 0, max: 0.03}, {of: "gain(theta.position)"}]}')
            found, gain = self.read_json('run', 'summary.json')['parameters']
            self.assertLess(abs(found['value'] - delay), 2e-4, found)
            self.assertTrue(found['low'] < delay < found['high'], found)
            self.assertLess(abs(gain['value'] - 1.05), 0.005, gain)

    def test_signals_of_no_column_and_twice_are_refused(self):
        data = self.record_swing(1, 0)
        said = self.fit_swing(data, 'gain(thet)', code=2).stderr
        self.assertIn('gain(thet): no file has columns of this name: write a quantity or a column', said)
        said = self.fit_swing(data, 'gain(theta)', 'gain(theta.position)', code=2).stderr
        self.assertIn('gain(theta.position): theta has this signal already, by gain(theta)', said)
        section = (f'fit:\n  data: [{{file: {data}}}]\n  parameters:\n    - {{of: "gain(theta)"}}\n'
                   '    - {of: "gain(theta.position)"}\n')
        with open(PENDULUM, encoding='utf-8') as file:
            text = file.read().rstrip('\n') + '\n'
        name = self.write('twice.yaml', text + section)
        said = self.run_command('fit', name, '-o', 'run', code=3).stderr
        line = (text + section).count('\n')
        self.assertIn(f'twice.yaml:{line}:12: error: gain(theta.position): theta has this signal already', said)

    def test_threads_change_no_bit(self):
        for threads in ('1', '2'):
            self.run_command('fit', SLIDES, '-o', threads, '--quiet', '--threads', threads, '--set', 'fit.iterations=2', code=1)
        one, two = (self.read_rows(name, 'iterations.csv') for name in ('1', '2'))
        self.assertEqual(one, two)

    def fit_table(self, **more):
        table = f'fit.data=[{{file: {self.path("bad.csv")}}}]'
        return self.run_command('fit', SLIDES, '-o', 'run', '--set', table, code=3, **more)

    def test_bad_recordings_are_exit_3_and_nothing_is_written(self):
        pose = 't,box.qw,box.qx,box.qy,box.qz\n'
        for text, said in (
                ('', '1:1: error: no columns: the first line must hold their names'),
                ('t,box.x\n', '1:1: error: no rows: write at least one'),
                ('time,box.x\n0,0\n', '1:1: error: no column "t": add it, or name the right one in fit.data'),
                ('t,bix.x\n0,0\n', '1:1: error: no column of the model: write columns such as "box.x"'),
                ('t;box.x\n0;0\n', '1:1: error: separate the columns by commas, not by semicolons'),
                ('t,box.x,box.x\n0,0,0\n', '1:9: error: two columns are called box.x'),
                ('t,box.x\n0,0\n0.1\n', '3:1: error: 1 cells, but the table has 2 columns'),
                ('t,box.x\n0,0\n0.1,one\n', '3:5: error: "one" is not a number (column box.x)'),
                ('t,box.x\n0,0\n0.1,inf\n', '3:5: error: "inf" is not a number (column box.x)'),
                ('t,box.x\n0,0\nnan,1\n', '3:1: error: nan is no number: write a number (column t)'),
                ('t,box.x\n0,0\n,1\n', '3:1: error: an empty cell: write a number (column t)'),
                ('t,box.x\n0,0\n0.1,NaN\n', '3:5: error: nan is no number: leave the cell of a missing sample empty (column box.x)'),
                ('t,box.qx,box.qy,box.qz\n0,0,0,0\n', '1:3: error: a quaternion without its column "box.qw": add it'),
                ('t,box.x\n0,0\n0.2,1\n0.1,2\n', '4:1: error: t runs from 0.2 back to 0.1: write later times in later rows'),
                ('t,box.x\n0,0\n0,1\n', '3:1: error: t runs from 0 back to 0: write later times in later rows'),
                ('t,box.qw,box.qx,box.qz\n0,1,0,0\n', '1:3: error: a quaternion without its column "box.qy": add it'),
                (pose + '0,1,0,0,0\n0.1,57,0,0,0\n', '3:5: error: a quaternion of length 57: write unit quaternions w x y z')):
            with self.subTest(text=text):
                self.write('bad.csv', text)
                self.assertIn(f'bad.csv:{said}', self.fit_table().stderr)
                self.assert_nothing_written('bad.csv')

    def fit_large(self, said):
        """Refused within 2 GiB of addresses and 20 s of processor time."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        sanitized = any('SAN_OPTIONS' in name for name in os.environ)
        self.assertIn(f'bad.csv:{said}', self.fit_table(**({} if sanitized else {'preexec_fn': limit})).stderr)
        self.assert_nothing_written('bad.csv')

    def test_large_recordings_are_refused_in_bounded_memory_and_time(self):
        with open(self.path('bad.csv'), 'wb') as file:
            file.truncate(1 << 30)
        self.fit_large('1:1: error: the file is larger than 268435456 bytes: it has 1073741824')
        with open(self.path('bad.csv'), 'w', encoding='utf-8') as file:
            file.write('t,box.x\n')
            for second in range(10000):
                file.write(''.join(f'{second}.{k:03d},0.01\n' for k in range(1000)))
        self.fit_large('5000002:1: error: a table of 10000000 rows: at most 5000000 are read')

    def test_units_and_orders_are_suspected_aloud(self):
        rows = [0.01 * k for k in range(9)]
        turned = 't,box.qw,box.qx,box.qy,box.qz\n' + ''.join(f'{t:.2f},0,0,0,1\n' for t in rows)
        for problem, text, said in (
                (SLIDES, 't,box.x\n' + ''.join(f'{t:.2f},{100 + 100 * t}\n' for t in rows),
                 '1:3: warning: box.x reaches 108 m: is it in millimetres? Write metres'),
                (SLIDES, 't,box.x\n' + ''.join(f'{1000 * t:.0f},0\n' for t in rows),
                 '1:1: warning: most samples are more than 0.5 s apart: are the times in milliseconds? Write seconds'),
                (SLIDES, turned, '1:3: warning: the quaternions of box.orientation look like x y z w'),
                (PENDULUM, 't,theta\n' + ''.join(f'{t:.2f},{45 - 100 * t:.1f}\n' for t in rows),
                 '1:3: warning: theta reaches 45 rad: is it in degrees? Write radians')):
            with self.subTest(said=said):
                data = self.write('bad.csv', text)
                section = f'fit={{data: [{{file: {data}}}], iterations: 1, rounds: 1, parameters: [{{of: "%s"}}]}}'
                parameter = 'theta.damping' if problem == PENDULUM else FRICTION
                self.assertIn(f'bad.csv:{said}', self.run_fit_of(problem, section % parameter))

    def run_fit_of(self, problem, section):
        """What a fit that need not converge says."""
        done = subprocess.run([COMMAND, 'fit', problem, '-o', 'run', '--set', section], cwd=self.place.name, capture_output=True,
                              text=True, timeout=120, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.stderr

    def test_a_file_without_the_section_is_exit_3_and_missing_data_exit_4(self):
        done = self.run_command('fit', os.path.join(PROBLEMS, 'pendulum.yaml'), code=3)
        self.assertIn('missing key "fit"', done.stderr)
        self.run_command('fit', SLIDES, '--set', 'fit.data=[{file: nothing.csv}]', code=4)
        self.assertEqual(self.run_command('fit', SLIDES, '--with', 'policy', code=2).stderr,
                         "tractrix: error: --with takes a file of values such as fitted.yaml, not 'policy'\n")


if __name__ == '__main__':
    main()
