# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Ownership, errors, structs and enums."""

import gc
import resource
import subprocess
import sys

import numpy as np
import tractrix
from tractrix import core

from case import FORCE, PUSH, TOUCHING, Case, main


def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def use_everything(problem):
    sim = problem.sim()
    sim.step(TOUCHING, FORCE)
    sim.derivatives()
    sim.parameters['box.mass'] = 0.6  # a copy of the model
    return sim, sim.model, problem.plan(), tractrix.Policy(problem, np.tile(TOUCHING, (3, 1)), np.zeros((2, 3)))


class Ownership(Case):
    def test_200_objects_that_are_dropped_take_no_memory(self):
        problem = tractrix.load(PUSH)
        for _ in range(10):
            use_everything(problem)
        before = memory()
        for _ in range(200):
            use_everything(problem)
        dropped = memory() - before
        kept = [use_everything(problem) for _ in range(20)]
        self.assertGreater(memory() - before, 2000, 'the test would not notice 20 objects that are kept')
        self.assertLess(dropped, 1000)
        del kept

    def test_garbage_in_cycles_is_destroyed_from_the_leaves(self):
        class Robot:
            pass
        for _ in range(20):
            robot = Robot()
            robot.itself = robot
            robot.problem = tractrix.load(PUSH)
            robot.parts = use_everything(robot.problem)
            del robot
        self.assertGreater(gc.collect(), 0)

    def test_objects_keep_what_they_were_made_from(self):
        model = tractrix.load(PUSH).sim().model
        gc.collect()
        self.assertEqual(model.control_names, ['px', 'py', 'pz'])
        plan = tractrix.load(PUSH).plan()
        gc.collect()
        self.assertEqual(plan.solve(), 'ok')

    def test_a_program_may_end_with_objects_alive(self):
        program = (f'import tractrix; p = tractrix.load({PUSH!r}); s = p.sim(); m = p.mpc(first_plan=False); l = [s, m]; l += [l]; '
                   's.step(p.start)')
        done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ''))


class Words(Case):
    def test_statuses_have_the_names_of_the_header(self):
        words = core.words('trx_status')
        self.assertEqual(words[core.lib.TRX_OK], 'ok')
        self.assertEqual(words[core.lib.TRX_ERR_NOT_FINITE], 'not_finite')
        self.assertEqual(words[core.lib.TRX_TIME_LIMIT], 'time_limit')
        self.assertEqual(core.word('trx_status', 99), '99')

    def test_words_of_enums_are_those_of_the_library(self):
        for enum, name, count in (('trx_contact_model', core.lib.trx_contact_model_name, core.lib.TRX_CONTACT_MODELS),
                                  ('trx_contact_solver', core.lib.trx_contact_solver_name, core.lib.TRX_CONTACT_SOLVERS),
                                  ('trx_contact_mode', core.lib.trx_contact_mode_name, 3)):
            self.assertEqual([core.words(enum)[i] for i in range(count)], [core.text(name(i)) for i in range(count)])

    def test_settings_take_words_and_refuse_what_they_do_not_know(self):
        settings = core.fill(core.ffi.new('trx_plan_settings *'), {'method': 'multiple_shooting', 'threads': 3})
        self.assertEqual((settings.method, settings.threads), (core.lib.TRX_MULTIPLE_SHOOTING, 3))
        self.assertEqual(core.record(settings[0]).method, 'multiple_shooting')
        with self.assertRaisesRegex(ValueError, "method is 'newton', not one of ilqr, multiple_shooting, ipopt"):
            core.fill(settings, {'method': 'newton'})
        with self.assertRaisesRegex(TypeError, "no setting 'thread' among .*iterations, .*threads"):
            core.fill(settings, {'thread': 3})
        with self.assertRaisesRegex(TypeError, "no setting 'size'"):
            core.fill(settings, {'size': 3})

    def test_records_hold_numbers_texts_arrays_and_structs(self):
        contact = core.ffi.new('trx_contact *', {'geom_a': 2, 'normal': [0, 0, 1], 'mode': core.lib.TRX_CONTACT_SLIP})
        made = core.record(contact[0])
        self.assertEqual((made.geom_a, made.mode), (2, 'slip'))
        self.assert_same(made.normal, [0, 0, 1])
        placed = core.record(core.ffi.new('trx_placement *', {'pose': {'p': [1, 2, 3]}})[0])
        self.assert_same(placed.pose.p, [1, 2, 3])
        name = core.ffi.new('char[]', b'box.position')
        self.assertEqual(core.record(core.ffi.new('trx_goal_result *', {'name': name})[0]).name, 'box.position')
        self.assertIsNone(core.record(core.ffi.new('trx_goal_result *')[0]).name)


class Arrays(Case):
    def test_shapes_are_checked(self):
        with self.assertRaisesRegex(ValueError, r'x has the shape \(2,\), not \(3,\)'):
            core.vector([1, 2], 3, 'x')
        self.assert_same(core.vector(1.0, 1, 'u'), [1.0])
        with self.assertRaisesRegex(ValueError, r'u has the shape \(1,\), not \(2, 3\)'):
            core.array(1.0, (2, 3), 'u')

    def test_other_orders_and_types_are_converted(self):
        given = np.arange(6, dtype=np.float32).reshape(2, 3).T
        made = core.array(given, (3, 2), 'x')
        self.assert_same(made, given)
        self.assert_same(core.copied(core.pointer(made), (3, 2)), given)
        self.assert_same(core.matrices(core.pointer(made), 1, 2, 3)[0], given.T)

    def test_nothing_is_a_null_pointer(self):
        self.assertEqual(core.pointer(None), core.ffi.NULL)
        self.assertEqual(core.copied(core.ffi.NULL, (3, 0)).shape, (3, 0))


if __name__ == '__main__':
    main()
