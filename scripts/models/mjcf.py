# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""MJCF against MuJoCo's own loader.

Inertias, mass matrices and bias forces are compared relative to their largest number, however small: a finger weighs little.
Textures that are named but not there are replaced by a grey one, as MuJoCo reads nothing without them. Beside the quantities
of the table, limits, springs, damping, friction and references of joints, and gains and limits of drives are compared."""

import glob
import os
import re
import struct
import xml.etree.ElementTree as ElementTree
import zlib

import mujoco
import numpy as np

from common import STATES, Result, full_tensor, run_forces, run_probe

FREE, BALL = 0, 1
WORLD = ("world", "worldbody")  # the body that carries what is fixed to the world


def version():
    return f"MuJoCo {mujoco.__version__}"


def is_robot(path):
    """Whether there are bodies in it, itself or by inclusion; parts are read with what includes them."""
    root = ElementTree.parse(path).getroot()
    return root.find("worldbody") is not None or root.find("include") is not None


# ---- MuJoCo's side ----

def grey_png():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\x80" * 12 for _ in range(4))
    header = struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def missing_textures(path):
    """Grey pictures for textures that the file names and that are not there."""
    folder, missing = os.path.dirname(path), {}
    for name in glob.glob(os.path.join(folder, "*.xml")):
        with open(name) as file:
            for texture in re.findall(r'file="([^"]*\.png)"', file.read()):
                if not glob.glob(os.path.join(folder, "**", os.path.basename(texture)), recursive=True):
                    missing[texture] = grey_png()
    return missing


def load(path):
    try:
        model = mujoco.MjModel.from_xml_path(path)
    except ValueError:
        return mujoco.MjModel.from_xml_path(path, missing_textures(path))
    spec = mujoco.MjSpec.from_file(path)
    if not spec.compiler.fusestatic:
        return model
    spec.compiler.fusestatic = False  # bodies without joints are kept here
    return spec.compile()


def random_states(m, rng):
    for _ in range(STATES):
        q = m.qpos0.copy()
        for j in range(m.njnt):
            at, kind = m.jnt_qposadr[j], m.jnt_type[j]
            if kind not in (FREE, BALL):
                q[at] += rng.uniform(-1, 1)
                continue
            if kind == FREE:
                q[at:at + 3] = rng.normal(size=3)
                at += 3
            quat = rng.normal(size=4)
            q[at:at + 4] = quat / np.linalg.norm(quat)
        yield q, rng.normal(size=m.nv)


def tensor(m, body):
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, m.body_iquat[body])
    R = R.reshape(3, 3)
    return R @ np.diag(m.body_inertia[body]) @ R.T


def weighs_meshes(m):
    """Whether the mass of some body may come from meshes: then eigenvectors of nearly round bodies limit the digits."""
    return m.nmesh > 0


def wraps_inside(m):
    """Whether a tendon may run through an obstacle: MuJoCo ends the search for the point where it turns at 1e-6."""
    around = np.isin(m.wrap_type, [mujoco.mjtWrap.mjWRAP_SPHERE, mujoco.mjtWrap.mjWRAP_CYLINDER])
    return bool(np.any(around & (m.wrap_prm >= 0)))


def keys(m):
    """Number of keyframes; MuJoCo adds empty ones up to size/nkey, which are not counted."""
    return sum(bool(m.key(k).name) or not np.array_equal(m.key_qpos[k], m.qpos0) for k in range(m.nkey))


def pairs(m):
    """Number of pairs of geoms that may touch: mj_collision's filters and the explicit pairs, each once."""
    a, b = np.triu_indices(m.ngeom, 1)
    body_a, body_b = m.geom_bodyid[a], m.geom_bodyid[b]
    weld_a, weld_b = m.body_weldid[body_a], m.body_weldid[body_b]
    masks = (m.geom_contype[a] & m.geom_conaffinity[b]) | (m.geom_contype[b] & m.geom_conaffinity[a])
    parent_a, parent_b = (m.body_weldid[m.body_parentid[weld]] for weld in (weld_a, weld_b))
    filtered = (weld_a != 0) & (weld_b != 0) & ((weld_a == parent_b) | (weld_b == parent_a))
    if m.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_FILTERPARENT:
        filtered[:] = False
    signatures = (np.minimum(body_a, body_b) << 16) + np.maximum(body_a, body_b)
    excluded = np.isin(signatures, m.exclude_signature)
    kinds = np.array([mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD])
    flat = np.isin(m.geom_type[a], kinds) & np.isin(m.geom_type[b], kinds)
    still = (m.body_treeid[body_a] < 0) & (m.body_treeid[body_b] < 0)  # mocap bodies and the world: their contacts move nothing
    touching = (masks != 0) & (weld_a != weld_b) & ~filtered & ~excluded & ~flat & ~still
    found = {(int(i), int(j)) for i, j in zip(a[touching], b[touching])}
    found |= {(min(i, j), max(i, j)) for i, j in zip(m.pair_geom1.tolist(), m.pair_geom2.tolist())}
    return 0 if m.opt.disableflags & (mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT) else len(found)


