# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Sizes, names, arithmetic of states, mechanics and parameters."""

import numpy as np
import tractrix

from case import FORCE, PENDULUM, PUSH, TOUCHING, Case, differences, main


class OfPush(Case):
    def setUp(self):
        super().setUp()
        self.problem = tractrix.load(PUSH)
        self.model = self.problem.model

    def test_sizes_and_names(self):
        model = self.model
        self.assertEqual((model.nq, model.nv, model.na, model.nu, model.nstate, model.ntangent), (10, 9, 0, 3, 19, 18))
        self.assertEqual(model.state_names[:8], ['box.x', 'box.y', 'box.z', 'box.qw', 'box.qx', 'box.qy', 'box.qz', 'px'])
        self.assertEqual(len(model.state_names), model.nstate)
        self.assertEqual(model.control_names, ['px', 'py', 'pz'])
        self.assertEqual(model.body_names, ['box', 'pusher', 'ground'])
        self.assertEqual(model.joint_names[1:], ['px', 'py', 'pz'])
        self.assertEqual(model.geometry_names, ['box#1', 'pusher#1', 'ground#1'])
        self.assertEqual(model.frame_names, [])

    def test_difference_is_the_inverse_of_integrate(self):
        dx = np.linspace(-0.3, 0.4, 18)
        moved = self.model.integrate(TOUCHING, dx)
        np.testing.assert_allclose(self.model.difference(moved, TOUCHING), dx, atol=1e-14)
        self.assertAlmostEqual(np.linalg.norm(moved[3:7]), 1, places=14)
        with self.assertRaisesRegex(ValueError, r'dx has the shape \(19,\)'):
            self.model.integrate(TOUCHING, TOUCHING)
        with self.assertRaisesRegex(ValueError, r'y has the shape \(18,\)'):
            self.model.difference(TOUCHING, dx)

    def test_mass_matrix_bias_and_energy(self):
        M, bias = self.model.dynamics(TOUCHING)
        np.testing.assert_allclose(np.diag(M), [0.5] * 3 + [0.5 * 0.01 / 6] * 3 + [0.3] * 3, atol=1e-12)
        self.assertAlmostEqual(bias[2], 0.5 * 9.81)
        kinetic, potential = self.model.energy(TOUCHING)
        v = TOUCHING[10:]
        self.assertAlmostEqual(kinetic, v @ M @ v / 2)
        self.assertAlmostEqual(potential, 0.5 * 9.81 * TOUCHING[2])

    def test_places_of_bodies(self):
        box = self.model.place('box', TOUCHING)
        self.assert_same(box.pose.p, TOUCHING[:3])
        np.testing.assert_allclose(box.velocity, box.J @ TOUCHING[10:])
        self.assertEqual(box.J.shape, (6, 9))
        self.assert_same(self.model.place('pusher', TOUCHING).pose.p, TOUCHING[7:10])
        with self.assertRaisesRegex(KeyError, "no body and no frame 'ball'"):
            self.model.place('ball', TOUCHING)
        self.assert_fails('not_finite', 'finite', self.model.place, 'box', TOUCHING * np.nan)


class OfFrames(Case):
    def test_frames_have_places(self):
        problem = tractrix.load_text('''
tractrix: 1
model:
  bodies:
    - name: arm
      joints: [{name: hinge, type: hinge, axis: [0, 0, 1]}]
      geometry: [{shape: sphere, radius: 0.1, mass: 1}]
      frames: [{name: tip, pose: {xyz: [0.5, 0, 0]}}]
time: {step: 0.01, steps: 1}
''')
        tip = problem.model.place('tip', [np.pi / 2, 2.0])
        np.testing.assert_allclose(tip.pose.p, [0, 0.5, 0], atol=1e-15)
        np.testing.assert_allclose(tip.velocity, [0, 0, 2, -1, 0, 0], atol=1e-15)
        self.assertEqual(problem.model.frame_names, ['tip'])


class Parameters(Case):
    def test_values_belong_to_one_simulator(self):
        problem = tractrix.load(PUSH)
        one, other = problem.sim(), problem.sim()
        one.parameters['box.mass'] = 0.7
        one.parameters['pair(ground, box).friction'] = 0.1
        self.assertEqual((one.parameters['box.mass'], other.parameters['box.mass']), (0.7, 0.5))
        self.assertEqual(one.parameters['pair(box, ground).friction'], 0.1)
        self.assertAlmostEqual(one.model.dynamics(TOUCHING)[0][0, 0], 0.7)
        self.assertFalse(np.array_equal(one.step(TOUCHING, FORCE), other.step(TOUCHING, FORCE)))

    def test_all_parameters_have_names_and_values(self):
        parameters = tractrix.load(PUSH).sim().parameters
        self.assertEqual(len(parameters), len(list(parameters)))
        self.assertEqual(dict(parameters)['gravity.z'], -9.81)
        self.assertIn('box.mass', parameters)
        self.assertNotIn('ball.mass', parameters)

    def test_wrong_names_and_values_are_refused(self):
        parameters = tractrix.load(PUSH).sim().parameters
        self.assert_fails('input', 'box.mass', parameters.__getitem__, 'box.mas')
        self.assert_fails('input', 'mass', parameters.__setitem__, 'box.mass', -1.0)
        self.assertEqual(parameters['box.mass'], 0.5)


class OfPendulum(Case):
    def test_the_jacobian_of_a_place_is_its_derivative(self):
        model = tractrix.load(PENDULUM).model
        x = np.linspace(0.3, 0.9, model.nstate)
        name = model.body_names[-1]

        def position(dq):
            return model.place(name, model.integrate(x, np.concatenate([dq, np.zeros(model.nv)]))).pose.p
        J = model.place(name, x).J[3:]
        np.testing.assert_allclose(J, differences(position, model.nv), atol=1e-9)


if __name__ == '__main__':
    main()
