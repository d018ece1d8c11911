# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""The model of a problem: sizes, names, the arithmetic of states, mechanics, and parameters by name."""

from collections.abc import Mapping

import numpy as np

from .core import Owned, ffi, fields, lib, pointer, record, text, vector


class Model(Owned):
    """Bodies, joints, actuators and contact pairs. Sizes are attributes: nq, nv, na, nu, nstate, ntangent, nbody, njoint ...

    A state x = [q; v; a] has nstate numbers. A change dx of a state has ntangent numbers: [dq; dv; da], with a rotation vector
    for each quaternion."""

    def __init__(self, model, owner):
        self._open('trx_kinematics', lambda context, out: lib.trx_kinematics_create(context, model, out), (owner,))
        self._model = model
        size = lib.trx_model_get_size(model)
        for name, _ in fields('trx_model_size'):
            setattr(self, name, getattr(size, name))

    def _names(self, kind, count):
        name = getattr(lib, f'trx_model_{kind}_name')
        return [text(name(self._model, i)) for i in range(count)]

    @property
    def state_names(self):
        """Names of the nstate numbers of x: "box.x", "box.qw", "box.vx", "px", "px.v" ..."""
        return self._names('state', self.nstate)

    @property
    def control_names(self):
        """Names of the nu actuators."""
        return self._names('actuator', self.nu)

    @property
    def body_names(self):
        return self._names('body', self.nbody)

    @property
    def joint_names(self):
        return self._names('joint', self.njoint)

    @property
    def geometry_names(self):
        return self._names('geom', self.ngeom)

    @property
    def frame_names(self):
        return self._names('frame', self.nframe)

    def integrate(self, x, dx):
        """x (+) dx (nstate)."""
        x, dx, out = vector(x, self.nstate, 'x'), vector(dx, self.ntangent, 'dx'), np.empty(self.nstate)
        lib.trx_model_integrate_state(self._model, pointer(x), pointer(dx), pointer(out))
        return out

    def difference(self, x, y):
        """x (-) y (ntangent): the dx with y (+) dx = x."""
        x, y, out = vector(x, self.nstate, 'x'), vector(y, self.nstate, 'y'), np.empty(self.ntangent)
        lib.trx_model_difference_state(self._model, pointer(x), pointer(y), pointer(out))
        return out

    def _split(self, x):
        x = vector(x, self.nstate, 'x')
        return x[:self.nq], x[self.nq:self.nq + self.nv]

    def dynamics(self, x):
        """Mass matrix M (nv x nv), and bias forces (nv) of gravity and Coriolis, at x."""
        q, v = self._split(x)
        M, bias = np.empty((self.nv, self.nv)), np.empty(self.nv)
        with self._lock:
            self._check(lib.trx_model_dynamics(self._context, self._model, pointer(q), pointer(v), pointer(M), pointer(bias)))
        return M, bias

    def energy(self, x):
        """Kinetic and potential energy at x [J]."""
        q, v = self._split(x)
        out = ffi.new('double[2]')
        with self._lock:
            self._check(lib.trx_model_energy(self._context, self._model, pointer(q), pointer(v), out, out + 1))
        return out[0], out[1]

    def place(self, name, x, t=0.0):
        """The body or frame `name` at the state x and the time t, in the world: pose.p (3), pose.quat (w x y z), velocity
        (6, angular part first) and its Jacobian J (6 x nv)."""
        q, v = self._split(x)
        placement, J = ffi.new('trx_placement *'), np.empty((self.nv, 6))
        body, frame = (find(self._model, name.encode()) for find in (lib.trx_model_find_body, lib.trx_model_find_frame))
        if body < 0 and frame < 0:
            raise KeyError(f"there is no body and no frame '{name}'")
        with self._lock:
            self._check(lib.trx_kinematics_update(self._pointer, pointer(q), pointer(v), t))
            query, index = (lib.trx_kinematics_body, body) if body >= 0 else (lib.trx_kinematics_frame, frame)
            self._check(query(self._pointer, index, placement, pointer(J)))
        place = record(placement)
        place.J = J.T
        return place


def parameter(owner, model, name):
    """The trx_parameter called `name`, by the context of `owner`."""
    out = ffi.new('trx_parameter *')
    owner._check(lib.trx_model_find_parameter(owner._context, model, name.encode(), out))
    return out[0]


def parameter_list(owner, model, names):
    return ffi.new('trx_parameter[]', [parameter(owner, model, name) for name in names])


class Parameters(Mapping):
    """Parameters of a simulator by name: sim.parameters['box.mass'] = 0.6 changes this simulator alone."""

    def __init__(self, sim):
        self._sim = sim

    def _model(self):
        return lib.trx_sim_model(self._sim._pointer)

    def __iter__(self):
        model = self._model()
        count = lib.trx_model_parameters(model, ffi.NULL, 0)
        found, name = ffi.new('trx_parameter[]', count), ffi.new('char[]', 512)
        lib.trx_model_parameters(model, found, count)
        for one in found:
            if lib.trx_model_parameter_name(model, one, name, len(name)):
                yield text(name)

    def __len__(self):
        return sum(1 for _ in self)

    def __contains__(self, name):
        return name in list(self)

    def __getitem__(self, name):
        sim, value = self._sim, ffi.new('double *')
        with sim._lock:
            sim._check(lib.trx_sim_parameter(sim._pointer, parameter(sim, self._model(), name), value))
        return value[0]

    def __setitem__(self, name, value):
        sim = self._sim
        with sim._lock:
            sim._check(lib.trx_sim_set_parameter(sim._pointer, parameter(sim, self._model(), name), value))