# ---- comparing ----

def compare_bodies(result, answer, ours, m):
    for k, index in enumerate(ours):
        body, b = answer["bodies"][index], k + 1
        name = mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_BODY, b) or ""
        result.differ("mass", body["mass"], m.body_mass[b], name)
        if m.body_mass[b] == 0:
            continue
        theirs = tensor(m, b)
        size = np.max(np.abs(theirs)) or 1.0
        result.differ("com", body["com"], m.body_ipos[b], name)
        result.differ("inertia", full_tensor(body["inertia"]) / size, theirs / size, name)


def interval(limited, values):
    return list(values) if limited else [-np.inf, np.inf]


def compare_numbers(result, what, ours, theirs):
    digits = 0.1 * result.tolerance["M"]  # damping by ratios follows from M
    if not all(a == b or abs(a - b) <= max(digits, 1e-9) * max(1.0, abs(b)) for a, b in zip(ours, theirs)):
        result.faults.append(f"{what}: {list(ours)} against {list(theirs)}")


def compare_joints(result, answer, m):
    for j, joint in enumerate(answer["joints"]):
        a, q = m.jnt_dofadr[j], m.jnt_qposadr[j]
        ours = [joint["damping"], joint["stiffness"], joint["friction"], joint["armature"]]
        theirs = [np.ravel(m.dof_damping[a])[0], np.ravel(m.jnt_stiffness[j])[0], m.dof_frictionloss[a], m.dof_armature[a]]
        compare_numbers(result, f"joint {joint['name']}", ours, theirs)
        if m.jnt_type[j] in (FREE, BALL):
            continue
        limits = interval(m.jnt_limited[j], m.jnt_range[j])
        compare_numbers(result, f"limits and reference of {joint['name']}", [*joint["limits"], joint["reference"]],
                        [*limits, m.qpos0[q]])


def efforts(m, i):
    """Limits of the force of actuator i: its own, and those of a joint on which it acts alone."""
    lower, upper = interval(m.actuator_forcelimited[i], m.actuator_forcerange[i])
    joint, kind = m.actuator_trnid[i][0], m.actuator_trntype[i]
    of_joints = np.isin(m.actuator_trntype, [mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT])
    alone = np.sum(of_joints & (m.actuator_trnid[:, 0] == joint)) == 1
    if kind == mujoco.mjtTrn.mjTRN_JOINT and alone and m.jnt_actfrclimited[joint]:
        ends = np.sort(m.jnt_actfrcrange[joint] / m.actuator_gear[i][0])
        lower, upper = max(lower, ends[0]), min(upper, ends[1])
    return lower, upper


def is_muscle(m, i):
    return m.actuator_gaintype[i] == mujoco.mjtGain.mjGAIN_MUSCLE


