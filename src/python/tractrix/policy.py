# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""A planned motion with its feedback, evaluated at any time."""

import numpy as np

from .core import Owned, array, copied, ffi, lib, matrices, pointer, vector


class Policy(Owned):
    """u = policy(t, x): the controls of the plan, corrected by K (x (-) x_plan(t)), within the limits of the actuators.

    x (N + 1 x nstate), u (N x nu), K (N x nu x ntangent; None: no feedback) are constant from knot to knot. `lead` sends the
    controls of the plan earlier [s]."""

    def __init__(self, problem, x, u, K=None, time_step=None, start_time=0.0, lead=0.0):
        model = lib.trx_problem_model(problem._pointer)
        size = lib.trx_model_get_size(model)
        steps = len(u)
        x, u = array(x, (steps + 1, size.nstate), 'x'), array(u, (steps, size.nu), 'u')
        K = None if K is None else np.ascontiguousarray(array(K, (steps, size.nu, size.ntangent), 'K').swapaxes(1, 2))
        definition = ffi.new('trx_policy_def *', lib.trx_policy_def_default())
        definition.steps, definition.start_time, definition.lead = steps, start_time, lead
        definition.time_step = lib.trx_problem_sim_settings(problem._pointer).time_step if time_step is None else time_step
        definition.x, definition.u, definition.K = pointer(x), pointer(u), pointer(K)
        self._copy(problem, definition)

    @classmethod
    def _of(cls, problem, policy):
        """A copy of a policy of the library."""
        made = cls.__new__(cls)
        made._copy(problem, ffi.new('trx_policy_def *', lib.trx_policy_get(policy)))
        return made

    def _copy(self, problem, definition):
        model = lib.trx_problem_model(problem._pointer)
        self._open('trx_policy', lambda context, out: lib.trx_policy_create(context, model, definition, out), (problem,))
        size = lib.trx_model_get_size(model)
        self._nstate, self._ntangent, self._nu = size.nstate, size.ntangent, size.nu

    def __call__(self, t, x):
        """u (nu) at the time t [s] and the state x (nstate)."""
        x, u = vector(x, self._nstate, 'x'), np.empty(self._nu)
        with self._lock:
            self._check(lib.trx_policy_control(self._pointer, t, pointer(x), pointer(u)))
        return u

    def reference(self, t):
        """x_plan(t) (nstate)."""
        x = np.empty(self._nstate)
        with self._lock:
            self._check(lib.trx_policy_reference(self._pointer, t, pointer(x)))
        return x

    def _get(self):
        return lib.trx_policy_get(self._pointer)

    @property
    def steps(self):
        return self._get().steps

    @property
    def time_step(self):
        return self._get().time_step

    @property
    def start_time(self):
        return self._get().start_time

    @property
    def x(self):
        return copied(self._get().x, (self.steps + 1, self._nstate))

    @property
    def u(self):
        return copied(self._get().u, (self.steps, self._nu))

    @property
    def K(self):
        K = self._get().K
        return None if K == ffi.NULL else matrices(K, self.steps, self._nu, self._ntangent)
