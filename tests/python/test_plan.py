# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Plans: the result of the command, its parts, changes between solves, interruption."""

import csv
import json
import os
import signal
import threading
import time
import unittest

import numpy as np
import tractrix

from case import PENDULUM, PROBLEMS, PUSH, Case, differences, main


class Plan(Case):
    @classmethod
    def setUpClass(cls):
        cls.problem = tractrix.load(PUSH)
        cls.plan = cls.problem.plan()
        cls.lines = []
        cls.status = cls.plan.solve(cls.lines.append)

    def test_the_result_has_the_bits_of_the_command(self):
        self.run_command('plan', PUSH, '-o', 'run', '--quiet')
        with np.load(self.path('run', 'linearization.npz')) as written:
            for name in ('x', 'u', 'K', 'A', 'B'):
                self.assertEqual(getattr(self.plan, name).shape, written[name].shape)
                self.assert_same(getattr(self.plan, name), written[name])
            self.assert_same(self.plan.t, written['t'])

    def test_a_written_run_is_the_run_of_the_command(self):
        summary = self.plan.write(self.path('mine'))
        self.run_command('plan', PUSH, '-o', 'run', '--quiet')
        self.assertEqual(set(os.listdir(self.path('mine'))), set(os.listdir(self.path('run'))))
        self.assertEqual(summary['cost'], self.plan.cost)
        for name in ('trajectory.csv', 'contacts.csv', 'problem.yaml'):
            with open(self.path('mine', name), 'rb') as mine, open(self.path('run', name), 'rb') as other:
                self.assertEqual(mine.read(), other.read(), name)
        with np.load(self.path('mine', 'policy.npz')) as mine, np.load(self.path('run', 'policy.npz')) as other:
            self.assertTrue(mine.files)
            for name in mine.files:
                self.assert_same(mine[name], other[name])
        self.assert_fails('io', 'nowhere', self.plan.write, '/dev/null/nowhere')

    def test_quality_of_the_result(self):
        plan = self.plan
        self.assertEqual((self.status, plan.status, plan.message, plan.met), ('ok', 'ok', '', True))
        self.assertEqual([goal.name for goal in plan.goals], ['box.position', 'box.orientation'])
        goal = plan.goals[0]
        self.assertEqual(goal.met, goal.error <= goal.tolerance)
        self.assertAlmostEqual(np.linalg.norm(list(goal.components.values())), goal.error)
        self.assertEqual(list(goal.components), ['x', 'y', 'z'])
        self.assertAlmostEqual(abs(plan.x[-1, 0] - 0.15), abs(goal.components['x']))
        self.assertEqual(plan.limits, [])
        self.assertGreater(plan.info.fine.cost, 0)
        self.assertEqual(plan.info.fine.goals[0].met, True)
        self.assertEqual(sum(line.iteration > 0 for line in self.lines), plan.info.iterations)
        self.assertEqual(self.lines[-1].stage, plan.info.nstage - 1)

    def test_contacts_along_the_plan(self):
        self.assertTrue(any(contact.mode == 'stick' for contact in self.plan.contacts(40)))
        self.assert_fails('argument', 'knot 51 is not in 0 .. 50', self.plan.contacts, 51)

    def test_the_gradient_agrees_with_central_differences(self):
        cost, grad_u, grad_x = self.plan.gradient()
        self.assertAlmostEqual(cost, self.plan.cost)
        self.assertEqual((grad_u.shape, grad_x.shape), ((50, 3), (18,)))
        u = self.plan.u
        direction = np.zeros_like(u)
        direction[:10, 0] = 1
        u[:10] = 0.5  # away from the minimum, before the contact
        slope = differences(lambda h: np.array([self.plan.gradient(u + h[0] * direction)[0]]), 1, 1e-5)[0, 0]
        exact = (self.plan.gradient(u)[1] * direction).sum()
        self.assertGreater(abs(exact), 1e-3)
        self.assertAlmostEqual(exact / slope, 1, places=5)

    def test_the_gradient_by_parameters_agrees_with_central_differences(self):
        names, u = ['px.damping'], np.full((50, 3), -1.0)  # away from the box: contacts would need smaller differences
        with open(PUSH, encoding='utf-8') as file:
            text = file.read()

        def cost(change):
            changed = text.replace('damping: 2.0', f'damping: {2 + change[0]:.9f}', 1)
            return np.array([tractrix.load_text(changed).plan().gradient(u)[0]])
        exact = self.plan.gradient_by(names, u)[1]
        self.assertGreater(abs(exact[0]), 1e-6)
        np.testing.assert_allclose(exact, differences(cost, 1, 1e-5)[0], rtol=1e-4)


