# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""A closed loop in a world of other friction and time step."""

import numpy as np
import tractrix

from case import PUSH, Case, main


class Mpc(Case):
    def test_a_loop_follows_a_goal_that_moves(self):
        problem = tractrix.load(PUSH)
        mpc = problem.mpc(horizon=50, least_horizon=50)
        world, x, step = problem.sim(time_step=0.005), problem.start, problem.time_step
        world.parameters['pair(ground, box).friction'] *= 0.8
        for k in range(60):
            if k == 15:
                mpc.set_target('box.position', [0.2, 0, 0.05])
            u = mpc.tick(k * step, x)
            for part in range(4):
                t = k * step + part * 0.005
                x = world.step(x, u if part == 0 else mpc.control(t, x), t)
        self.assertLess(np.hypot(x[0] - 0.2, x[1]), 0.01)
        self.assertEqual((mpc.info.ticks, mpc.info.failures), (60, 0))
        self.assertGreater(mpc.info.slowest, 0)

    def test_the_policy_is_a_copy_that_later_ticks_do_not_change(self):
        problem = tractrix.load(PUSH)
        mpc = problem.mpc()
        x = problem.start
        u = mpc.tick(0.0, x)
        policy = mpc.policy
        self.assert_same(policy(0.0, x), u)
        self.assertIn(mpc.update(0.02, x), ('ok', 'iteration_limit', 'stalled'))
        self.assert_same(policy(0.0, x), u)
        self.assertNotEqual(mpc.policy.start_time, policy.start_time)

    def test_a_given_first_plan_takes_the_place_of_a_solve(self):
        problem = tractrix.load(PUSH)
        plan = problem.plan()
        plan.solve()
        policy = tractrix.Policy(problem, plan.x, plan.u, plan.K)
        mpc = problem.mpc(policy, horizon=50, least_horizon=50)
        self.assert_same(mpc.policy.u, plan.u)
        self.assertGreater(np.abs(problem.mpc(first_plan=False, horizon=50, least_horizon=50).policy.u - plan.u).max(), 0.1)

    def test_late_states_and_a_new_beginning(self):
        problem = tractrix.load(PUSH)
        mpc = problem.mpc(first_plan=False, max_age=0.1)
        mpc.tick(1.0, problem.start)
        mpc.update(1.1, problem.start, measured_at=1.05)
        self.assertEqual(mpc.control(1.11, problem.start, measured_at=1.06).shape, (3,))
        self.assert_fails('argument', 'a state measured at 1 s is of no use', mpc.update, 1.2, problem.start, measured_at=1.0)
        self.assert_fails('argument', 'the time runs back', mpc.tick, 0.5, problem.start)
        mpc.restart()
        mpc.tick(0.5, problem.start)

    def test_mistakes(self):
        problem = tractrix.load(PUSH)
        mpc = problem.mpc(first_plan=False)
        self.assert_fails('not_finite', 'finite', mpc.update, 0.0, problem.start * np.nan)
        self.assert_fails('not_finite', 'finite', mpc.control, np.nan, problem.start)
        self.assert_fails('argument', 'one iteration', problem.mpc, iterations=-1)
        with self.assertRaisesRegex(ValueError, 'x has the shape'):
            mpc.update(0.0, [1.0])
        with self.assertRaisesRegex(KeyError, "no term 'ball.position'"):
            mpc.set_target('ball.position', [0, 0, 0])


if __name__ == '__main__':
    main()
