# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""MuJoCo as the plant of a controller: the model that `tractrix view RUN --mjcf FILE` writes, stepped with given controls. States are
x = [q; v] as in trajectory.csv, because the exported model has the same coordinates. Needs PyPI's mujoco and numpy."""

import mujoco
import numpy as np
from measure import problem, run_json

STEP = 0.001
FACTOR, DISTANCE = 3, 0.02  # success: within three tolerances, or 2 cm for positions, as in trials
POSITIONS = (".position", ".distance")


class Plant:
    def __init__(self, mjcf, time_step=0.001):
        self.model = mujoco.MjModel.from_xml_path(mjcf)
        self.model.opt.timestep = time_step
        self.data = mujoco.MjData(self.model)

    def start(self, x):
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos, self.data.qvel = x[:self.model.nq], x[self.model.nq:]

    def state(self):
        return np.concatenate([self.data.qpos, self.data.qvel])

    def step(self, u):
        self.data.ctrl = u
        mujoco.mj_step(self.model, self.data)


class Policy:
    """policy.npz of a run folder: u = clamp(u[k] + K[k] (x (-) x_plan(t))), x_plan interpolated in the tangent space."""

    def __init__(self, file, model):
        arrays = np.load(file, allow_pickle=False)
        self.t, self.x, self.u, self.K = (arrays[name] for name in "txuK")
        self.model = model
        limited = model.actuator_ctrllimited.astype(bool)
        self.lower = np.where(limited, model.actuator_ctrlrange[:, 0], -np.inf)
        self.upper = np.where(limited, model.actuator_ctrlrange[:, 1], np.inf)

    def difference(self, a, b):
        dq = np.zeros(self.model.nv)
        mujoco.mj_differentiatePos(self.model, dq, 1, b[:self.model.nq], a[:self.model.nq])
        return np.concatenate([dq, a[self.model.nq:] - b[self.model.nq:]])

    def control(self, t, x, feedback=True):
        steps = len(self.u)
        place = min(max((t - self.t[0]) / (self.t[-1] - self.t[0]) * steps, 0), steps)
        k = min(int(place + 1e-9), steps - 1)
        u = self.u[k].copy()
        if feedback:
            change = (place - k) * self.difference(self.x[k + 1], self.x[k])
            plan = self.x[k].copy()
            q = plan[:self.model.nq].copy()
            mujoco.mj_integratePos(self.model, q, change[:self.model.nv], 1)
            plan[:self.model.nq] = q
            plan[self.model.nq:] += change[self.model.nv:]
            u += self.K[k] @ self.difference(x, plan)
        return np.clip(u, self.lower, self.upper)


def follow(plant, control, x0, steps):
    """The state one step before the end under control(t, x), from x0; None when the simulation leaves the numbers."""
    plant.start(x0)
    for k in range(steps - 1):
        x = plant.state()
        plant.step(control(k * plant.model.opt.timestep, x))
        if not np.abs(plant.state()).max() <= 1e6:
            return None
    return plant.state()


def settings(steps):
    return "--set", f"time.step={STEP}", "--set", f"time.steps={steps}"


def prepare(name, place):
    """Plans a shipped problem; its run folder, its exported model, and its steps of the plant. state.npz is a template for `judge`."""
    folder, mjcf = f"{place}/{name}", f"{place}/{name}.xml"
    summary = run_json("plan", problem(name), "-o", folder, "--set", "solve.search=off", fails=True)
    run_json("view", folder, "--mjcf", mjcf)
    steps = round(summary["time"]["step"] * summary["time"]["steps"] / STEP)
    run_json("sim", f"{folder}/problem.yaml", *settings(steps), "--save", f"{folder}/state.npz", "-o", f"{folder}/any", fails=True)
    return folder, mjcf, steps


def judge(folder, template, steps, late):
    """The largest error of a goal relative to what counts as success, from the state one step before the end; None: a lost run."""
    if late is None:
        return np.inf
    saved = dict(np.load(template, allow_pickle=False))
    saved["x"], saved["step"] = np.array(late), np.float64(steps - 1)
    np.savez(f"{folder}/late.npz", **saved)
    done = run_json("sim", f"{folder}/problem.yaml", *settings(steps), "--restore", f"{folder}/late.npz", "-o", f"{folder}/end", fails=True)
    return max(goal["error"] / max(FACTOR * goal["tolerance"], DISTANCE if is_length(goal) else 0) for goal in done["goals"])


def is_length(goal):
    return goal["name"].endswith(POSITIONS) and all(part["unit"] == "m" for part in goal["components"]) and len(goal["components"]) == 3
