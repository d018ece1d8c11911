# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""compare: every combination is planned as `plan` would plan it, and table, JSON and page agree."""

import json
import os
import re

from command import PENDULUM, PLAN_FILES, PROBLEMS, Case, main

# a cube that slides on the ground, turned by 30 degrees
SLIDE = """tractrix: 1
model:
  materials:
    wood: {stiffness: 1.0e4, friction: 0.4}
  bodies:
    - name: cube
      joint: free
      geometry: [{shape: box, size: [0.1, 0.1, 0.1], mass: 0.5, material: wood}]
    - name: ground
      geometry: [{shape: halfspace, material: wood}]
time: {step: 0.01, steps: 20}
start:
  cube: {xyz: [0, 0, 0.0501], rpy: [0, 0, 0.5235987755982988], velocity: [2, 0, 0]}
"""


class Compare(Case):
    def test_iterations_of_a_second_try_and_of_a_search_count(self):
        fingers = os.path.join(PROBLEMS, 'failures', 'two_fingers.yaml')
        self.run_command('compare', fingers, '--over', 'solve.second_try=true', '-o', 'all')
        row, = self.read_rows('all', 'compare.csv')
        summary = self.read_json('all', '01', 'summary.json')
        self.assertEqual(int(row['iterations']), summary['iterations'])
        self.assertGreater(summary['iterations'], sum(stage['iterations'] for stage in summary['stages']))

    def test_every_combination_is_a_plan_of_its_own(self):
        done = self.run_command('compare', PENDULUM, '--over', 'solve.method=ilqr,multiple_shooting', '--over',
                                'time.steps=150,200', '-o', 'all')
        self.assertEqual(set(os.listdir(self.path('all'))),
                         {'01', '02', '03', '04', 'compare.csv', 'compare.json', 'compare.html'})
        rows = self.read_rows('all', 'compare.csv')
        self.assertEqual([row['variant'] for row in rows],
                         [f'method={m}, steps={n}' for m in ('ilqr', 'multiple_shooting') for n in (150, 200)])
        for row in rows:
            self.assertIn(row['variant'], done.stdout)
            self.assertEqual(set(os.listdir(self.path('all', row['folder']))), PLAN_FILES)
            summary = self.read_json('all', row['folder'], 'summary.json')
            self.assertEqual(float(row['cost']), summary['cost'])
            self.assertEqual(int(row['iterations']), summary['iterations'])
            self.assertEqual(float(row['fine_cost']), summary['fine']['cost'])
            worst = max(goal['error'] / goal['tolerance'] for goal in summary['goals'])
            self.assertAlmostEqual(float(row['worst_goal']), worst, places=12)

        # a variant is the plan of --set
        self.run_command('plan', PENDULUM, '--set', 'solve.method=ilqr', '--set', 'time.steps=150', '-o', 'one', '--quiet')
        with open(self.path('one', 'trajectory.csv'), encoding='utf-8') as one:
            with open(self.path('all', '01', 'trajectory.csv'), encoding='utf-8') as other:
                self.assertEqual(one.read(), other.read())

    def test_json_and_page_hold_the_same_curves(self):
        done = self.run_command('compare', PENDULUM, '--over', 'solve.tolerance=1e-3,1e-6', '-o', 'all', '--json')
        data = json.loads(done.stdout)
        self.assertEqual(data, self.read_json('all', 'compare.json'))
        with open(self.path('all', 'compare.html'), encoding='utf-8') as file:
            page = file.read()
        embedded = re.search(r'<script type="application/json" id="data">\n(.*?)</script>', page, re.S).group(1)
        self.assertEqual(json.loads(embedded), data)
        self.assertNotRegex(page, r'(?:src|href)="https?:')
        for variant in data['variants']:
            rows = self.read_rows('all', variant['folder'], 'trajectory.csv')
            self.assertEqual(variant['series']['theta'], [float(row['theta']) for row in rows])
            self.assertEqual(variant['t'], [float(row['t']) for row in rows])
            self.assertEqual(variant['series']['u.theta'][:-1], [float(row['u.theta']) for row in rows[:-1]])
            self.assertEqual(len(variant['costs']), len(self.read_rows('all', variant['folder'], 'iterations.csv')))

    # the table named the lost solver "iteration limit"
    def test_a_variant_whose_solver_is_lost_says_so(self):
        done = self.run_command('compare', PENDULUM, '--over', 'solve.method=ipopt', '--set', 'solve.search=off', '-o', 'all', code=1,
                                env={**os.environ, 'TRACTRIX_IPOPT': '/bin/true'})
        self.assertRegex(done.stdout, r'(?m)^method=ipopt solver lost ')

    def test_a_variant_that_fails_is_a_row_with_its_reason(self):
        done = self.run_command('compare', PENDULUM, '--over', 'solve.method=ilqr,simplex', '-o', 'all', code=1)
        self.assertRegex(done.stdout, r'(?m)^method=simplex failed$')
        self.assertEqual((done.stdout.count('"simplex"'), done.stderr.count('"simplex"')), (0, 1))
        good, bad = self.read_rows('all', 'compare.csv')
        self.assertEqual(good['status'], 'converged')
        self.assertEqual((bad['status'], bad['cost'], bad['folder']), ('failed', '', ''))
        self.assertIn('"simplex"', bad['message'])

        # the same without rows on the terminal
        done = self.run_command('compare', PENDULUM, '--over', 'solve.method=ilqr,simplex', '-o', 'all', '--quiet', code=1)
        self.assertEqual((done.stdout, done.stderr.count('"simplex"')), ('', 1))
        self.run_command('compare', PENDULUM, '--over', 'solve.method=simplex', '-o', 'none', code=2)

    def test_models_are_simulations_of_the_same_controls(self):
        slide = self.write('slide.yaml', SLIDE)
        done = self.run_command('compare', slide, '--models', 'all', '-o', 'all')
        rows = self.read_rows('all', 'compare.csv')
        models = [row['variant'].removeprefix('model=') for row in rows]
        self.assertLessEqual({'convex', 'lcp', 'ccp', 'ncp', 'dojo', 'raisim', 'first_order'}, set(models))
        self.assertIn('e_p [N]', done.stdout)
        numbers = {model: row for model, row in zip(models, rows)}
        for model, row in numbers.items():
            self.assertEqual(row['cost'], '')
            self.assertGreater(float(row['step_iterations']), 0, model)
            self.run_command('sim', slide, '--set', f'contact.model={model}', '--statistics', '-o', model)
            steps = self.read_rows(model, 'steps.csv')
            self.assertEqual(float(row['e_d']), max(float(step['e_d']) for step in steps), model)
            self.assertEqual(float(row['e_p']), max(float(step['e_p']) for step in steps), model)
        # rigid contact rests on the ground, the soft one sinks in; cone complementarity lifts what slides, Coulomb's law does not
        self.assertEqual(float(numbers['convex']['distance']), 0)
        self.assertGreater(float(numbers['convex']['penetration']), 1e-6)
        self.assertLess(float(numbers['ncp']['penetration']), 1e-8)
        self.assertLess(float(numbers['ncp']['e_c']), 1e-6)
        self.assertGreater(float(numbers['ccp']['e_c']), 100 * float(numbers['ncp']['e_c']))
        # derivatives agree with differences
        for model in ('convex', 'lcp', 'ncp', 'dojo'):
            self.assertLess(float(numbers[model]['a_error']), 1e-5, model)

    def test_models_are_checked(self):
        slide = self.write('slide.yaml', SLIDE)
        done = self.run_command('compare', slide, '--models', 'convex,glue', '-o', 'all', code=1)
        self.assertIn('"glue"', done.stderr)
        good, bad = self.read_rows('all', 'compare.csv')
        self.assertEqual((good['status'], bad['status']), ('converged', 'failed'))
        self.run_command('compare', slide, '--over', 'time.step=0.01,0.005', '--hold', '-o', 'held', code=2)
        self.run_command('sim', slide, '--models', 'all', code=2)

    def test_values_may_hold_commas_in_brackets(self):
        self.run_command('compare', PENDULUM, '--over', 'solve.continuation=[physical],[{friction: 0, iterations: 3}, physical]',
                         '-o', 'all')
        self.assertEqual(len(self.read_rows('all', 'compare.csv')), 2)

    def test_the_folder_of_something_else_stays(self):
        os.mkdir(self.path('mine'))
        self.write('mine/notes.txt', 'mine')
        done = self.run_command('compare', PENDULUM, '--over', 'time.steps=10', '-o', 'mine', code=2)
        self.assertIn('is not a comparison', done.stderr)
        self.assertEqual(os.listdir(self.path('mine')), ['notes.txt'])
        self.run_command('compare', PENDULUM, '--over', 'time.steps=10,12', '-o', 'all', code=1)
        self.run_command('compare', PENDULUM, '--over', 'time.steps=10,12', '-o', 'all', code=1)

    def test_wrong_usage(self):
        self.assertIn('--over', self.run_command('compare', PENDULUM, code=2).stderr)
        self.assertIn('KEY=V1,V2', self.run_command('compare', PENDULUM, '--over', 'steps', code=2).stderr)
        self.assertIn('does not take', self.run_command('plan', PENDULUM, '--over', 'a=b', code=2).stderr)
        self.assertIn('64', self.run_command('compare', PENDULUM, '--over', 'a=1,2,3,4,5,6,7,8,9', '--over',
                                             'b=1,2,3,4,5,6,7,8,9', code=2).stderr)
        self.assert_nothing_written()


main()
