# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""The tosses of a cube fitted by mujoco.sysid (PyPI's mujoco[sysid]): friction, solref and solimp of the contact, and start states.

mujoco.sysid takes start states as given, so they are estimated in turn: the start of each toss with the contact's numbers as they
are, the contact from these starts, and so on. Residuals are those of `tractrix fit`: position and rotation in the
tangent space over their noise. mujoco.sysid's own optimizer (Gauss-Newton with bounds on finite differences) solves each fit."""

import contextlib
import os
import time

import mujoco
import numpy as np
from mujoco import sysid

NOISE = {"position": 0.0019, "rotation": 0.030}  # what `tractrix fit` estimates on these tosses [m, rad]
XML = """<mujoco><option timestep="{step!r}" cone="elliptic" integrator="{integrator}" impratio="10"/><worldbody>
<geom name="table" type="plane" size="0 0 1" friction="0.2 0 0" condim="3"/>
<body name="cube"><freejoint/><inertial pos="0 0 0" mass="0.37" diaginertia="0.00081 0.00081 0.00081"/>
<geom name="cube" type="box" size="{half} {half} {half}" friction="0.2 0 0" condim="3"/></body></worldbody>
<sensor><framepos name="position" objtype="body" objname="cube"/>
<framequat name="orientation" objtype="body" objname="cube"/></sensor>
</mujoco>"""
# start, bounds; friction, solref and the width of solimp are fitted by their logarithms: one step of the differences suits all
CONTACT = [("friction", 0.2, 0.01, 2), ("time_constant", 0.02, 1e-4, 0.2), ("damping_ratio", 1.0, 0.05, 5),
           ("width", 1e-3, 1e-5, 0.2), ("d0", 0.9, 0.01, 0.9999), ("d_width", 0.95, 0.01, 0.9999)]
LOGARITHMS, STEP = 4, 1e-4


def encoded(values):
    return np.concatenate([np.log(values[:LOGARITHMS]), values[LOGARITHMS:]])


def decoded(values):
    return np.concatenate([np.exp(values[:LOGARITHMS]), values[LOGARITHMS:]])


def set_contact(spec, parameter):
    """All numbers of the contact; both geometries have them, so the pair has them too."""
    friction, time_constant, damping_ratio, width, d0, d_width = decoded(parameter.value)
    for name in ("table", "cube"):
        geom = spec.geom(name)
        geom.friction = [friction, 0, 0]
        geom.solref = [max(time_constant, 2 * spec.option.timestep), damping_ratio]
        geom.solimp = [d0, d_width, width, 0.5, 2]


def rotation_between(measured, predicted):
    """Rotation vectors from measured to predicted quaternions, one row each."""
    out = np.empty((len(measured), 3))
    for i, (a, b) in enumerate(zip(measured, predicted)):
        mujoco.mju_subQuat(out[i], b / np.linalg.norm(b), a / np.linalg.norm(a))
    return out


def residual_of(_params, predicted, measured, _model, _return_all, **_more):
    """Position and rotation over their noise, at the measured times."""
    shown = predicted.resample(np.clip(measured.times, predicted.times[0], predicted.times[-1]))
    position = (shown.data[:, :3] - measured.data[:, :3]) / NOISE["position"]
    rotation = rotation_between(measured.data[:, 3:7], shown.data[:, 3:7]) / NOISE["rotation"]
    return np.hstack([position, rotation]), sysid.TimeSeries(measured.times, shown.data, measured.signal_mapping), measured


def moved_state(model, state, start):
    """A full state with its pose and velocity moved by 12 numbers: position, rotation (tangent), velocities."""
    data = mujoco.MjData(model)
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS.value
    mujoco.mj_setState(model, data, state, kind)
    mujoco.mj_integratePos(model, data.qpos, np.ascontiguousarray(start[:6]), 1.0)
    data.qvel += start[6:]
    out = np.empty_like(state)
    mujoco.mj_getState(model, data, out, kind)
    return out


