# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Problem files, their changes and their mistakes, and simulations into run folders."""

import os

import numpy as np
import tractrix

from case import FORCE, PROBLEMS, PUSH, Case, main


class Problem(Case):
    def test_a_file_and_its_values(self):
        problem = tractrix.load(PUSH)
        self.assertEqual((problem.title, problem.path), ('Push a box 15 cm across a table', PUSH))
        self.assertEqual((problem.steps, problem.time_step), (50, 0.02))
        self.assert_same(problem.start[[2, 7, 9]], [0.05, -0.1, 0.05])
        self.assertEqual((problem.notes, problem.warnings()), ([], []))
        again = tractrix.load_text(problem.text, PUSH)
        self.assert_same(again.start, problem.start)
        self.assertRegex(tractrix.__version__, r'^\d+\.\d+\.\d+$')
        self.assertTrue(tractrix.use_one_blas_thread())

    def test_values_may_be_replaced(self):
        problem = tractrix.load(PUSH, {'time.steps': 20, 'time.step': 1e-3, 'start.box.xyz': np.array([0, 0.5, 0.05]),
                                       'title': 'Other', 'contact.stiction_tolerance': 1e-5})
        self.assertEqual((problem.steps, problem.time_step, problem.start[1], problem.title), (20, 0.001, 0.5, 'Other'))
        self.assertEqual(problem.sim().parameters['contact.stiction_tolerance'], 1e-5)
        self.assert_fails('input', 'unknown key "tim": did you mean "time"', tractrix.load, PUSH, {'tim.steps': 20})

    def test_robots_come_with_notes(self):
        robot = self.path('arm.urdf')
        with open(robot, 'w', encoding='utf-8') as file:
            file.write('''<robot name="arm"><link name="base"/><link name="tip"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><sphere radius="0.1"/></geometry></visual></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/></joint></robot>''')
        including = 'tractrix: 1\nmodel:\n  include: [{file: arm.urdf, name: arm}]\ntime: {step: 0.01, steps: 5}\n'
        problem = tractrix.load_text(including, self.path('problem.yaml'))
        self.assertEqual(problem.model.joint_names[-1], 'arm/turn')
        self.assertTrue(problem.notes)
        self.assertTrue(all('arm.urdf:' in note for note in problem.notes))
        os.mkdir(self.path('meshes'))
        with open(self.path('meshes', 'tip.obj'), 'w', encoding='utf-8') as file:
            file.write('v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n')
        with open(robot, encoding='utf-8') as file:
            text = file.read().replace('visual>', 'collision>').replace('sphere radius="0.1"', 'mesh filename="package://mine/tip.obj"')
        with open(robot, 'w', encoding='utf-8') as file:
            file.write(text)
        found = tractrix.load_text(including, self.path('problem.yaml'), packages={'mine': self.path('meshes')}).notes
        guessed = tractrix.load_text(including, self.path('problem.yaml')).notes
        self.assertNotIn('found by the end of the path', '\n'.join(found))
        self.assertIn('found by the end of the path', '\n'.join(guessed))

    def test_mistakes_have_places(self):
        self.assert_fails('io', 'No such file', tractrix.load, self.path('nothing.yaml'))
        error = self.assert_fails('input', 'my.yaml:2:9: unknown key "bodys"', tractrix.load_text,
                                  'tractrix: 1\nmodel: {bodys: []}\ntime: {step: -1}\n', 'my.yaml')
        self.assertEqual(len(error.findings), 4)
        self.assertIn('my.yaml:3:14: step is -1: write a number above 0', error.findings)
        self.assertEqual(sorted(str(error).split('\n')), sorted(error.findings))

    def test_warnings_name_what_may_not_be_intended(self):
        found = tractrix.load(PUSH, {'start.box.xyz': [0, 0, 0.03]}).warnings()
        self.assertRegex('\n'.join(found), 'push_box.yaml:.*overlap|penetrat')


class Simulation(Case):
    def test_a_simulation_is_the_simulation_of_the_command(self):
        self.run_command('sim', PUSH, '-o', 'run', '--quiet')
        summary = tractrix.load(PUSH).simulate(self.path('mine'))
        self.assertEqual(summary['time']['steps'], 50)
        for name in ('trajectory.csv', 'contacts.csv'):
            with open(self.path('mine', name), 'rb') as mine, open(self.path('run', name), 'rb') as other:
                self.assertEqual(mine.read(), other.read())

    def test_controls_policies_starts_and_an_end(self):
        problem = tractrix.load(PUSH, {'time.steps': 10})
        u = np.tile(FORCE, (10, 1))
        start = problem.start
        start[1] = 0.25
        problem.simulate(self.path('u'), u=u, start=start)
        policy = tractrix.Policy(problem, np.tile(start, (11, 1)), u)
        problem.simulate(self.path('policy'), policy=policy, start=start)
        tables = []
        for name in ('u', 'policy'):
            tables.append(np.genfromtxt(self.path(name, 'trajectory.csv'), delimiter=',', names=True))
        self.assert_same(tables[0]['px'], tables[1]['px'])
        self.assert_same(tables[0]['boxy'][0], 0.25)
        np.testing.assert_allclose(tables[0]['px'][-1], problem.sim().rollout(start, u)[-1, 7], atol=1e-12)
        summary = problem.simulate(self.path('short'), watch=lambda step: step < 4)
        self.assertEqual(summary['status'], 'interrupted')
        with self.assertRaises(ZeroDivisionError):
            problem.simulate(self.path('short'), watch=lambda step: 1 / 0)
        with self.assertRaisesRegex(ValueError, 'u has the shape'):
            problem.simulate(self.path('short'), u=FORCE)
        self.assert_fails('not_finite', 'finite', problem.simulate, self.path('bad'), u=u * np.nan)

    def test_shipped_problems_load(self):
        for name in sorted(os.listdir(PROBLEMS)):
            if name.endswith('.yaml'):
                self.assertGreater(tractrix.load(os.path.join(PROBLEMS, name)).model.nv, 0)


if __name__ == '__main__':
    main()
