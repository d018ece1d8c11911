#!/usr/bin/env python3
# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""tests/import/reference_mjcf.py: writes data/NAME.ref beside every data/mjcf_*.xml: what MuJoCo's own compiler makes of the
file, as lines of a word, names and numbers that tests/import/mjcf/case.c compares with. Made with PyPI mujoco 4.0.0
and numpy; run again when a file changes.

    size NQ NV NU          gravity X Y Z
    body NAME MASS COM INERTIA               inertia xx yy zz xy xz yz about com, body axes
    joint NAME LOWER UPPER DAMPING STIFFNESS REST ARMATURE FRICTION REFERENCE    (hinges and slides)
    actuator NAME GEAR GAIN BIAS KP KD LOWER UPPER EFFORT_LOWER EFFORT_UPPER FACTORS
    geom NAME BODY SHAPE POSITION QUATERNION SIZE(3, half lengths) TYPE MASK FRICTION COLOUR
    site NAME BODY POSITION QUATERNION
    coupler|ball|weld A B NUMBERS            coupler: values at two positions of B; ball, weld: poses on A and on B
    key NAME QPOS QVEL CTRL
    act KEY ACT                              activations of the actuators that have one
    activation NAME TYPE TIME LOWER UPPER EARLY                          TYPE 1 filter, 2 integrator, 3 muscle
    pull Q V CTRL ACT FORCES RATES ACCELERATIONS     of files with muscles: forces of actuators, rates of activations
    drive CTRL ACT FORCES NEXT               motors at rest, a step of the option timestep; nan: MuJoCo's explicit filter, or no motor
    state Q V, then: pose BODY POSITION QUATERNION ..., M ROW-BY-ROW, bias ..., and with spatial tendons: tendon NAME LENGTH
        GRADIENT ..., moment ACTUATOR LENGTH GRADIENT ..., passive FORCES
