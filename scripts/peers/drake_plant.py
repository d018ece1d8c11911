# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Drake as the plant of a controller: the four pushes of a box and the spinner as discrete MultibodyPlants with Drake's default contact
for discrete plants. States are x = [q; v] of tractrix.

A pair has the stiffness of the problem, 1e4 N/m, and its friction. Drake has one dissipation for each material, so the pusher's
contact has 2.5 s/m instead of 1. Drake finds one point between a box and a half space, so the box stands on four balls of 1 mm in its
lower corners."""

import numpy as np
from pydrake.geometry import AddContactMaterial, Box, HalfSpace, ProximityProperties, Sphere
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
from pydrake.multibody.tree import FixedOffsetFrame, PrismaticJoint, RevoluteJoint, RotationalInertia, SpatialInertia
from pydrake.systems.framework import DiagramBuilder

from drake_side import matrix

CORNER = 0.001  # radius of a ball under the box [m]


def material(friction, dissipation):
    """Drake's pairs have the harmonic mean of two frictions, half of two equal stiffnesses, and the mean of two dissipations."""
    properties = ProximityProperties()
    AddContactMaterial(dissipation=dissipation, point_stiffness=2e4, friction=CoulombFriction(friction, friction),
                       properties=properties)
    return properties


def inertia(mass, com, moments):
    return SpatialInertia.MakeFromCentralInertia(mass, np.array(com), RotationalInertia(*moments))


def add_push(plant):
    """The box and the pusher of problems/push_box*.yaml."""
    box = plant.AddRigidBody("box", plant.AddModelInstance("box"), inertia(0.5, [0, 0, 0], [0.5 * 0.01 / 6] * 3))
    table, tip = material(0.3, 5), material(1.5, 0)  # the pair of 0.3 and 1.5 has 0.5
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "ground", table)
    for corner in range(4):
        at = [(1 if corner & bit else -1) * (0.05 - CORNER) for bit in (1, 2)] + [CORNER - 0.05]
        plant.RegisterCollisionGeometry(box, RigidTransform(at), Sphere(CORNER), f"corner{corner}", table)
    hull = plant.RegisterCollisionGeometry(box, RigidTransform(), Box(0.1, 0.1, 0.1), "box", table)

    arm = plant.AddModelInstance("pusher")
    moments = [0.4 * 0.3 * 0.02 ** 2] * 3
    links = [plant.AddRigidBody(f"link{i}", arm, inertia(0.3, [0, 0, 0], moments) if i == 2 else SpatialInertia.Zero())
             for i in range(3)]
    joints = [plant.AddJoint(PrismaticJoint("p" + "xyz"[i], (links[i - 1] if i else plant.world_body()).body_frame(),
                                            links[i].body_frame(), np.eye(3)[i], damping=2)) for i in range(3)]
    plant.RegisterCollisionGeometry(links[2], RigidTransform(), Sphere(0.02), "tip", tip)
    plant.set_gravity_enabled(arm, False)
    return box, hull, joints, joints, 20


def add_spinner(plant):
    """The finger and the round body of problems/spinner.yaml; the hinges are vertical."""
    base = plant.AddFrame(FixedOffsetFrame("base", plant.world_frame(), RigidTransform(RollPitchYaw(np.pi / 2, 0, 0), [0, 0, 0])))
    rod = inertia(1, [0, 0, 0.5], [0.0839, 0.0839, 0.00125])
    bodies = [plant.AddRigidBody(name, plant.AddModelInstance(name), of)
              for name, of in (("finger1", rod), ("finger2", rod), ("spinner", inertia(1, [0, 0, 0], [0.054, 0.074, 0.022])))]
    knuckle = plant.AddFrame(FixedOffsetFrame("knuckle", bodies[0].body_frame(), RigidTransform([0, 0, 1])))
    centre = plant.AddFrame(FixedOffsetFrame("centre", base, RigidTransform([1.5, 0, 1])))
    joints = [plant.AddJoint(RevoluteJoint(name, parent, body.body_frame(), [0, 1, 0], damping=0.1))
              for name, parent, body in zip(("q1", "q2", "s"), (base, knuckle, centre), bodies)]
    rubber = material(0.5, 5)
    plant.RegisterCollisionGeometry(bodies[1], RigidTransform([0, 0, 0.95]), Sphere(0.05), "tip", rubber)
    plant.RegisterCollisionGeometry(bodies[2], RigidTransform(), Sphere(0.25), "disc", rubber)
    return None, None, joints, joints[:2], np.inf


