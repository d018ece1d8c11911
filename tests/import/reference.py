# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""reference.py: what Pinocchio (PyPI `pin`) says about the robots in tests/import/data, as NAME.reference beside each URDF,
for test_urdf. Run by hand when a robot changes, with the Python of scripts/check_models.

A file is lines of words: `base WORD`; `body NAME MASS COM(3) INERTIA(xx yy zz xy xz yz)`; then, for each state, `q NAME
NUMBERS` and `v NAME NUMBERS` of a joint, `pose BODY P(3) QUAT(w x y z)`, `dofs NAME:K ...`, the order of what follows,
`M NUMBERS` by rows, `bias NUMBERS`, `end`."""

import os
import sys

import numpy as np
import pinocchio as pin

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "scripts", "models"))
import urdf  # noqa: E402

ROBOTS = [("arm", "fixed"), ("many_freedoms", "fixed"), ("gripper", "fixed"), ("walker", "fixed"), ("walker", "free"),
          ("walker", "planar")]
ROOTS = {"free": pin.JointModelFreeFlyer, "planar": pin.JointModelPlanar}
STATES = 5
KINDS = {"JointModelPlanar": "planar", "JointModelFreeFlyer": "free"}


def is_link(name):
    """Whether a link is one of the file: neither the world nor one that splits a planar joint."""
    return name != "world" and not name.endswith(("_1", "_2"))


def numbers(values):
    return " ".join(repr(float(x)) for x in np.asarray(values).ravel())


def tensor(matrix):
    return numbers([matrix[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])


def bodies(robot):
    """Mass, com and inertia of every link, from the robot without fixed joints."""
    loose = urdf.loosened(robot)
    model = pin.buildModelFromXML(urdf.text_of(loose))
    child = {joint.get("name"): joint.find("child").get("link") for joint in loose.findall("joint")}
    links = {child[model.names[j]]: model.inertias[j] for j in range(1, model.njoints)}
    for link in loose.findall("link"):
        links.setdefault(link.get("name"), model.inertias[0])
    for name, inertia in links.items():
        if is_link(name):
            lever = inertia.lever if inertia.mass else np.zeros(3)
            yield f"body {name} {numbers([inertia.mass])} {numbers(lever)} {tensor(inertia.inertia)}"


def coordinates(model):
    """The joints as tractrix has them, in Pinocchio's order: what urdf.Joints needs to know."""
    joints, nq, nv = [], 0, 0
    for j in range(1, model.njoints):
        joint = model.joints[j]
        kind = KINDS.get(joint.shortname(), "hinge")
        limits = [-3.0, 3.0]
        if kind == "hinge" and joint.nq == 1:
            limits = [model.lowerPositionLimit[joint.idx_q], model.upperPositionLimit[joint.idx_q]]
        size = {"hinge": (1, 1), "planar": (3, 3), "free": (7, 6)}[kind]
        joints.append({"name": model.names[j], "type": kind, "q": nq, "v": nv, "limits": limits, "size": size})
        nq, nv = nq + size[0], nv + size[1]
    return {"joints": joints, "nq": nq, "nv": nv, "bodies": []}


def parts(joint, floating):
    """Names of the joints that tractrix makes of one, with their shares of q and v."""
    name, q, v = joint["name"], joint["q"], joint["v"]
    if joint["type"] == "free" and name in floating:
        return [(f"{name}_{axis}", slice(q + i, q + i + 1), slice(v + i, v + i + 1)) for i, axis in enumerate("xyz")] + \
               [(f"{name}_turn", slice(q + 3, q + 7), slice(v + 3, v + 6))]
    return [(name, slice(q, q + joint["size"][0]), slice(v, v + joint["size"][1]))]


def states(robot, model, ours, floating):
    data, joints, generator = model.createData(), urdf.Joints(ours, model), np.random.default_rng(7)
    pieces = [part for joint in ours["joints"] for part in parts(joint, floating)]
    for _ in range(STATES):
        q, v, p, T, drift = joints.random(generator)
        for name, in_q, in_v in pieces:
            yield f"q {name} {numbers(q[in_q])}"
            yield f"v {name} {numbers(v[in_v])}"
        pin.framesForwardKinematics(model, data, p)
        links = {link.get("name") for link in robot.findall("link") if is_link(link.get("name"))}
        for k in range(model.nframes):
            frame = model.frames[k]
            if frame.type == pin.FrameType.BODY and frame.name in links:
                x, y, z, w = pin.Quaternion(data.oMf[k].rotation).coeffs()
                yield f"pose {frame.name} {numbers(data.oMf[k].translation)} {numbers([w, x, y, z])}"
        M = np.triu(pin.crba(model, data, p))
        M = M + np.triu(M, 1).T
        yield "dofs " + " ".join(f"{name}:{i}" for name, _, in_v in pieces for i in range(in_v.stop - in_v.start))
        yield f"M {numbers(T.T @ M @ T)}"
        yield f"bias {numbers(T.T @ pin.rnea(model, data, p, T @ v, drift))}"
        yield "end"


def reference(name, base):
    robot, rotors = urdf.prepare(os.path.join(HERE, "data", f"{name}.urdf"))
    moving = {joint.find("child").get("link") for joint in robot.findall("joint") if joint.get("type") != "fixed"}
    floating = {joint.get("name") for joint in robot.findall("joint")
                if joint.get("type") == "floating" and joint.find("parent").get("link") in moving}
    text = urdf.text_of(robot)
    model = pin.buildModelFromXML(text, ROOTS[base]()) if base in ROOTS else pin.buildModelFromXML(text)
    if base in ROOTS:
        model.names[1] = next(link.get("name") for link in robot.findall("link") if link.get("name") not in moving)
    model = urdf.with_rotors(model, rotors)
    lines = [f"base {base}", *bodies(robot), *states(robot, model, coordinates(model), floating)]
    ending = "" if base == "fixed" else f"_{base}"
    with open(os.path.join(HERE, "data", f"{name}{ending}.reference"), "w") as file:
        file.write("\n".join(lines) + "\n")


for robot_name, base_word in ROBOTS:
    reference(robot_name, base_word)
