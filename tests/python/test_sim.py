# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Steps, derivatives, contacts and rollouts."""

import concurrent.futures

import numpy as np
import tractrix

from case import FORCE, PUSH, TOUCHING, Case, differences, main


class Sim(Case):
    def setUp(self):
        super().setUp()
        self.problem = tractrix.load(PUSH)
        self.model = self.problem.model
        self.sim = self.problem.sim(tolerance=1e-12)

    def change(self, f, x0, u0):
        """Change of f's state by changes of x and of u, as functions for differences."""
        base = f(x0, u0)
        return (lambda dx: self.model.difference(f(self.model.integrate(x0, dx), u0), base),
                lambda du: self.model.difference(f(x0, u0 + du), base))

    def test_A_and_B_agree_with_central_differences(self):
        by_x, by_u = self.change(self.sim.step, TOUCHING, FORCE)
        numeric = differences(by_x, 18), differences(by_u, 3)
        self.sim.step(TOUCHING, FORCE)
        modes = {contact.mode for contact in self.sim.contacts}
        self.assertIn('slip', modes)
        for exact, other in zip(self.sim.derivatives(), numeric):
            self.assertTrue(exact.flags.f_contiguous)
            self.assertGreater(np.abs(exact).max(), 0.01)
            self.assertLess(np.abs(exact - other).max() / np.abs(exact).max(), 1e-6)
            self.assertFalse(np.array_equal(exact, other))

    def test_products_are_products_with_A_and_B(self):
        self.sim.step(TOUCHING, FORCE)
        A, B = self.sim.derivatives()
        dx, du, seed = np.linspace(-1, 1, 18), np.array([1.0, -2, 3]), np.linspace(2, -1, 18)
        np.testing.assert_allclose(self.sim.jvp(dx, du), A @ dx + B @ du, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(self.sim.jvp(dx), A @ dx, rtol=1e-9, atol=1e-11)
        for product, matrix in zip(self.sim.vjp(seed), (A, B)):
            np.testing.assert_allclose(product, seed @ matrix, rtol=1e-9, atol=1e-11)

    def test_derivatives_by_parameters_agree_with_central_differences(self):
        names = ['box.mass', 'pair(ground, box).friction', 'px.damping']

        def stepped(change):
            sim = self.problem.sim(tolerance=1e-12)
            for name, value in zip(names, change):
                sim.parameters[name] += value
            return self.model.difference(sim.step(TOUCHING, FORCE), base)
        base = self.sim.step(TOUCHING, FORCE)
        C = self.sim.derivatives_by(names)
        self.assertTrue((np.abs(C).max(axis=0) > 1e-4).all())
        np.testing.assert_allclose(C, differences(stepped, 3, 1e-5), atol=1e-6 * np.abs(C).max())
        self.assert_fails('input', 'box.mas', self.sim.derivatives_by, ['box.mas'])

    def test_contacts_carry_the_weight(self):
        x = self.problem.start
        for _ in range(200):
            x = self.sim.step(x)
        contacts = self.sim.contacts
        self.assertEqual({(contact.a, contact.b, contact.mode) for contact in contacts}, {('ground#1', 'box#1', 'stick')})
        self.assertAlmostEqual(sum(contact.force[2] for contact in contacts), 0.5 * 9.81, places=3)
        self.assertEqual(self.sim.info.contacts, len(contacts))
        self.assertGreater(self.sim.info.kink, -1)

    def test_rollout_has_the_bits_of_steps(self):
        u = np.random.default_rng(1).normal(size=(40, 3))
        states, A, B = self.sim.rollout(TOUCHING, u, derivatives=True)
        x = TOUCHING
        for k in range(40):
            self.assert_same(states[k], x)
            x = self.sim.step(x, u[k])
            for rolled, single in zip((A[k], B[k]), self.sim.derivatives()):
                self.assert_same(rolled, single)
        self.assert_same(states[40], x)

    def test_batches_on_two_threads_have_the_bits_of_one(self):
        u = np.random.default_rng(2).normal(size=(8, 30, 3))
        x = np.tile(TOUCHING, (8, 1))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            halves = list(pool.map(lambda part: self.problem.sim(tolerance=1e-12).rollout(x[part], u[part]),
                                   (slice(0, 4), slice(4, 8))))
        together = self.sim.rollout(x, u)
        self.assertEqual(together.shape, (8, 31, 19))
        self.assert_same(np.concatenate(halves), together)
        self.assert_same(together[3], self.sim.rollout(x[3], u[3]))

    def test_one_simulator_on_two_threads_takes_turns(self):
        expected = self.sim.step(TOUCHING, FORCE)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for found in pool.map(lambda _: self.sim.step(TOUCHING, FORCE), range(200)):
                self.assert_same(found, expected)

    def test_settings_and_time(self):
        fine = self.problem.sim(time_step=0.001, contact_model='lcp')
        self.assertEqual((self.sim.time_step, fine.time_step), (0.02, 0.001))
        self.assertFalse(np.array_equal(fine.step(TOUCHING), self.sim.step(TOUCHING)))
        self.assert_same(self.sim.step(TOUCHING, t=1.0), self.sim.step(TOUCHING))
        self.assert_fails('argument', 'time', self.sim.step, TOUCHING, t=np.inf)
        self.assert_fails('argument', 'time', self.problem.sim, time_step=-1.0)

    def test_a_time_that_acts_is_the_time_of_the_step(self):
        text = '''
tractrix: 1
model:
  bodies:
    - {name: ball, joint: free, gravity: false, geometry: [{shape: sphere, radius: 0.1, mass: 1}]}
  loads: [{body: ball, force: [1, 0, 0], start: 0.05}]
time: {step: 0.01, steps: 10}
'''
        problem = tractrix.load_text(text)
        sim = problem.sim()
        self.assertEqual(sim.step(problem.start, t=0.0)[7], 0)
        self.assertAlmostEqual(sim.step(problem.start, t=0.06)[7], 0.01)
        rolled = sim.rollout(problem.start, np.empty((10, 0)))
        self.assertAlmostEqual(rolled[-1, 7], 0.05)
        self.assertAlmostEqual(sim.rollout(problem.start, np.empty((1, 0)), t=0.06)[-1, 7], 0.01)

    def test_mistakes_are_exceptions(self):
        self.assert_fails('no_step', 'step', self.sim.derivatives)
        self.assert_fails('not_finite', 'state or control is not finite', self.sim.step, TOUCHING * np.nan)
        self.assert_fails('not_finite', r'row 1, step 2: state or control', self.sim.rollout, np.tile(TOUCHING, (2, 1)),
                          np.stack([np.zeros((3, 3)), [[0, 0, 0], [0, 0, 0], [0, 0, np.inf]]]))
        for call in (lambda: self.sim.step(TOUCHING[1:]), lambda: self.sim.step(TOUCHING, [1]),
                     lambda: self.sim.rollout(TOUCHING, FORCE), lambda: self.sim.rollout(TOUCHING, np.zeros((2, 3, 3))),
                     lambda: self.sim.jvp(TOUCHING), lambda: self.sim.vjp(TOUCHING)):
            with self.assertRaisesRegex(ValueError, 'has the shape'):
                call()


if __name__ == '__main__':
    main()