def force_of_muscle(m, i):
    force, scale = m.actuator_gainprm[i][2:4]
    return force if force >= 0 else scale / m.actuator_acc0[i]


def compare_drives(result, answer, m):
    result.same("actuators", len(answer["actuators"]), m.nu)
    for i, drive in enumerate(answer["actuators"][:m.nu]):
        law = m.actuator_biasprm[i] if m.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_AFFINE else np.zeros(3)
        ours = [drive["gear"], drive["gain"], drive["bias"], drive["kp"], drive["kd"], *drive["limits"], *drive["effort"]]
        controls = interval(m.actuator_ctrllimited[i], m.actuator_ctrlrange[i])
        # of a motor without a state, limits of the control are also those of the force
        if drive["kp"] == 0 and drive["kd"] == 0 and m.actuator_actadr[i] < 0 and not is_muscle(m, i):
            ends = sorted((effort - drive["bias"]) / drive["gain"] for effort in efforts(m, i))
            controls = max(controls[0], ends[0]), min(controls[1], ends[1])
        gain = force_of_muscle(m, i) if is_muscle(m, i) else m.actuator_gainprm[i][0]
        theirs = [m.actuator_gear[i][0], gain, law[0], -law[1], -law[2], *controls, *efforts(m, i)]
        compare_numbers(result, f"drive {drive['name']}", ours, theirs)


def compare_tendons(result, state, m, d):
    """Lengths and gradients of all tendons at a state."""
    result.same("tendons", len(state["tendons"]), m.ntendon)
    J = np.zeros((m.ntendon, m.nv))
    mujoco.mju_sparse2dense(J, d.ten_J, m.ten_J_rownnz, m.ten_J_rowadr, m.ten_J_colind)
    for i, tendon in enumerate(state["tendons"][:m.ntendon]):
        result.differ("tendons", [tendon["length"], *tendon["gradient"]], [d.ten_length[i], *J[i]])


def compare_state(result, state, ours, m, d, q, v):
    d.qpos[:], d.qvel[:] = q, v
    mujoco.mj_forward(m, d)
    M = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, M)
    for k, index in enumerate(ours):
        pose, quat = state["poses"][index], d.xquat[k + 1]
        sign = 1 if np.dot(pose["quat"], quat) >= 0 else -1
        result.differ("poses", [*pose["p"], *pose["quat"]], [*d.xpos[k + 1], *(sign * quat)])
    if m.ntendon:
        compare_tendons(result, state, m, d)
    largest = np.max(np.abs(M), initial=1e-12)
    # bodies with gravcomp have no gravity here; MuJoCo compensates their weight by another force
    for name, theirs in (("M", M.ravel()), ("bias", d.qfrc_bias - d.qfrc_gravcomp)):
        size = max(np.max(np.abs(theirs), initial=0.0), largest)
        result.differ(name, np.asarray(state[name]) / size, theirs / size)


def silence(m, i):
    """Actuator i exerts no force."""
    m.actuator_gaintype[i], m.actuator_biastype[i] = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_NONE
    m.actuator_gainprm[i], m.actuator_biasprm[i] = 0, 0


def activations(m, u):
    """Activations with the values of their controls, as far as their ranges allow, by the number of the actuator. Those of muscles are
    shares of the force."""
    own = [i for i in range(m.nu) if m.actuator_actadr[i] >= 0]
    a = {i: float(np.clip(u[i], *interval(m.actuator_actlimited[i], m.actuator_actrange[i]))) for i in own}
    return {i: min(max(x, 0.0), 1.0) if is_muscle(m, i) else x for i, x in a.items()}


def set_controls(m, d, u):
    d.ctrl[:] = u
    for i, a in activations(m, u).items():
        d.act[m.actuator_actadr[i] + m.actuator_actnum[i] - 1] = a


