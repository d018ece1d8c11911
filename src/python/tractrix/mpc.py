# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Model predictive control: a plan that is solved again in every tick from the measured state."""

import numpy as np

from .core import Owned, array, ffi, fill, lib, pointer, record, vector
from .plan import Task
from .policy import Policy


class Mpc(Owned):
    """A controller. The world may be a simulator of another kind or a robot: tick(t, x) plans from the measured state and
    returns the command; control(t, x) gives commands between two ticks."""

    def __init__(self, problem, first, settings):
        self._problem, self._task = problem, Task(problem)
        given = lib.trx_problem_mpc(problem._pointer)
        made = fill(ffi.new('trx_mpc_settings *', given.settings), settings)
        if first is not None:
            made.first = first._pointer
        self._open('trx_mpc', lambda context, out: lib.trx_mpc_create(context, self._task.problem, made, out),
                   (problem, self._task))
        size = lib.trx_model_get_size(self._task.problem.model)
        self._nstate, self._nu = size.nstate, size.nu

    def update(self, t, x, measured_at=None):
        """Plans again at the time t [s] from the state x (nstate), measured now or at `measured_at`. Returns the status as a
        word. After an exception the policy is the one before."""
        x = vector(x, self._nstate, 'x')
        with self._lock:
            return self._check(lib.trx_mpc_update_late(self._pointer, t, t if measured_at is None else measured_at, pointer(x)))

    def control(self, t, x, measured_at=None):
        """The command u (nu) at the time t [s] for the state x (nstate), measured now or at `measured_at`."""
        x, u = vector(x, self._nstate, 'x'), np.empty(self._nu)
        with self._lock:
            self._check(lib.trx_mpc_control_late(self._pointer, t, t if measured_at is None else measured_at, pointer(x), pointer(u)))
        return u

    def tick(self, t, x):
        """update, then control."""
        self.update(t, x)
        return self.control(t, x)

    def restart(self):
        """Forgets all ticks; targets stay."""
        with self._lock:
            self._check(lib.trx_mpc_restart(self._pointer))

    def set_target(self, term, target):
        """A new target for a cost term, given by its index, or for all terms of one name. The next tick takes it."""
        for index in self._task.find(term):
            numbers = array(np.atleast_1d(target), (self._task.target_length(index),), f'the target of {self._task.names[index]}')
            with self._lock:
                self._check(lib.trx_mpc_set_target(self._pointer, index, pointer(numbers)))

    @property
    def policy(self):
        """A copy of the policy of the last successful tick."""
        with self._lock:
            return Policy._of(self._problem, lib.trx_mpc_policy(self._pointer))

    @property
    def info(self):
        """ticks, failures, seconds and slowest of the updates, late, searches, found"""
        with self._lock:
            return record(lib.trx_mpc_get_info(self._pointer))
