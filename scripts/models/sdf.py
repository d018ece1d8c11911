# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""SDF against Drake.

Free bodies of the file are fixed at their start on both sides. Robots of hinges and slides are compared in joints, masses,
poses, M, bias forces and forces at random controls; of others the masses alone."""

import logging
import os

import numpy as np
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, MultibodyForces, RevoluteJoint

from common import FORCE_STATES, STATES, Result, run_forces, run_probe

logging.getLogger("drake").setLevel(logging.ERROR)
FIXED = ("--base", "fixed")


def version():
    from importlib.metadata import version as of
    return f"Drake {of('drake')}"


def load(path):
    """The plant of the file, with free bodies fixed where they start."""
    loose, plant = MultibodyPlant(0.0), MultibodyPlant(0.0)
    for each in (loose, plant):
        Parser(each).AddModels(path)
    loose.Finalize()
    context = loose.CreateDefaultContext()
    for index in loose.GetFloatingBaseBodies():
        pose = loose.EvalBodyPoseInWorld(context, loose.get_body(index))
        plant.WeldFrames(plant.world_frame(), plant.get_body(index).body_frame(), pose)
    plant.Finalize()
    return plant


def last_name(name):
    return name.split("::")[-1]


def bodies_by_name(plant):
    """Bodies whose names are unique in the file."""
    found = {}
    for i in range(1, plant.num_bodies()):
        found.setdefault(plant.get_body(BodyIndex(i)).name(), []).append(plant.get_body(BodyIndex(i)))
    return {name: some[0] for name, some in found.items() if len(some) == 1}


def match_joints(result, answer, plant):
    """Drake's joint for each of ours; None when there are others than hinges and slides."""
    theirs = {plant.get_joint(i).name(): plant.get_joint(i) for i in plant.GetJointIndices()}
    if any(joint["type"] not in ("hinge", "slide") for joint in answer["joints"]):
        result.remarks.append("has joints of several degrees of freedom: masses alone were compared")
        return None
    matched = []
    for joint in answer["joints"]:
        names = [n for n in theirs if n in (joint["name"], last_name(joint["name"])) or joint["name"] == f"{n}_joint"]
        if not names:
            result.faults.append(f"joints: {joint['name']} is not in Drake's plant")
            return None
        matched.append(theirs[names[0]])
    return matched


def set_state(context, answer, matched, q, v):
    for joint, theirs in zip(answer["joints"], matched):
        turns = isinstance(theirs, RevoluteJoint)
        (theirs.set_angle if turns else theirs.set_translation)(context, q[joint["q"]])
        (theirs.set_angular_rate if turns else theirs.set_translation_rate)(context, v[joint["v"]])


def compare_state(result, answer, state, plant, context, order):
    bodies = bodies_by_name(plant)
    for body, pose in zip(answer["bodies"], state["poses"]):
        theirs = bodies.get(last_name(body["name"]))
        if theirs is not None:
            result.differ("poses", pose["p"], plant.EvalBodyPoseInWorld(context, theirs).translation(), body["name"])
    M = plant.CalcMassMatrix(context)[np.ix_(order, order)]
    bias = (plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context))[order]
    size = max(np.max(np.abs(M), initial=0), 1e-12)
    result.differ("M", np.asarray(state["M"]) / size, M.ravel() / size)
    size = max(size, np.max(np.abs(bias), initial=0))
    result.differ("bias", np.asarray(state["bias"]) / size, bias / size)


def compare_forces(result, forces, path, answer, matched, plant, order):
    """Forces M dv/dt at random controls, with bias, springs and dampers by Drake, against our motors. M is compared by itself."""
    generator, context = np.random.default_rng(3), plant.CreateDefaultContext()
    states = [generator.uniform(-1, 1, (2, answer["nv"])) for _ in range(FORCE_STATES)]
    ends = [np.clip(drive["limits"], -10, 10) for drive in answer["actuators"]]
    controls = [[generator.uniform(*range_) for range_ in ends] for _ in states]
    rows = [[*q, *v, *u] for (q, v), u in zip(states, controls)]
    for (q, v), u, force in zip(states, controls, run_forces(forces, path, rows, ["fixed"])):
        set_state(context, answer, matched, q, v)
        applied, ours = MultibodyForces(plant), np.zeros(answer["nv"])
        plant.CalcForceElementsContribution(context, applied)
        needed = force + plant.CalcInverseDynamics(context, np.zeros(plant.num_velocities()), applied)[order]
        for drive, control in zip(answer["actuators"], u):
            ours[answer["joints"][drive["joint"]]["v"]] += drive["gear"] * (drive["gain"] * control + drive["bias"])
        size = max(np.max(np.abs(plant.CalcMassMatrix(context))), np.max(np.abs(needed), initial=0), 1e-9)
        result.differ("forces", ours / size, needed / size)


def check(probe, path):
    result = Result(path, "SDF")
    plant = load(path)
    answer = run_probe(probe, path, options=FIXED)
    if result.refused_by(answer):
        return result
    result.bodies, result.joints, result.mass = plant.num_bodies() - 1, len(answer["joints"]), answer["mass"]
    bodies = bodies_by_name(plant)
    for body in answer["bodies"]:
        if last_name(body["name"]) in bodies and body["mass"] > 0:  # Drake reads mass 0 as 1
            result.differ("mass", body["mass"], bodies[last_name(body["name"])].default_mass(), body["name"])
    matched = match_joints(result, answer, plant)
    if matched is None or not matched:
        return result
    result.same("numbers of v", answer["nv"], plant.num_velocities())
    if result.faults:
        return result
    generator = np.random.default_rng(1)
    states = [generator.uniform(-1, 1, (2, answer["nv"])) for _ in range(STATES)]
    answer = run_probe(probe, path, states, FIXED)
    order, context = [joint.velocity_start() for joint in matched], plant.CreateDefaultContext()
    for state, (q, v) in zip(answer["states"], states):
        set_state(context, answer, matched, q, v)
        compare_state(result, answer, state, plant, context, order)
    compare_forces(result, os.path.join(os.path.dirname(probe), "model_forces"), path, answer, matched, plant, order)
    return result