class Plant:
    """`like` is the exported model in MuJoCo, whose coordinates are those of tractrix; of it only sizes and limits are read."""

    def __init__(self, name, like, time_step=0.001):
        builder = DiagramBuilder()
        self.plant, scene = AddMultibodyPlantSceneGraph(builder, time_step)
        self.plant.SetUseSampledOutputPorts(False)
        self.free, hull, self.joints, driven, effort = (add_spinner if name == "spinner" else add_push)(self.plant)
        for joint in driven:
            self.plant.AddJointActuator(joint.name(), joint, effort)
        self.plant.Finalize()
        if hull:
            self.ignore(scene, hull)
        self.diagram = builder.Build()
        self.context = self.diagram.CreateDefaultContext()
        self.inner = self.plant.GetMyMutableContextFromRoot(self.context)
        self.next = self.diagram.AllocateDiscreteVariables()
        self.model = like
        self.model.opt.timestep = time_step

    def ignore(self, scene, hull):
        """The hull of the box does not touch the ground, and its corners do not touch the pusher."""
        from pydrake.geometry import CollisionFilterDeclaration, GeometrySet
        manager, plant = scene.collision_filter_manager(), self.plant
        ground = plant.GetCollisionGeometriesForBody(plant.world_body())
        corners = [g for g in plant.GetCollisionGeometriesForBody(self.free) if g != hull]
        tip = plant.GetCollisionGeometriesForBody(plant.GetBodyByName("link2"))
        for one, other in (([hull], ground), (corners, tip)):
            manager.Apply(CollisionFilterDeclaration().ExcludeBetween(GeometrySet(one), GeometrySet(other)))

    def start(self, x):
        self.x = np.array(x, dtype=float)

    def state(self):
        return self.x

    def theirs(self, x):
        """Drake's [q; v]: a free body has [quaternion, position | spin, velocity] in the world; here [position, quaternion |
        velocity, spin], the spin in body axes."""
        q, v, nq = np.zeros(self.plant.num_positions()), np.zeros(self.plant.num_velocities()), self.model.nq
        first_q, first_v = (7, 6) if self.free else (0, 0)
        if self.free:
            at, rate = self.free.floating_positions_start(), self.free.floating_velocities_start_in_v()
            q[at:at + 4], q[at + 4:at + 7] = x[3:7], x[:3]
            v[rate:rate + 3], v[rate + 3:rate + 6] = matrix(x[3:7]) @ x[nq + 3:nq + 6], x[nq:nq + 3]
        for i, joint in enumerate(self.joints):
            q[joint.position_start()], v[joint.velocity_start()] = x[first_q + i], x[nq + first_v + i]
        return np.concatenate([q, v])

    def ours(self, y):
        x, nq = np.zeros(self.model.nq + self.model.nv), self.model.nq
        q, v = y[:self.plant.num_positions()], y[self.plant.num_positions():]
        first_q, first_v = (7, 6) if self.free else (0, 0)
        if self.free:
            at, rate = self.free.floating_positions_start(), self.free.floating_velocities_start_in_v()
            x[3:7], x[:3] = q[at:at + 4], q[at + 4:at + 7]
            x[nq + 3:nq + 6], x[nq:nq + 3] = matrix(x[3:7]).T @ v[rate:rate + 3], v[rate + 3:rate + 6]
        for i, joint in enumerate(self.joints):
            x[first_q + i], x[nq + first_v + i] = q[joint.position_start()], v[joint.velocity_start()]
        return x

    def step(self, u):
        self.plant.SetPositionsAndVelocities(self.inner, self.theirs(self.x))
        self.plant.get_actuation_input_port().FixValue(self.inner, np.asarray(u, dtype=float))
        self.diagram.CalcForcedDiscreteVariableUpdate(self.context, self.next)
        self.x = self.ours(self.next.get_vector(0).CopyToVector())