def rollout_from_starts(*, models, initial_states, param_dicts, **rest):
    """sysid_rollout with the start of each candidate moved by its parameter `start`."""
    per_candidate = len(models) // len(param_dicts)
    states = [moved_state(models[i], state, param_dicts[i // per_candidate]["start"].value)
              for i, state in enumerate(initial_states)]
    return sysid.sysid_rollout(models=models, initial_states=states, **rest)


def optimize(params, residual, iterations):
    """mujoco.sysid's fit, without its report: the parameters, the objective of each iteration, seconds of processor time."""
    begin = time.process_time()
    with open(os.devnull, "w", encoding="ascii") as nowhere, contextlib.redirect_stdout(nowhere):
        found, result = sysid.optimize(params, residual, optimizer="mujoco", verbose=False, max_iters=iterations, x_scale="jac",
                                       eps=STEP)
    return found, result.extras["objective"], time.process_time() - begin


class Tosses:
    """Recordings as mujoco.sysid takes them; a toss is a ModelSequences of its own, because lengths differ."""

    def __init__(self, tosses, step, width, integrator="implicitfast"):
        # velocities are columns as MuJoCo has them: linear in the world, spin in axes of the cube
        self.spec = mujoco.MjSpec.from_string(XML.format(step=step, half=width / 2, integrator=integrator))
        self.model = self.spec.compile()
        self.tosses = tosses
        self.states = {key: sysid.create_initial_state(self.model, np.array(rows[0, 1:8]), np.array(rows[0, 8:14]))
                       for key, rows in tosses.items()}

    def sequences(self, keys):
        made = []
        for key in keys:
            rows = self.tosses[key]
            times = rows[:, 0] - rows[0, 0]
            steps = np.arange(0, times[-1] + self.spec.option.timestep, self.spec.option.timestep)
            control = sysid.TimeSeries(steps, np.zeros((len(steps), 0)))
            made.append(sysid.ModelSequences(f"toss {key}", self.spec, f"{key}", self.states[key], control,
                                             sysid.TimeSeries.from_names(times[1:], rows[1:, 1:8], self.model)))
        return made

    @staticmethod
    def given(contact):
        """Parameters with the contact's numbers as they are."""
        params = sysid.ParameterDict()
        held = encoded(np.asarray(contact))
        params.add(sysid.Parameter("contact", held, held, held, frozen=True, modifier=set_contact))
        return params

    def fit_contact(self, keys, start, iterations):
        """The contact's numbers, seconds of processor time and iterations made."""
        _, nominal, lower, upper = (encoded(np.array(numbers)) if k else numbers for k, numbers in enumerate(zip(*CONTACT)))
        params = sysid.ParameterDict()
        params.add(sysid.Parameter("contact", nominal, lower, upper, modifier=set_contact))
        params["contact"].value[:] = encoded(start)
        residual = sysid.build_residual_fn(models_sequences=self.sequences(keys), modify_residual=residual_of, n_threads=1)
        found, objective, spent = optimize(params, residual, iterations)
        return decoded(found["contact"].value), spent, len(objective)

    def fit_start(self, key, contact, iterations, samples=None):
        """Estimates and keeps the start of one toss, with `samples` from its first rows alone. Returns processor time [s]."""
        params = self.given(contact)
        reach = [0.02] * 3 + [0.3] * 3 + [1.0] * 3 + [10.0] * 3
        start = sysid.Parameter("start", [0.0] * 12, [-most for most in reach], reach,
                                modifier=lambda spec, parameter: None)
        params.add(start)
        whole = self.tosses[key]
        if samples:
            self.tosses[key] = whole[:samples]
        residual = sysid.build_residual_fn(models_sequences=self.sequences([key]), modify_residual=residual_of,
                                           custom_rollout=rollout_from_starts, n_threads=1)
        self.tosses[key] = whole
        found, _, spent = optimize(params, residual, iterations)
        self.states[key] = moved_state(self.model, self.states[key], found["start"].value)
        return spent

    def errors(self, key, contact):
        """Mean over the samples of a toss of the distance [m] and the angle [rad] between prediction and record."""
        residual = sysid.build_residual_fn(models_sequences=self.sequences([key]), modify_residual=residual_of, n_threads=1)
        values, _, _ = residual(np.zeros(0), self.given(contact))
        rows = np.concatenate(values).reshape(-1, 6) * ([NOISE["position"]] * 3 + [NOISE["rotation"]] * 3)
        return np.linalg.norm(rows[:, :3], axis=1).mean(), np.linalg.norm(rows[:, 3:], axis=1).mean()
