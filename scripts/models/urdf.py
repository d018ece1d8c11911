# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""URDF against Pinocchio.

Pinocchio is stricter than the files in use, and reads less of them. So that both see the same robot, a copy of the text is
prepared for it: elements of simulators are removed (their rotor inertias are kept aside, as armature); a parent `world` that
is no link becomes one, and roots beside it hang on it; revolute joints without limits get wide ones; a planar joint whose
axis is not z, which Pinocchio turns into one about z, becomes two prismatic joints and a revolute one, along the directions
that tractrix uses. A second copy has a joint in place of every fixed one: there each link is a body of its own, with its own
inertia."""

import os
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pinocchio as pin

from common import FORCE_STATES, STATES, Result, full_tensor, notes_of, rotation, run_forces, run_probe


def version():
    return f"Pinocchio {pin.__version__}"


# ---- the text that Pinocchio reads ----

def parse(path):
    """The robot as a tree without namespaces; simulators' elements keep a plain prefix ("drake_")."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"<(/?)(\w+):", r"<\1\2_", text)
    return ElementTree.fromstring(text.encode())


def rotors(robot):
    """Reflected rotor inertia of joints, by their names."""
    found = {}
    for transmission in robot.findall("transmission"):
        actuator, joint = transmission.find("actuator"), transmission.find("joint")
        rotor = actuator.find("drake_rotor_inertia") if actuator is not None else None
        if rotor is None or joint is None:
            continue
        gear = actuator.find("drake_gear_ratio")
        ratio = float(gear.get("value")) if gear is not None else 1.0
        found[joint.get("name")] = float(rotor.get("value")) * ratio ** 2
    return found


def add(parent, tag, **attributes):
    return ElementTree.SubElement(parent, tag, {key: str(value) for key, value in attributes.items()})


def connect_world(robot):
    """The undefined parent `world` becomes a link, and every other root hangs on it."""
    links = {link.get("name") for link in robot.findall("link")}
    children = {joint.find("child").get("link") for joint in robot.findall("joint")}
    parents = {joint.find("parent").get("link") for joint in robot.findall("joint")}
    if "world" in links or "world" not in parents:
        return
    add(robot, "link", name="world")
    for root in sorted(links - children):
        joint = add(robot, "joint", name=f"{root}_on_world", type="fixed")
        add(joint, "parent", link="world")
        add(joint, "child", link=root)


def directions(axis):
    """Two directions in the plane across a unit axis, right-handed with it (Duff et al. 2017)."""
    x, y, z = axis
    sign = np.copysign(1.0, z)
    a = -1 / (sign + z)
    b = x * y * a
    return (1 + sign * x * x * a, sign * b, -sign * x), (b, sign + y * y * a, -y)


def split_planar(robot, joint):
    name, child = joint.get("name"), joint.find("child").get("link")
    axis = joint.find("axis")
    n = np.array([float(x) for x in axis.get("xyz").split()]) if axis is not None else np.array([1.0, 0, 0])
    n /= np.linalg.norm(n)
    if n[0] == 0 and n[1] == 0 and n[2] > 0:
        return
    first, second = directions(n)
    joint.set("type", "prismatic")
    joint.set("name", f"{name}_x")
    joint.find("child").set("link", f"{child}_1")
    (axis if axis is not None else add(joint, "axis")).set("xyz", " ".join(map(repr, map(float, first))))
    add(joint, "limit", lower=-1e9, upper=1e9, effort=1e9, velocity=1e9)
    for ending, kind, direction, above, below in (("_y", "prismatic", second, f"{child}_1", f"{child}_2"),
                                                 ("_yaw", "continuous", n, f"{child}_2", child)):
        add(robot, "link", name=above)
        more = add(robot, "joint", name=name + ending, type=kind)
        add(more, "parent", link=above)
        add(more, "child", link=below)
        add(more, "axis", xyz=" ".join(map(repr, map(float, direction))))
        add(more, "limit", lower=-1e9, upper=1e9, effort=1e9, velocity=1e9)


def prepare(path):
    """The tree for Pinocchio, and the rotor inertias."""
    robot = parse(path)
    inertias = rotors(robot)
    connect_world(robot)
    for element in list(robot):
        if element.tag not in ("link", "joint"):
            robot.remove(element)
    for link in robot.findall("link"):
        for element in list(link):
            if element.tag != "inertial":
                link.remove(element)
    for joint in robot.findall("joint"):
        if joint.get("type") == "planar":
            split_planar(robot, joint)
        if joint.get("type") in ("revolute", "prismatic") and joint.find("limit") is None:
            add(joint, "limit", lower=-1e9, upper=1e9, effort=1e9, velocity=1e9)
    return robot, inertias


def text_of(robot):
    return ElementTree.tostring(robot, encoding="unicode")