class Changes(Case):
    def test_start_guess_and_targets_change_the_next_solve(self):
        problem = tractrix.load(PUSH)
        plan = problem.plan()
        plan.solve()
        first = plan.x
        x = first[0].copy()
        x[7] -= 0.01
        plan.set_start(x, 0.5)
        plan.set_guess(plan.u, first)
        plan.set_target('box.position', [0.16, 0, 0.05])
        plan.solve()
        self.assertGreaterEqual(plan.info.iterations, 1)
        self.assert_same(plan.x[0], x)
        self.assertLess(abs(plan.x[-1, 0] - 0.16), 0.005)
        plan.set_target(5, [0.15, 0, 0.05])
        self.assert_fails('argument', 'made with one target for all knots', plan.set_target, 5, np.zeros((51, 3)))
        for call in (lambda: plan.set_target('ball.position', 0.0), lambda: plan.set_target(10, 0.0)):
            with self.assertRaisesRegex(KeyError, 'no term'):
                call()
        with self.assertRaisesRegex(ValueError, r'target of box.position has the shape \(2,\), not \(3,\)'):
            plan.set_target('box.position', [0, 0])
        with self.assertRaisesRegex(ValueError, r'u has the shape \(3,\), not \(50, 3\)'):
            plan.set_guess([0, 0, 0])

    def test_a_shifted_plan_begins_later(self):
        plan = tractrix.load(PUSH).plan()
        plan.solve()
        later = plan.x[10]
        plan.shift(10)
        plan.solve()
        np.testing.assert_allclose(plan.x[0], later, atol=1e-12)
        self.assert_fails('argument', 'a shift by 51 knots', plan.shift, 51)

    def test_limits_are_reported(self):
        plan = tractrix.load(PUSH, {'limits': [{'of': 'px.velocity', 'max': 0.4}]}).plan()
        plan.solve()
        limit, = plan.limits
        self.assertEqual((limit.name, limit.unit, limit.met, limit.met and plan.goals[0].met), ('px.velocity', 'm/s', True, plan.met))
        self.assertAlmostEqual(max(plan.x[:, 16].max() - 0.4, 0), limit.violation)
        self.assertGreater(plan.x[:, 16].max(), 0.39)
        self.assertEqual(plan.info.fine.limits[0].name, 'px.velocity')

    def test_a_missed_goal_has_a_message(self):
        plan = tractrix.load(PUSH, {'cost': [{'of': 'control', 'weight': 1}, {'of': 'box.position', 'target': [1, 0, 0.05],
                                                                             'at': 'end', 'weight': 1e-3, 'tolerance': 0.01}]}).plan()
        plan.solve()
        self.assertFalse(plan.met or plan.goals[0].met)
        self.assertIn('no control moves box', plan.message)

    def test_settings_and_lack_of_a_result(self):
        plan = tractrix.load(PENDULUM).plan(method='multiple_shooting', threads=2, iterations=3, second_try=False)
        self.assert_fails('no_step', 'call solve', lambda: plan.x)
        self.assertEqual((plan.status, plan.met, plan.info.physical.status), ('no_step', False, 'no_step'))
        self.assertEqual(plan.solve(), 'iteration_limit')
        self.assertIn('iteration', plan.message)
        self.assertEqual(plan.x.shape, (plan.steps + 1, 2))
        self.assert_fails('argument', 'threads', tractrix.load(PENDULUM).plan, threads=-1)

    @unittest.skipUnless('TRACTRIX_IPOPT' in os.environ, 'built without Ipopt')
    def test_ipopt_solves_in_its_process(self):
        plan = tractrix.load(PENDULUM).plan(method='ipopt')
        self.assertEqual((plan.solve(), plan.met), ('ok', True))

    def test_a_problem_without_a_cost_has_no_plan(self):
        self.assert_fails('input', 'cost', tractrix.load_text, 'tractrix: 1\nmodel: {bodies: []}\ncost: 3\ntime: {step: 1, steps: 1}')


