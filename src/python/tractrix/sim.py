# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Steps of the discrete dynamics x' = f(t, x, u), and their derivatives."""

import numpy as np

from .core import Error, Owned, array, ffi, fill, lib, pointer, record, text, vector
from .model import Model, Parameters, parameter_list


class Sim(Owned):
    """A simulator. Derivatives and contacts belong to its last step. Several threads need a simulator each."""

    def __init__(self, problem, settings):
        made = fill(ffi.new('trx_sim_settings *', lib.trx_problem_sim_settings(problem._pointer)), settings)
        model = lib.trx_problem_model(problem._pointer)
        self._open('trx_sim', lambda context, out: lib.trx_sim_create(context, model, made, out), (problem,))
        size = lib.trx_model_get_size(model)
        self._nstate, self._ntangent, self._nu = size.nstate, size.ntangent, size.nu
        self._input = ffi.new('trx_step_input *')

    @property
    def model(self):
        """The model with the simulator's parameters."""
        return Model(lib.trx_sim_model(self._pointer), self)

    @property
    def parameters(self):
        """The parameters of the model by name, for this simulator alone: a mapping that takes new values."""
        return Parameters(self)

    @property
    def time_step(self):
        return lib.trx_sim_get_settings(self._pointer).time_step

    def step(self, x, u=None, t=0.0):
        """The state (nstate) after a step from x (nstate) under the controls u (nu; None: zero). The time t matters for
        prescribed motions and loads."""
        x, after = vector(x, self._nstate, 'x'), np.empty(self._nstate)
        u = None if u is None else vector(u, self._nu, 'u')
        with self._lock:
            given = self._input
            given.time, given.x, given.u = t, pointer(x), pointer(u)
            status = lib.trx_step_from(self._pointer, given, pointer(after))
            if status < 0:
                self._check(status)
        return after

    def derivatives(self):
        """A (ntangent x ntangent) and B (ntangent x nu) of the last step, in Fortran order: dx' = A dx + B du in tangent
        coordinates."""
        A, B = np.empty((self._ntangent, self._ntangent)), np.empty((self._nu, self._ntangent))
        with self._lock:
            self._check(lib.trx_step_jac(self._pointer, pointer(A), pointer(B)))
        return A.T, B.T

    def derivatives_by(self, names):
        """C (ntangent x len(names)) of the last step: its derivatives by parameters."""
        C = np.empty((len(names), self._ntangent))
        with self._lock:
            wanted = parameter_list(self, lib.trx_sim_model(self._pointer), names)
            self._check(lib.trx_step_jac_parameters(self._pointer, wanted, len(names), pointer(C)))
        return C.T

    def jvp(self, dx, du=None):
        """A dx + B du of the last step."""
        dx, after = vector(dx, self._ntangent, 'dx'), np.empty(self._ntangent)
        du = None if du is None else vector(du, self._nu, 'du')
        with self._lock:
            self._check(lib.trx_step_jvp(self._pointer, pointer(dx), pointer(du), pointer(after)))
        return after

    def vjp(self, seed):
        """A^T seed (ntangent) and B^T seed (nu) of the last step."""
        seed = vector(seed, self._ntangent, 'seed')
        grad_x, grad_u = np.empty(self._ntangent), np.empty(self._nu)
        with self._lock:
            self._check(lib.trx_step_vjp(self._pointer, pointer(seed), pointer(grad_x), pointer(grad_u)))
        return grad_x, grad_u

    def rollout(self, x, u, t=0.0, derivatives=False):
        """Simulates from x (nstate) under u (steps x nu), without the interpreter's lock. Returns the states (steps + 1 x
        nstate); with `derivatives` also A (steps x ntangent x ntangent) and B (steps x ntangent x nu). A batch has one more
        index in front: x (batch x nstate), u (batch x steps x nu). If a step fails, the message names row and step."""
        u = np.ascontiguousarray(u, dtype=np.float64)
        if u.ndim not in (2, 3) or u.shape[-1] != self._nu:
            raise ValueError(f'u has the shape {u.shape}, not (steps, {self._nu}) or (batch, steps, {self._nu})')
        batch, steps, n = u.shape[:-2], u.shape[-2], self._ntangent
        states = np.empty((*batch, steps + 1, self._nstate))
        states[..., 0, :] = array(x, (*batch, self._nstate), 'x')
        A = np.empty((*batch, steps, n, n)) if derivatives else None
        B = np.empty((*batch, steps, self._nu, n)) if derivatives else None
        for row in np.ndindex(batch):
            self._roll(row, steps, t, u[row], states[row], *((A[row], B[row]) if derivatives else (None, None)))
        return (states, A.swapaxes(-1, -2), B.swapaxes(-1, -2)) if derivatives else states

    def _roll(self, row, steps, t, u, states, A, B):
        made, done = ffi.new('trxi_rollout *'), ffi.new('int *')
        made.time, made.steps = t, steps
        made.u, made.x, made.A, made.B = pointer(u), pointer(states), pointer(A), pointer(B)
        with self._lock:
            status = lib.trxi_rollout_run(self._pointer, made, done)
            try:
                self._check(status)
            except Error as error:
                where = ''.join(f'row {i}, ' for i in row) + f'step {done[0]}'
                raise Error(error.status, f'{where}: {error}') from None

    @property
    def contacts(self):
        """The contact points of the last step, with the names of their geometries as `a` and `b`."""
        out = ffi.new('trx_contact **')
        with self._lock:
            found = [record(out[0][i]) for i in range(lib.trx_sim_contacts(self._pointer, out))]
            model = lib.trx_sim_model(self._pointer)
            for contact in found:
                contact.a = text(lib.trx_model_geom_name(model, contact.geom_a))
                contact.b = text(lib.trx_model_geom_name(model, contact.geom_b))
        return found

    @property
    def info(self):
        """Statistics of the last step: contacts, iterations, residual, kink, branches ..."""
        with self._lock:
            return record(lib.trx_sim_step_info(self._pointer))