def loosened(robot):
    """The same robot with a joint in place of every fixed one."""
    copy = ElementTree.fromstring(text_of(robot))
    for joint in copy.findall("joint"):
        if joint.get("type") == "fixed":
            joint.set("type", "continuous")
    return copy


# ---- names ----

def our_name(name, names, what):
    """The name that tractrix gave to what the file calls `name`."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    for candidate in (plain, f"{plain}_{what}", f"{what}_{plain}"):
        if candidate in names:
            return candidate
    return None


# ---- states ----

class Joints:
    """How the coordinates of one model are those of the other."""

    def __init__(self, ours, model):
        names = {joint["name"] for joint in ours["joints"]}
        index = {joint["name"]: joint for joint in ours["joints"]}
        self.pairs, self.missing = [], []
        for j in range(1, model.njoints):
            name = our_name(model.names[j], names, "joint")
            if name is None:
                self.missing.append(model.names[j])
            else:
                self.pairs.append((index[name], model.joints[j], model.names[j]))
        self.ours, self.model = ours, model

    def random(self, generator):
        """q and v of tractrix, q and v of Pinocchio, T and dT/dt v with v_pin = T v."""
        ours, model = self.ours, self.model
        q, v = np.zeros(ours["nq"]), generator.normal(size=ours["nv"])
        p, T, drift = pin.neutral(model), np.zeros((model.nv, ours["nv"])), np.zeros(model.nv)
        for joint, theirs, _ in self.pairs:
            a, b, i, k = joint["q"], joint["v"], theirs.idx_q, theirs.idx_v
            if joint["type"] in ("hinge", "slide"):
                lower, upper = (max(-3, joint["limits"][0]), min(3, joint["limits"][1]))
                q[a] = generator.uniform(lower, upper)
                p[i:i + theirs.nq] = [np.cos(q[a]), np.sin(q[a])] if theirs.nq == 2 else [q[a]]
                T[k, b] = 1
            elif joint["type"] == "planar":
                x, y, yaw = q[a:a + 3] = generator.uniform(-1, 1, 3)
                c, s = np.cos(yaw), np.sin(yaw)
                p[i:i + 4] = [x, y, c, s]
                T[k:k + 2, b:b + 2], T[k + 2, b + 2] = [[c, s], [-s, c]], 1
                drift[k:k + 2] = v[b + 2] * (np.array([[-s, c], [-c, -s]]) @ v[b:b + 2])
            elif joint["type"] == "ball":
                quat = generator.normal(size=4)
                q[a:a + 4] = quat / np.linalg.norm(quat)
                p[i:i + 4] = [*q[a + 1:a + 4], q[a]]
                T[k:k + 3, b:b + 3] = np.eye(3)
            else:
                quat = generator.normal(size=4)
                q[a:a + 3], q[a + 3:a + 7] = generator.uniform(-1, 1, 3), quat / np.linalg.norm(quat)
                p[i:i + 7] = [*q[a:a + 3], *q[a + 4:a + 7], q[a + 3]]
                R = rotation(q[a + 3:a + 7])
                T[k:k + 3, b:b + 3], T[k + 3:k + 6, b + 3:b + 6] = R.T, np.eye(3)
                drift[k:k + 3] = -np.cross(v[b + 3:b + 6], R.T @ v[b:b + 3])
        return q, v, p, T, drift


# ---- comparison ----

def differ_scaled(result, quantity, ours, theirs, where=""):
    """The same relative to the largest number of `theirs`, however small (below 1e-9: as they are)."""
    scale = np.max(np.abs(theirs), initial=0)
    scale = scale if scale > 1e-9 else 1
    result.differ(quantity, np.asarray(ours) / scale, np.asarray(theirs) / scale, where)


def compare_bodies(result, ours, model, robot):
    """Mass, com and inertia of every link: in the loosened robot each is the body of one joint, the root of none."""
    names = {body["name"]: body for body in ours["bodies"]}
    child = {joint.get("name"): joint.find("child").get("link") for joint in robot.findall("joint")}
    roots = {link.get("name") for link in robot.findall("link")} - set(child.values())
    links = {child[model.names[j]]: model.inertias[j] for j in range(1, model.njoints)}
    links.update({root: model.inertias[0] for root in roots})
    seen = 0
    for link, inertia in links.items():
        name = our_name(link, names, "link")
        if name is None:
            if inertia.mass != 0:
                result.faults.append(f"link {link} with mass {inertia.mass:g} is no body")
            continue
        body, seen = names[name], seen + 1
        result.differ("mass", body["mass"], inertia.mass, link)
        if inertia.mass != 0:
            result.differ("com", body["com"], inertia.lever, link)
        differ_scaled(result, "inertia", full_tensor(body["inertia"]), inertia.inertia, link)
    result.same("bodies that are links", seen, len(ours["bodies"]))


def compare_state(result, state, ours, model, data, joints, q):
    _, v, p, T, drift = q
    pin.framesForwardKinematics(model, data, p)
    names = {body["name"]: i for i, body in enumerate(ours["bodies"])}
    for k in range(model.nframes):
        frame = model.frames[k]
        index = names.get(our_name(frame.name, names, "link")) if frame.type == pin.FrameType.BODY else None
        if index is None:
            continue
        pose, place = state["poses"][index], data.oMf[k]
        result.differ("poses", pose["p"], place.translation, frame.name)
        result.differ("poses", rotation(pose["quat"]), place.rotation, frame.name)
    nv = ours["nv"]
    if nv == 0:
        return
    M = pin.crba(model, data, p)
    M = np.triu(M) + np.triu(M, 1).T
    bias = pin.rnea(model, data, p, T @ v, drift)
    differ_scaled(result, "M", np.reshape(state["M"], (nv, nv)).T, T.T @ M @ T)
    differ_scaled(result, "bias", state["bias"], T.T @ bias)


def compare_states(result, probe, path, ours, model, options):
    """Poses, M and bias at random states."""
    joints = Joints(ours, model)
    if joints.missing:
        result.faults.append("joints not found: " + ", ".join(joints.missing))
    if joints.missing or not ours["nq"]:
        return
    generator = np.random.default_rng(1)
    states = [joints.random(generator) for _ in range(STATES)]
    answer = run_probe(probe, path, [(q[0], q[1]) for q in states], options)
    result.same("states", len(answer["states"]), STATES)
    data = model.createData()
    for state, q in zip(answer["states"], states):
        compare_state(result, state, ours, model, data, joints, q)


def motor_forces(ours, u):
    """Joint forces of our motors at the controls u; the motors of a URDF file push joints with one degree of freedom."""
    tau = np.zeros(ours["nv"])
    for drive, control in zip(ours["actuators"], u):
        tau[ours["joints"][drive["joint"]]["v"]] += drive["gear"] * (drive["gain"] * control + drive["bias"])
    return tau


def compare_forces(result, forces, path, ours, model):
    """Forces M dv/dt at random controls, with bias and damping by Pinocchio, against our motors. M is compared by itself."""
    joints = Joints(ours, model)
    if joints.missing or not ours["nq"]:
        return
    generator, data = np.random.default_rng(3), model.createData()
    states = [joints.random(generator) for _ in range(FORCE_STATES)]
    ends = [np.clip(drive["limits"], -10, 10) for drive in ours["actuators"]]
    controls = [[generator.uniform(*range_) for range_ in ends] for _ in states]
    answer = run_forces(forces, path, [[*q, *v, *u] for (q, v, *_), u in zip(states, controls)])
    for (_, v, p, T, drift), u, force in zip(states, controls, answer):
        M = pin.crba(model, data, p)
        needed = force + T.T @ (pin.rnea(model, data, p, T @ v, drift) + model.damping * (T @ v))
        size = max(np.max(np.abs(M)), np.max(np.abs(needed)), 1e-9)
        result.differ("forces", motor_forces(ours, u) / size, needed / size)


def with_rotors(model, inertias):
    for name, armature in inertias.items():
        if model.existJointName(name):
            model.armature[model.joints[model.getJointId(name)].idx_v] = armature
    return model


def compare_free(result, probe, path, robot, inertias):
    """The same with a root that is free, where the file lets it be."""
    options = ["--base", "free"]
    ours = run_probe(probe, path, options=options)
    children = {joint.find("child").get("link") for joint in robot.findall("joint")}
    root = next(link.get("name") for link in robot.findall("link") if link.get("name") not in children)
    if root == "world":
        return
    if "error" in ours:
        result.remarks.append("its root cannot be free: " + ours["messages"][0]["text"])
        return
    result.notes += notes_of(ours)
    model = with_rotors(pin.buildModelFromXML(text_of(robot), pin.JointModelFreeFlyer()), inertias)
    model.names[1] = root
    compare_states(result, probe, path, ours, model, options)


def check(probe, path):
    result = Result(path, "URDF")
    ours = run_probe(probe, path)
    if result.refused_by(ours):
        return result
    robot, inertias = prepare(path)
    model = with_rotors(pin.buildModelFromXML(text_of(robot)), inertias)
    result.bodies, result.joints, result.mass = len(ours["bodies"]), len(ours["joints"]), ours["mass"]
    result.same("joints", len(ours["joints"]), model.njoints - 1)
    result.differ("mass", ours["mass"], sum(inertia.mass for inertia in model.inertias), "of all")
    loose = loosened(robot)
    compare_bodies(result, ours, pin.buildModelFromXML(text_of(loose)), loose)
    compare_states(result, probe, path, ours, model, [])
    compare_free(result, probe, path, robot, inertias)
    compare_forces(result, os.path.join(os.path.dirname(probe), "model_forces"), path, ours, model)
    if inertias:
        result.remarks.append("rotor inertia of the simulator's extension is part of M on both sides")
    return result
