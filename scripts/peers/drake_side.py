# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Drake's side of scripts/bench_peers: the scenes g_iiwa_plate and g_ball_box of problems/bench/ as a discrete MultibodyPlant, one
step in double and in AutoDiffXd.

Derivatives are taken in the coordinates of tractrix: the seeds are the derivatives of Drake's q and v by the tangent coordinates, and what
comes out is mapped back. A free body is there [quaternion, position | spin, velocity], all in the world; here [position,
quaternion | velocity, spin], the spin and small rotations in body axes."""

import os
import time

import numpy as np
from pydrake.autodiffutils import AutoDiffXd, ExtractGradient, ExtractValue
from pydrake.geometry import AddContactMaterial, Box, ProximityProperties, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction, DiscreteContactApproximation
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.framework import DiagramBuilder

HERE = os.path.dirname(os.path.abspath(__file__))
APPROXIMATIONS = {"kLagged": DiscreteContactApproximation.kLagged, "kSimilar": DiscreteContactApproximation.kSimilar,
                  "kSap": DiscreteContactApproximation.kSap}


def material():
    """Stiffness 1e4 N/m, dissipation 0.2 s/m, friction 0.5, relaxation time 0.05 s: a pair has 5e3, 0.2, 0.5, 0.1."""
    properties = ProximityProperties()
    AddContactMaterial(dissipation=0.2, point_stiffness=1e4, friction=CoulombFriction(0.5, 0.5), properties=properties)
    properties.AddProperty("material", "relaxation_time", 0.05)
    return properties


def matrix(quaternion):
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def cross(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def turning(quaternion):
    """4 x 3: derivative of a quaternion by a small rotation in body axes."""
    w, x, y, z = quaternion
    return 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


class Scene:
    """One scene under one approximation; states and derivatives in the coordinates of tractrix."""

    def __init__(self, name, approximation, step=0.001):
        builder = DiagramBuilder()
        plant, _ = AddMultibodyPlantSceneGraph(builder, step)
        plant.set_discrete_contact_approximation(APPROXIMATIONS[approximation])
        plant.SetUseSampledOutputPorts(False)
        arm = name == "g_iiwa_plate"
        if arm:
            Parser(plant).AddModels(os.path.join(HERE, "iiwa.urdf"))
            plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("link_0"))
            plant.RegisterCollisionGeometry(plant.GetBodyByName("link_7"), RigidTransform([0, 0, 0.07]), Sphere(0.05), "tip",
                                            material())
        mass, moments = (0.45, (0.0012, 0.0012, 0.0023)) if arm else (0.5, (5e-4, 5e-4, 5e-4))
        inertia = SpatialInertia(mass, np.zeros(3), UnitInertia(*[moment / mass for moment in moments]))
        free = plant.AddModelInstance("free")
        body = plant.AddRigidBody("plate" if arm else "ball", free, inertia)
        if not arm:
            plant.RegisterCollisionGeometry(body, RigidTransform(), Sphere(0.05), "ball", material())
        plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform([0, 0, -0.05]), Box(2, 2, 0.1), "ground", material())
        plant.set_stiction_tolerance(1e-4)
        plant.Finalize()
        self.arm, self.joints, self.controls = arm, 7 if arm else 0, 7 if arm else 0
        self.nv = self.joints + 6
        self.plain = self.side(builder.Build(), plant)
        converted = self.plain[0].ToAutoDiffXd()
        self.automatic = self.side(converted, converted.GetSubsystemByName(plant.get_name()))
        self.plant = plant

    @staticmethod
    def side(diagram, plant):
        context = diagram.CreateDefaultContext()
        return diagram, plant, context, plant.GetMyMutableContextFromRoot(context), diagram.AllocateDiscreteVariables()

    def split(self, x):
        """q of the joints, position and quaternion, v of the joints, velocity and spin in body axes."""
        n = self.joints
        return x[:n], x[n:n + 3], x[n + 3:n + 7], x[n + 7:2 * n + 7], x[2 * n + 7:2 * n + 10], x[2 * n + 10:]

    def theirs(self, x):
        q, p, quaternion, v, velocity, spin = self.split(x)
        return np.concatenate([q, quaternion, p, v, matrix(quaternion) @ spin, velocity])

    def ours(self, y):
        n = self.joints
        q, quaternion, p = y[:n], y[n:n + 4], y[n + 4:n + 7]
        v, spin, velocity = y[n + 7:2 * n + 7], y[2 * n + 7:2 * n + 10], y[2 * n + 10:]
        return np.concatenate([q, p, quaternion, v, velocity, matrix(quaternion).T @ spin])

    def seeds(self, x):
        """Derivative of Drake's state by [dq; dv] here."""
        n, nv = self.joints, self.nv
        _, _, quaternion, _, _, spin = self.split(x)
        R = matrix(quaternion)
        S = np.zeros((2 * nv + 1, 2 * nv))
        S[:n, :n] = np.eye(n)
        S[n:n + 4, n + 3:n + 6] = turning(quaternion)
        S[n + 4:n + 7, n:n + 3] = np.eye(3)
        S[n + 7:2 * n + 7, nv:nv + n] = np.eye(n)
        S[2 * n + 7:2 * n + 10, n + 3:n + 6] = -R @ cross(spin)
        S[2 * n + 7:2 * n + 10, nv + n + 3:] = R
        S[2 * n + 10:, nv + n:nv + n + 3] = np.eye(3)
        return S

    def back(self, y, D):
        """Derivative of [dq'; dv'] from that of Drake's next state."""
        n, nv = self.joints, self.nv
        quaternion, spin_world = y[n:n + 4], y[2 * n + 7:2 * n + 10]
        R = matrix(quaternion)
        unit = quaternion / np.linalg.norm(quaternion)
        out = np.zeros((2 * nv, D.shape[1]))
        out[:n] = D[:n]
        out[n:n + 3] = D[n + 4:n + 7]
        turn = 4 * turning(unit).T @ D[n:n + 4] / np.linalg.norm(quaternion)
        out[n + 3:n + 6] = turn
        out[nv:nv + n] = D[n + 7:2 * n + 7]
        out[nv + n:nv + n + 3] = D[2 * n + 10:]
        out[nv + n + 3:] = R.T @ D[2 * n + 7:2 * n + 10] + cross(R.T @ spin_world) @ turn
        return out

    def advance(self, side, y, u):
        diagram, plant, context, inner, values = side
        plant.SetPositionsAndVelocities(inner, y)
        if self.controls:
            plant.get_actuation_input_port().FixValue(inner, u)
        diagram.CalcForcedDiscreteVariableUpdate(context, values)
        return values.get_vector(0).CopyToVector()

    def step(self, x):
        return self.ours(self.advance(self.plain, self.theirs(x), np.zeros(self.controls)))

    def run(self, x, steps):
        """States of a simulation, in one line each."""
        states, y = [], self.theirs(x)
        for _ in range(steps):
            y = self.advance(self.plain, y, np.zeros(self.controls))
            states.append(self.ours(y))
        return np.array(states)

    def seeded(self, x):
        y, S = self.theirs(x), self.seeds(x)
        S = np.hstack([S, np.zeros((S.shape[0], self.controls))])
        U = np.hstack([np.zeros((self.controls, 2 * self.nv)), np.eye(self.controls)])
        return (np.array([AutoDiffXd(value, row) for value, row in zip(y, S)]),
                np.array([AutoDiffXd(0.0, row) for row in U]))

    def derivatives(self, x):
        """A and B by AutoDiffXd."""
        y = self.advance(self.automatic, *self.seeded(x))
        D = self.back(ExtractValue(y).ravel(), ExtractGradient(y))
        return D[:, :2 * self.nv], D[:, 2 * self.nv:]

    def contacts(self, x):
        _, plant, _, inner, _ = self.plain
        plant.SetPositionsAndVelocities(inner, self.theirs(x))
        return plant.get_contact_results_output_port().Eval(inner).num_point_pair_contacts()

    def time_step(self, x, count):
        """Median time of a step in double [us]; setting the state is part of it, as a cached result would be read otherwise."""
        y, u = self.theirs(x), np.zeros(self.controls)
        return self.timed(count, lambda: self.advance(self.plain, y, u))

    def time_derivatives(self, x, count):
        y, u = self.seeded(x)
        return self.timed(count, lambda: self.advance(self.automatic, y, u))

    @staticmethod
    def timed(count, call):
        times = []
        for _ in range(count):
            start = time.perf_counter()
            call()
            times.append(1e6 * (time.perf_counter() - start))
        return float(np.median(times))
