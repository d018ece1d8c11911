# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""check: the report for people, and the one for programs."""

import json
import os

from command import PENDULUM, PUSH, Case, main

ROBOTS = os.path.join(os.path.dirname(os.path.dirname(PUSH)), 'tests', 'problem', 'robots')


class Check(Case):
    def test_json_has_the_keys_of_the_contract(self):
        report = json.loads(self.run_once('check', PUSH, '--json').stdout)
        self.assertIs(report['ok'], True)
        self.assertEqual([report['model'][key] for key in ('nq', 'nv', 'nu')], [10, 9, 3])
        self.assertEqual(report['model']['bodies'], ['box', 'pusher', 'ground'])
        self.assertAlmostEqual(report['model']['mass'], 0.8)
        self.assertEqual(report['warnings'], [])
        gradients = report['gradients']
        self.assertGreater(gradients['states'], 10)
        for name in 'ABC':
            self.assertGreater(gradients[name]['max_rel_error'], 0)
            self.assertLess(gradients[name]['max_rel_error'], 1e-5)
            self.assertIn(' d ', gradients[name]['at'])
        self.assertGreater(gradients['parameters'], gradients['parameters_not_judged'])
        terms = gradients['terms']
        self.assertEqual(list(terms), ['mass', 'bias', 'geometry', 'friction', 'limit', 'integration'])
        self.assertTrue(all(0 <= term['max_rel_error'] < 1e-5 for term in terms.values()))
        self.assertTrue(all(terms[name]['columns'] > 0 for name in ('mass', 'bias', 'geometry', 'friction', 'integration')))

    def test_a_run_is_judged_at_its_own_knots(self):
        # the ball moves only in the run: its contact with the box is open in a simulation without controls
        self.write('push.csv', 't,u.px,u.py,u.pz\n0,5,0,0\n')
        self.run_command('sim', PUSH, '--controls', 'push.csv', '-o', 'run', '--quiet')
        contacts = {row['pair'] for row in self.read_rows('run', 'contacts.csv') if float(row['f_n']) > 0}
        self.assertIn('box#1|pusher#1', contacts)
        columns = [json.loads(self.run_command('check', PUSH, '--json', *more).stdout)['gradients']['terms']['friction']['columns']
                   for more in ((), ('--run', 'run'))]
        self.assertNotEqual(columns[0], columns[1])
        self.assertIn('no column "theta"', self.run_command('check', PENDULUM, '--run', 'run', code=3).stderr)
        self.assertIn('nowhere', self.run_command('check', PENDULUM, '--run', 'nowhere', code=4).stderr)
        self.assert_nothing_written('push.csv', 'run')

    def test_a_start_that_settles_says_how(self):
        more = ('--set', 'start.box={xyz: [0, 0, 0.051]}', '--set', 'start.settle=0.3')
        self.assertIn('start: settled for 0.3 s in 15 steps', self.run_command('check', PUSH, *more).stdout)
        settled = json.loads(self.run_command('check', PUSH, '--json', *more).stdout)['settled']
        self.assertEqual(settled['steps'], 15)
        self.assertTrue(0 < settled['speed'] < 0.01)

    def test_strict_makes_changes_of_a_robot_errors(self):
        link = '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="{}"/></inertial></link></robot>'
        self.write('good.urdf', link.format(2))
        self.write('bad.urdf', link.format(3))
        for name, code in (('good', 0), ('bad', 3)):
            self.write(f'{name}.yaml', f'tractrix: 1\nmodel: {{include: [{{name: r, file: {name}.urdf, base: free}}]}}\n'
                                       'time: {step: 0.01, steps: 2}\n')
            self.run_command('check', f'{name}.yaml')
            done = self.run_command('check', f'{name}.yaml', '--strict', code=code)
            self.assertEqual("error: bad.urdf:1:59: repaired: inertia of 'r/a'" in done.stderr, code == 3)

    def test_notes_of_one_kind_are_one_line_unless_all_are_wanted(self):
        sites = ''.join(f'<body name="{n}"><joint/><geom size=".1"/><site name="{n}"/></body>' for n in 'abc')
        self.write('r.xml', f'<mujoco><worldbody>\n{sites}</worldbody></mujoco>')
        self.write('r.yaml', 'tractrix: 1\nmodel: {include: [{name: r, file: r.xml}]}\ntime: {step: 0.01, steps: 2}\n'
                             'contact: {pairs: {exclude: [[r, r]]}}\n')
        text = self.run_command('check', 'r.yaml').stdout
        self.assertIn('the name "a" is taken: this frame is called r/a_frame (and 2 more of this kind)\n', text)
        self.assertNotIn('r/b_frame', text)
        self.assertIn('--notes lists every note\n', text)
        # a joint without a name has that of its body, with the prefix once
        self.assertIn('r/a  4.189 kg  hinge r/a  (sphere)', text)
        text = self.run_command('check', 'r.yaml', '--notes').stdout
        for name in 'abc':
            self.assertIn(f'the name "{name}" is taken: this frame is called r/{name}_frame\n', text)
        self.assertIn('friction of 3 geoms', text)
        self.assertEqual(text.count('    also r.xml:2:'), 2)
        self.assertNotIn('--notes lists', text)

    def test_the_report_shows_tree_pairs_and_warnings(self):
        done = self.run_command('check', PUSH, '--set', 'start.box.xyz=[0, 0, 0.04]')
        for text in ('free box', 'slide px', 'box#1|pusher#1', 'px [-20, 20]', 'gradients agree'):
            self.assertIn(text, done.stdout)
        self.assertIn('warning:', done.stderr)
        self.assert_nothing_written()

    def test_drives_constraints_and_what_robots_brought_are_listed(self):
        path = os.path.join(ROBOTS, 'everything.yaml')
        text = self.run_command('check', path).stdout
        for line in ('drive hold: kp 100, kd 5, effort [-30, 30]', 'drive crane/drive: kp 200', 'constraints: 3',
                     '  arm/follow  coupler of arm/follow and arm/grip', '  tie  distance of ball and crane/hook', 'replaced:',
                     'gravity of the file of "crane" is [0, 0, -1.62]', 'assumed:'):
            self.assertIn(line, text)
        self.assertEqual(text.count('assumed:\n'), 1)
        report = json.loads(self.run_command('check', path, '--json').stdout)
        self.assertEqual(report['model']['constraints'], 3)
        kinds = {note['kind'] for note in report['notes']}
        self.assertIn('assumed', kinds)
        self.assertIn('replaced', kinds)
        self.assertTrue(any(note['at'].split(':')[0].endswith('arm.urdf') for note in report['notes']))
        self.assertEqual(json.loads(self.run_once('check', PUSH, '--json').stdout)['notes'], [])

    def test_motors_with_an_activation_show_their_effort_and_muscles_their_force(self):
        self.write('arm.xml', '<mujoco><worldbody><body name="a"><joint name="j" axis="0 1 0"/><geom size="0.1"/></body></worldbody>'
                   '<actuator><general name="slow" joint="j" dyntype="filterexact" dynprm="0.1" forcerange="-3 4"/>'
                   '<motor name="plain" joint="j" forcerange="-5 5"/>'
                   '<muscle name="m" joint="j" force="30" lengthrange="0 0.6" ctrlrange="0 1"/></actuator></mujoco>')
        problem = self.write('p.yaml', 'tractrix: 1\nmodel: {include: [{name: r, file: arm.xml}]}\ntime: {step: 0.01, steps: 1}\n')
        text = self.run_command('check', problem).stdout
        self.assertIn('actuators: r/slow, effort [-3, 4], filter 0.1 s, r/plain [-5, 5]\n', text)
        self.assertIn('muscle r/m: force 30, optimal length 2, limits [0, 1], muscle 0.01 and 0.04 s\n', text)

    def test_every_term_is_judged_and_named(self):
        terms = json.loads(self.run_command('check', os.path.join(ROBOTS, 'everything.yaml'), '--json').stdout)['gradients']['terms']
        self.assertEqual(list(terms), ['mass', 'bias', 'geometry', 'friction', 'limit', 'integration'])
        for name in ('mass', 'bias', 'limit', 'integration'):
            self.assertGreater(terms[name]['max_rel_error'], 0)
            self.assertLess(terms[name]['max_rel_error'], 1e-5)
            self.assertRegex(terms[name]['at'], r'^knot \d+, .*d .* / d ')
            self.assertGreater(terms[name]['columns'], 10 * terms[name]['not_judged'])
        self.assertRegex(terms['mass']['at'], r'd force\((arm|crane|ball)')
        gradients = json.loads(self.run_once('check', PUSH, '--json').stdout)['gradients']
        for name in ('geometry', 'friction'):
            self.assertRegex(gradients['terms'][name]['at'], r'\w+#1\|\w+#1 point \d, d ')
        self.assertGreater(gradients['term_states'], 5)
        text = self.run_command('check', PUSH).stdout
        self.assertIn('  geometry: largest relative error', text)
        self.assertNotIn('  limit:', text)  # nothing of it in this scene

    def test_derivatives_are_judged_along_a_run(self):
        self.run_command('sim', PUSH, '-o', 'run', '--hold', '--set', 'time.steps=120', '--every', '2')
        self.write('push.csv', 't,u.px,u.py,u.pz\n0,3,0,0\n')
        self.run_command('sim', PUSH, '-o', 'pushed', '--controls', 'push.csv')
        free = json.loads(self.run_once('check', PUSH, '--json').stdout)['gradients']
        for run, every in (('run', 4), ('pushed', 1)):
            gradients = json.loads(self.run_command('check', PUSH, '--run', run, '--json').stdout)['gradients']
            self.assertLessEqual(gradients['states'] + gradients['kinks'], 50)
            self.assertGreaterEqual(gradients['states'], 20)
            for name in 'ABC':
                self.assertLess(gradients[name]['max_rel_error'], 1e-5)
            self.assertNotEqual(gradients['A'], free['A'])
            self.assertEqual(int(gradients['A']['at'].split(',')[0].split()[1]) % every, 0)
        self.assertIn('gradients agree', self.run_command('check', PUSH, '--run=pushed').stdout)

    def test_what_is_no_run_of_the_problem_is_said(self):
        self.assertIn('trajectory.csv', self.run_command('check', PUSH, '--run', 'none', code=4).stderr)
        os.mkdir(self.path('bad'))
        self.write('bad/trajectory.csv', 't,theta\n0,0\n')
        self.assertIn('bad/trajectory.csv:1:1: error: no column "box.x"', self.run_command('check', PUSH, '--run', 'bad', code=3).stderr)
        self.run_command('sim', PUSH, '-o', 'run', '--set', 'time.steps=3')
        with open(self.path('run', 'trajectory.csv'), encoding='utf-8') as file:
            lines = file.read().splitlines()
        lines[2] = ',' + lines[2].split(',', 1)[1]
        self.write('run/trajectory.csv', '\n'.join(lines) + '\n')
        self.assertIn('trajectory.csv:3:', self.run_command('check', PUSH, '--run', 'run', code=3).stderr)
        self.write('run/trajectory.csv', lines[0] + '\n')
        self.assertIn('no rows', self.run_command('check', PUSH, '--run', 'run', code=3).stderr)
        self.assertIn('--run', self.run_command('sim', PUSH, '--run', 'run', code=2).stderr)

    def test_packages_of_robots_are_named(self):
        self.write('part.urdf', '<robot name="p"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
                   'ixz="0" iyz="0"/></inertial><visual><geometry><mesh filename="package://parts/wedge.obj"/></geometry>'
                   '</visual><collision><geometry><mesh filename="package://parts/wedge.obj"/></geometry></collision></link>'
                   '</robot>')
        self.write('part.yaml', 'tractrix: 1\nmodel: {include: [{name: p, file: part.urdf, base: free}]}\ntime: {step: 0.01, steps: 3}\n')
        self.run_command('check', 'part.yaml', '--package', 'parts=' + ROBOTS)
        self.assertIn('parts', self.run_command('check', 'part.yaml', code=3).stderr)
        self.assertIn('--package takes NAME=DIR', self.run_command('check', 'part.yaml', '--package', 'parts', code=2).stderr)
        self.run_command('check', PUSH, '--set', 'model.include=[{name: a, file: none.urdf}]', code=4)

    def test_what_plan_cannot_serve_is_noted(self):
        done = self.run_command('check', PUSH, '--set', 'solve.continuation=[{force_law: ipc}]')
        self.assertIn('note: plan cannot serve this file: not in this version: solve.continuation', done.stderr)

    def test_a_model_too_large_for_differences_is_checked_without_them(self):
        balls = ''.join(f'    - {{name: b{i}, joint: free, geometry: [{{shape: sphere, radius: 0.1, mass: 1}}]}}\n' for i in range(700))
        start = ''.join(f'  b{i}: {{xyz: [{0.3 * i:.1f}, 0, 0]}}\n' for i in range(700))
        path = self.write('balls.yaml', f'tractrix: 1\nmodel:\n  bodies:\n{balls}time: {{step: 0.001, steps: 1}}\nstart:\n{start}')
        self.assertIn('derivatives are not judged', self.run_command('check', path).stderr)
        report = json.loads(self.run_command('check', path, '--json').stdout)
        self.assertIs(report['ok'], True)
        self.assertEqual(report['gradients']['states'], 0)
        self.assertEqual(report['model']['pairs'], 700 * 699 // 2)


if __name__ == '__main__':
    main()
