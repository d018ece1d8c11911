# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Policies of plans, of run folders and of arrays."""

import csv

import numpy as np
import tractrix

from case import PUSH, Case, main


class Policy(Case):
    @classmethod
    def setUpClass(cls):
        cls.problem = tractrix.load(PUSH)
        cls.plan = cls.problem.plan()
        cls.plan.solve()

    def test_the_policy_of_a_folder_is_the_policy_of_its_plan(self):
        self.plan.write(self.path('run'))
        made, read = self.plan.policy(), self.problem.policy(self.path('run'))
        for name in ('x', 'u', 'K', 'steps', 'time_step', 'start_time'):
            self.assert_same(getattr(made, name), getattr(read, name))
        with np.load(self.path('run', 'policy.npz')) as written:
            for name in ('x', 'u', 'K'):
                self.assert_same(getattr(read, name), written[name])
        x = self.plan.x[7]
        self.assert_same(made(0.147, x), read(0.147, x))

    def test_a_policy_is_its_formula(self):
        policy, model = self.plan.policy(), self.problem.model
        x, u, K = policy.x, policy.u, policy.K
        near = model.integrate(x[10], np.linspace(-1e-3, 1e-3, 18))
        np.testing.assert_allclose(policy(10.5 * 0.02, near),
                                   np.clip(u[10] + K[10] @ model.difference(near, policy.reference(10.5 * 0.02)), -20, 20))
        self.assertGreater(np.abs(policy(0.2, near) - u[10]).max(), 1e-4)
        np.testing.assert_allclose(policy.reference(0.2), x[10], atol=1e-12)
        np.testing.assert_allclose(policy.reference(9.0), x[-1], atol=1e-12)

    def test_a_loop_in_python_is_the_simulation_of_the_command(self):
        self.plan.write(self.path('run'))
        fine = ('--set', 'time={step: 0.005, steps: 200}')
        self.run_command('sim', PUSH, '--policy', 'run', '-o', 'sim', '--quiet', *fine)
        with open(self.path('sim', 'trajectory.csv'), encoding='utf-8') as file:
            rows = list(csv.DictReader(file))
        policy = self.problem.policy(self.path('run'))
        sim, x = self.problem.sim(time_step=0.005), self.problem.start
        names = self.problem.model.state_names
        for k, row in enumerate(rows):
            np.testing.assert_allclose(x, [float(row[name]) for name in names], rtol=0, atol=1e-11)
            if k < len(rows) - 1:
                x = sim.step(x, policy(k * 0.005, x), k * 0.005)
        self.assertEqual(len(rows), 201)

    def test_settings_of_gains(self):
        slow, fast = self.plan.policy(delay=0.05), self.plan.policy(delay=0.0)
        self.assert_same(slow.u, fast.u)
        self.assertLess(np.abs(slow.K).max(), np.abs(fast.K).max())
        self.assert_fails('no_step', 'no result before a solve', self.problem.plan().policy)

    def test_policies_of_arrays(self):
        x, u, K = self.plan.x, self.plan.u, self.plan.K
        policy = tractrix.Policy(self.problem, x, u, K, start_time=1.0)
        self.assertEqual((policy.steps, policy.time_step, policy.start_time), (50, 0.02, 1.0))
        for name, given in (('x', x), ('u', u), ('K', K)):
            self.assert_same(getattr(policy, name), given)
        self.assert_same(policy(1.0, x[0]), u[0])
        open_loop = tractrix.Policy(self.problem, x, u, time_step=0.04)
        self.assertIsNone(open_loop.K)
        self.assert_same(open_loop(0.05, x[30]), u[1])
        with self.assertRaisesRegex(ValueError, r'K has the shape \(50, 3, 9\), not \(50, 3, 18\)'):
            tractrix.Policy(self.problem, x, u, K[:, :, :9])
        self.assert_fails('not_finite', 'a number of the policy', tractrix.Policy, self.problem, x * np.nan, u)

    def test_mistakes(self):
        policy = self.plan.policy()
        self.assert_fails('not_finite', 'finite', policy, np.nan, self.plan.x[0])
        with self.assertRaisesRegex(ValueError, 'x has the shape'):
            policy(0.0, [0.0])
        self.assert_fails('io', 'nowhere', self.problem.policy, self.path('nowhere'))


if __name__ == '__main__':
    main()