"""

import glob
import os

import mujoco
import numpy as np

OBJ = mujoco.mjtObj
SHAPES = {0: "halfspace", 2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh"}


def text(*values):
    return " ".join(v if isinstance(v, str) else " ".join("%.17g" % x for x in np.ravel(v)) for v in values)


def name(m, kind, index):
    return mujoco.mj_id2name(m, kind, index)


def mul(a, b):
    p, q = np.zeros(3), np.zeros(4)
    mujoco.mju_mulPose(p, q, a[0], a[1], b[0], b[1])
    return p, q


def inverse(a):
    p, q = np.zeros(3), np.zeros(4)
    mujoco.mju_negPose(p, q, a[0], a[1])
    return p, q


def full_inertia(m, b):
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, m.body_iquat[b])
    R = R.reshape(3, 3)
    T = R @ np.diag(m.body_inertia[b]) @ R.T
    return [T[0, 0], T[1, 1], T[2, 2], T[0, 1], T[0, 2], T[1, 2]]


def interval(limited, pair):
    return pair if limited else [-np.inf, np.inf]


def joint_line(m, j):
    a, q = m.jnt_dofadr[j], m.jnt_qposadr[j]
    return text("joint", name(m, OBJ.mjOBJ_JOINT, j), interval(m.jnt_limited[j], m.jnt_range[j]),
                np.ravel(m.dof_damping[a])[0], np.ravel(m.jnt_stiffness[j])[0], m.qpos_spring[q], m.dof_armature[a],
                m.dof_frictionloss[a], m.qpos0[q])


def bends(m, i):
    """Whether an actuator acts on a tendon through space."""
    tendon = m.actuator_trntype[i] == mujoco.mjtTrn.mjTRN_TENDON
    return tendon and m.wrap_type[m.tendon_adr[m.actuator_trnid[i][0]]] != mujoco.mjtWrap.mjWRAP_JOINT


def actuator_line(m, d, i):
    law = m.actuator_biasprm[i] if m.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_AFFINE else np.zeros(3)
    moment = np.zeros((m.nu, m.nv))
    mujoco.mju_sparse2dense(moment, d.actuator_moment, d.moment_rownnz, d.moment_rowadr, d.moment_colind)
    factors = [] if bends(m, i) else [x for x in moment[i] if x != 0]
    gain = muscle_force(m, i) if is_muscle(m, i) else m.actuator_gainprm[i][0]
    return text("actuator", name(m, OBJ.mjOBJ_ACTUATOR, i), m.actuator_gear[i][0], gain, law[0],
                0 - law[1], 0 - law[2], interval(m.actuator_ctrllimited[i], m.actuator_ctrlrange[i]),
                interval(m.actuator_forcelimited[i], m.actuator_forcerange[i]), factors)


def is_muscle(m, i):
    return m.actuator_gaintype[i] == mujoco.mjtGain.mjGAIN_MUSCLE


def muscle_force(m, i):
    force, scale = m.actuator_gainprm[i][2:4]
    return force if force >= 0 else scale / m.actuator_acc0[i]


def muscle_lines(m, d):
    """100 random states of a file with muscles: within the ranges of lengths and beyond them."""
    if not any(is_muscle(m, i) for i in range(m.nu)):
        return []
    rng, lines = np.random.default_rng(13), []
    early, m.actuator_actearly[:] = m.actuator_actearly.copy(), False
    for _ in range(100):
        mujoco.mj_resetData(m, d)
        d.qpos[:], d.qvel[:] = random_state(m, rng)
        d.qpos[:] *= rng.choice([0.3, 1, 3])
        d.qvel[:] *= rng.choice([0.1, 1, 4])
        d.ctrl[:], d.act[:] = rng.uniform(0, 1, size=m.nu), rng.uniform(0, 1, size=m.na)
        mujoco.mj_forward(m, d)
        lines.append(text("pull", d.qpos, d.qvel, d.ctrl, d.act, d.actuator_force, d.act_dot, d.qacc_smooth))
    m.actuator_actearly[:] = early
    mujoco.mj_resetData(m, d)
    return lines


def activation_lines(m, d):
    Dyn = mujoco.mjtDyn
    own = [i for i in range(m.nu) if m.actuator_dyntype[i] != Dyn.mjDYN_NONE]
    if m.na == 0 or m.nkey == 0:
        return []
    lines = [text("act", name(m, OBJ.mjOBJ_KEY, k), m.key_act[k]) for k in range(m.nkey)]
    for i in own:
        kind = {int(Dyn.mjDYN_INTEGRATOR): 2, int(Dyn.mjDYN_MUSCLE): 3}.get(int(m.actuator_dyntype[i]), 1)
        lines.append(text("activation", name(m, OBJ.mjOBJ_ACTUATOR, i), kind, m.actuator_dynprm[i][0],
                          interval(m.actuator_actlimited[i], m.actuator_actrange[i]), float(m.actuator_actearly[i])))
    rng = np.random.default_rng(11)
    for _ in range(0 if muscle_lines(m, d) else 5):
        mujoco.mj_resetData(m, d)
        d.ctrl[:], d.act[:] = 2 * rng.normal(size=m.nu), 0.3 * rng.normal(size=m.na)
        ctrl, act = d.ctrl.copy(), d.act.copy()
        mujoco.mj_step(m, d)
        motor = [not m.actuator_biasprm[i][1:].any() for i in range(m.nu)]
        explicit = [m.actuator_dyntype[i] == Dyn.mjDYN_FILTER for i in own]
        lines.append(text("drive", ctrl, act, np.where(motor, d.actuator_force, np.nan), np.where(explicit, np.nan, d.act)))
    mujoco.mj_resetData(m, d)
    return lines


def geom_line(m, g):
    pose = (m.geom_pos[g], m.geom_quat[g])
    if m.geom_type[g] == 7:
        mesh = m.geom_dataid[g]
        pose = mul(pose, inverse((m.mesh_pos[mesh], m.mesh_quat[mesh])))
    colour = m.geom_rgba[g]
    if m.geom_matid[g] >= 0 and np.allclose(colour, [0.5, 0.5, 0.5, 1]):
        colour = m.mat_rgba[m.geom_matid[g]]
    size = m.geom_size[g] if m.geom_type[g] not in (0, 7) else np.zeros(3)
    return text("geom", name(m, OBJ.mjOBJ_GEOM, g), name(m, OBJ.mjOBJ_BODY, m.geom_bodyid[g]), SHAPES[m.geom_type[g]],
                pose[0], pose[1], size, [m.geom_contype[g], m.geom_conaffinity[g]], m.geom_friction[g][0], colour)


def coupled(m, q0, data, x):
    return q0 + sum(data[i] * x**i for i in range(5))


def equality_line(m, i):
    kind, data = m.eq_type[i], m.eq_data[i]
    a, b = m.eq_obj1id[i], m.eq_obj2id[i]
    unit = [1, 0, 0, 0]
    if kind == mujoco.mjtEq.mjEQ_JOINT:
        y0, x0 = m.qpos0[m.jnt_qposadr[a]], m.qpos0[m.jnt_qposadr[b]] if b >= 0 else 0
        other = name(m, OBJ.mjOBJ_JOINT, b) if b >= 0 else "-"
        values = [coupled(m, y0, data, x - x0 if b >= 0 else 0) for x in (0.3, -0.8)]
        return text("coupler", name(m, OBJ.mjOBJ_JOINT, a), other, values)
    poses = []
    bodies = [a, b]
    if m.eq_objtype[i] == OBJ.mjOBJ_SITE:
        bodies = [m.site_bodyid[a], m.site_bodyid[b]]
        poses = [m.site_pos[a], m.site_quat[a], m.site_pos[b], m.site_quat[b]]
    elif kind == mujoco.mjtEq.mjEQ_CONNECT:
        poses = [data[0:3], unit, data[3:6], unit]
    else:
        poses = [data[3:6], data[6:10], data[0:3], unit]
    if kind == mujoco.mjtEq.mjEQ_CONNECT:
        poses[1] = poses[3] = unit
    word = "ball" if kind == mujoco.mjtEq.mjEQ_CONNECT else "weld"
    return text(word, *[name(m, OBJ.mjOBJ_BODY, x) for x in bodies], *poses)


def random_state(m, rng):
    q = m.qpos0.copy()
    for j in range(m.njnt):
        a, kind = m.jnt_qposadr[j], m.jnt_type[j]
        if kind >= 2:
            q[a] += rng.uniform(-1, 1)
            continue
        x = rng.normal(size=4)
        if kind == 0:
            q[a:a + 3] = rng.normal(size=3)
            a += 3
        q[a:a + 4] = x / np.linalg.norm(x)
    return q, rng.normal(size=m.nv)


def state_lines(m, d, q, v):
    d.qpos[:], d.qvel[:] = q, v
    mujoco.mj_forward(m, d)
    M = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, M)
    lines = [text("state", q, v)]
    for b in range(1, m.nbody):
        lines.append(text("pose", name(m, OBJ.mjOBJ_BODY, b), d.xpos[b], d.xquat[b]))
    return lines + [text("M", M), text("bias", d.qfrc_bias)] + tendon_lines(m, d)


def tendon_lines(m, d):
    if not any(m.tendon_num[i] and m.wrap_type[m.tendon_adr[i]] != mujoco.mjtWrap.mjWRAP_JOINT for i in range(m.ntendon)):
        return []
    J = np.zeros((m.ntendon, m.nv))
    mujoco.mju_sparse2dense(J, d.ten_J, m.ten_J_rownnz, m.ten_J_rowadr, m.ten_J_colind)
    lines = [text("tendon", name(m, OBJ.mjOBJ_TENDON, i), d.ten_length[i], J[i]) for i in range(m.ntendon)]
    moment = np.zeros((m.nu, m.nv))
    mujoco.mju_sparse2dense(moment, d.actuator_moment, d.moment_rownnz, d.moment_rowadr, d.moment_colind)
    lines += [text("moment", name(m, OBJ.mjOBJ_ACTUATOR, i), d.actuator_length[i], moment[i]) for i in range(m.nu)]
    return lines + [text("passive", d.qfrc_passive)]


def reference(path):
    m = mujoco.MjModel.from_xml_path(path)
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    lines = [text("size", [m.nq, m.nv, m.nu]), text("gravity", m.opt.gravity)]
    for b in range(1, m.nbody):
        lines.append(text("body", name(m, OBJ.mjOBJ_BODY, b), m.body_mass[b], m.body_ipos[b], full_inertia(m, b)))
    lines += [joint_line(m, j) for j in range(m.njnt) if m.jnt_type[j] >= 2]
    lines += [actuator_line(m, d, i) for i in range(m.nu) if name(m, OBJ.mjOBJ_ACTUATOR, i)]
    lines += [geom_line(m, g) for g in range(m.ngeom) if name(m, OBJ.mjOBJ_GEOM, g)]
    for s in range(m.nsite):
        lines.append(text("site", name(m, OBJ.mjOBJ_SITE, s), name(m, OBJ.mjOBJ_BODY, m.site_bodyid[s]), m.site_pos[s],
                          m.site_quat[s]))
    for i in range(m.neq):
        if m.eq_type[i] != mujoco.mjtEq.mjEQ_TENDON:
            lines.append(equality_line(m, i))
    for k in range(m.nkey):
        lines.append(text("key", name(m, OBJ.mjOBJ_KEY, k), m.key_qpos[k], m.key_qvel[k], m.key_ctrl[k]))
    lines += activation_lines(m, d) + muscle_lines(m, d)
    rng = np.random.default_rng(7)
    for _ in range((40 if "tendons" in os.path.basename(path) else 3) if m.nv else 0):
        lines += state_lines(m, d, *random_state(m, rng))
    return lines


def main():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
    for path in sorted(glob.glob(os.path.join(folder, "mjcf_*.xml"))):
        with open(path[:-4] + ".ref", "w") as out:
            out.write("\n".join(reference(path)) + "\n")


if __name__ == "__main__":
    main()