class OtherPlans(Case):
    def assert_same_run(self, *files):
        for name in files:
            with open(self.path('mine', name), 'rb') as mine, open(self.path('run', name), 'rb') as other:
                self.assertEqual(mine.read(), other.read(), name)

    def test_a_refined_plan_is_the_plan_of_the_command(self):
        path = os.path.join(PROBLEMS, 'cart_pole.yaml')
        self.run_command('plan', path, '-o', 'run', '--quiet')
        problem = tractrix.load(path)
        plan = problem.plan()
        plan.solve()
        self.assertEqual(problem.refine, 4)
        fine = plan.refined()
        self.assert_fails('no_step', 'call solve', lambda: fine.x)
        fine.solve()
        self.assertTrue(fine.met)
        self.assertEqual((fine.steps, fine.t[-1]), (4 * plan.steps, plan.t[-1]))
        fine.write(self.path('mine'))
        self.assert_same_run('trajectory.csv', 'contacts.csv')
        with np.load(self.path('run', 'linearization.npz')) as written:
            for name in ('x', 'u', 'K', 'A', 'B', 't'):
                self.assert_same(getattr(fine, name), written[name])
        tables = []
        for name in ('mine', 'run'):
            with open(self.path(name, 'iterations.csv'), encoding='utf-8') as file:
                tables.append([(row['stage'], row['iteration'], row['cost']) for row in csv.DictReader(file)])
        self.assertEqual(*tables)
        with self.assertRaisesRegex(ValueError, 'cannot be refined again'):
            fine.refined(2)
        self.assert_fails('argument', '101', plan.refined, 101)
        self.assert_fails('no_step', 'solve', problem.plan().refined, 2)

    def test_a_search_finds_the_plan_of_the_command(self):
        # the pusher begins behind the box, on the side to which the box should go
        changes = {'start.px': 0.1, 'solve.search': {'starts': 30}}
        self.run_command('plan', PUSH, '-o', 'run', '--quiet', '--set', 'start.px=0.1', '--set', 'solve.search={starts: 30}')
        plan = tractrix.load(PUSH, changes).plan()
        plan.solve()
        self.assertFalse(plan.met)
        candidates = []
        found = plan.search(candidates.append, threads=2)
        self.assertTrue(found.met)
        self.assertEqual([one.number for one in candidates], list(range(len(candidates))))
        self.assertEqual((candidates[0].kind, candidates[0].outcome), ('plain', 'missed'))
        self.assertIn('pusher on box', ' '.join(one.placement for one in candidates))
        mine = found.write(self.path('mine'))['search']
        self.assert_same_run('trajectory.csv', 'contacts.csv')
        with open(self.path('run', 'summary.json'), encoding='utf-8') as file:
            other = json.load(file)['search']
        self.assertEqual([one['cost'] for one in mine['candidates']], [one['cost'] for one in other['candidates']])
        self.assertEqual(mine['best'], other['best'])
        self.assertEqual(found.refined(2).solve(lambda line: False), 'interrupted')
        self.assertEqual(found.policy().steps, 50)

    def test_a_search_without_a_result_and_interrupted_searches(self):
        plan = tractrix.load(PUSH, {'start.px': 0.1, 'cost.5.target': [50, 0, 0.05]}).plan()
        plan.solve()
        self.assertFalse(plan.met)
        self.assertNotEqual(getattr(plan.search(starts=2), 'met', False), True)
        self.assert_fails('argument', 'threads', plan.search, threads=0)
        with self.assertRaisesRegex(ZeroDivisionError, 'division'):
            plan.search(lambda candidate: 1 / 0)
        old = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, old)
        with self.assertRaises(KeyboardInterrupt):
            plan.search(lambda candidate: os.kill(os.getpid(), signal.SIGINT))


class Interruption(Case):
    def long(self):
        return tractrix.load(PUSH, {'time.step': 1 / 2000, 'time.steps': 2000}).plan(judge=False)

    def test_ctrl_c_ends_a_solve_and_leaves_its_best_trajectory(self):
        plan = self.long()
        begun = threading.Event()
        self.interrupt_when(begun)
        with self.assertRaises(KeyboardInterrupt):
            plan.solve(lambda line: begun.set() or time.sleep(0.01))
        self.assertEqual(plan.status, 'interrupted')
        self.assertEqual(plan.x.shape, (2001, 19))
        self.assertTrue(np.isfinite(plan.x).all())

    def test_an_exception_of_watch_comes_out_of_solve(self):
        plan = tractrix.load(PUSH).plan()
        with self.assertRaisesRegex(ZeroDivisionError, 'division'):
            plan.solve(lambda line: 1 / line.iteration)
        self.assertEqual(plan.status, 'interrupted')

    def test_watch_may_end_a_solve(self):
        plan = tractrix.load(PUSH).plan()
        self.assertEqual(plan.solve(lambda line: line.stage < 1), 'interrupted')
        self.assertEqual(plan.solve(), 'ok')

    def test_other_threads_run_during_a_solve(self):
        plan, counted, stop = self.long(), [0], threading.Event()

        def count():
            while not stop.wait(0.001):
                counted[0] += 1
        counter = threading.Thread(target=count)
        counter.start()
        lines = []
        plan.solve(lambda line: lines.append(counted[0]) or len(lines) < 5)
        stop.set()
        counter.join()
        self.assertGreater(lines[-1] - lines[0], 3)


if __name__ == '__main__':
    main()
