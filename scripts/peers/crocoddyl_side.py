# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""crocoddyl's side of scripts/bench_peers: forward dynamics of an arm from a URDF file, integrated by its semi-implicit Euler step,
without costs. Times are those of a shooting problem of many equal nodes, divided by their number, so that the call from
Python does not count."""

import time

import crocoddyl
import numpy as np
import pinocchio

NODES = 100


class Arm:
    def __init__(self, urdf, step):
        # hinges without limits as one coordinate each, not as points of a circle
        with open(urdf, encoding="utf-8") as file:
            text = file.read().replace('type="continuous">', 'type="revolute"><limit lower="-10" upper="10" effort="1e9" velocity="1e9"/>')
        self.model = pinocchio.buildModelFromXML(text)
        self.state = crocoddyl.StateMultibody(self.model)
        actuation = crocoddyl.ActuationModelFull(self.state)
        costs = crocoddyl.CostModelSum(self.state, self.model.nv)
        dynamics = crocoddyl.DifferentialActionModelFreeFwdDynamics(self.state, actuation, costs)
        self.node = crocoddyl.IntegratedActionModelEuler(dynamics, step)

    def derivatives(self, x):
        data, u = self.node.createData(), np.zeros(self.model.nv)
        self.node.calc(data, x, u)
        self.node.calcDiff(data, x, u)
        return np.array(data.Fx), np.array(data.Fu).reshape(len(x), -1)

    def times(self, x, count):
        """Median time of a node's calc, and of calc and calcDiff [us]."""
        problem = crocoddyl.ShootingProblem(x, [self.node] * NODES, self.node)
        problem.nthreads = 1
        xs, us = [x] * (NODES + 1), [np.zeros(self.model.nv)] * NODES
        calc, both = [], []
        for _ in range(count):
            start = time.perf_counter()
            problem.calc(xs, us)
            middle = time.perf_counter()
            problem.calcDiff(xs, us)
            calc.append(middle - start)
            both.append(time.perf_counter() - start)
        return [1e6 * float(np.median(times)) / NODES for times in (calc, both)]