def controls(m, served, rng):
    """Random controls within the limits of both sides: MuJoCo's and ours, in their orders."""
    theirs, ours = np.zeros(m.nu), []
    for i, drive in served:
        lower, upper = interval(m.actuator_ctrllimited[i], m.actuator_ctrlrange[i])
        lower, upper = max(lower, drive["limits"][0]), min(upper, drive["limits"][1])
        theirs[i] = np.clip(rng.uniform(-1, 1), lower, upper) if np.isinf(upper - lower) else rng.uniform(lower, upper)
        ours.append(theirs[i])
    return ours, theirs


def compare_forces(result, forces, path, answer, m, states):
    """Forces of gravity, springs, dampers, drag and actuators at random controls. An actuator that is left out here, with a note,
    exerts none on either side."""
    names = {drive["name"]: drive for drive in answer["actuators"]}
    all_served = len(names) == m.nu == len(answer["actuators"])
    served = []
    for i in range(m.nu):
        name = mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_ACTUATOR, i)
        drive = answer["actuators"][i] if all_served else names.get(name)
        if drive is None:
            silence(m, i)
        else:
            served.append((i, drive))
    if len(served) != len(answer["actuators"]):
        result.faults.append(f"actuators: {len(served)} of {len(answer['actuators'])} are MuJoCo's by their names")
        return
    rng, d = np.random.default_rng(2), mujoco.MjData(m)
    usual, m.opt.timestep = m.opt.timestep, 1e-14  # an early activation is the one at the end of the step, here of no length
    drawn = [controls(m, served, rng) for _ in states]
    found = run_forces(forces, path, [[*q, *v, *(activations(m, theirs)[i] for i, _ in served if m.actuator_actadr[i] >= 0), *ours]
                                       for (q, v), (ours, theirs) in zip(states, drawn)])
    for (q, v), (_, u), ours in zip(states, drawn, found):
        d.qpos[:], d.qvel[:] = q, v
        set_controls(m, d, u)
        mujoco.mj_forward(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        theirs = M @ d.qacc_smooth
        size = max(np.max(np.abs(theirs), initial=0.0), np.max(np.abs(M), initial=1e-12))
        result.differ("forces", ours / size, theirs / size)
    m.opt.timestep = usual


def check(probe, path):
    result = Result(path, "MJCF")
    m = load(path)
    d = mujoco.MjData(m)
    states = list(random_states(m, np.random.default_rng(1)))
    answer = run_probe(probe, path, states)
    if result.refused_by(answer):
        return result
    if weighs_meshes(m):
        result.tolerance.update(mass=1e-6, com=1e-6, inertia=1e-6, M=1e-7, bias=1e-7, forces=1e-7)
    if wraps_inside(m):
        result.tolerance["tendons"] = 1e-6
    ours = [i for i, body in enumerate(answer["bodies"]) if body["name"] not in WORLD]
    result.bodies, result.joints, result.mass = m.nbody - 1, m.njnt, float(np.sum(m.body_mass))
    result.same("bodies", len(ours), m.nbody - 1)
    result.same("joints", len(answer["joints"]), m.njnt)
    result.same("numbers of q, v", [answer["nq"], answer["nv"]], [m.nq, m.nv])
    if result.faults:
        return result
    tendons = sum(constraint["type"] == "tendon" for constraint in answer["constraints"])
    result.same("equalities", len(answer["constraints"]) - tendons, m.neq)
    off = m.opt.disableflags & (mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    result.same("equalities, limits of tendons", tendons, 0 if off else int(np.sum(m.tendon_limited != 0)))
    result.same("named states", len(answer["keyframes"]), keys(m))
    result.same("pairs", answer["pairs"], pairs(m))
    result.differ("mass", answer["mass"], result.mass)
    compare_bodies(result, answer, ours, m)
    compare_joints(result, answer, m)
    compare_drives(result, answer, m)
    for state, (q, v) in zip(answer["states"], states):
        compare_state(result, state, ours, m, d, q, v)
    compare_forces(result, os.path.join(os.path.dirname(probe), "model_forces"), path, answer, m, states[:3])
    return result
