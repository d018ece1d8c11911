# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Plans the push of push_box.yaml, and runs its policy in a world that the plan does not know: python3 push.py push_box.yaml

The world is a simulator with a tenth of the time step and 20 % less friction. Any other world would do as well, such as MuJoCo or
a robot: the policy needs the time and the measured state, in the order of problem.model.state_names."""

import sys

import numpy as np
import tractrix

problem = tractrix.load(sys.argv[1])
model = problem.model

plan = problem.plan()
status = plan.solve()
print(f'{status} after {plan.info.iterations} iterations, cost {plan.cost:.3f}')
for goal in plan.goals:
    print(f'{goal.name}: error {goal.error:.4f}, tolerance {goal.tolerance}: {"met" if goal.met else "missed"}')

# gains for a loop with a delay and for contacts that are softer than planned
policy = plan.policy()

world = problem.sim(time_step=problem.time_step / 10)
for name in world.parameters:
    if name.endswith('.friction'):
        world.parameters[name] *= 0.8

x = problem.start
for k in range(10 * problem.steps):
    t = k * world.time_step
    x = world.step(x, policy(t, x), t)

box = model.place('box', x).pose.p
miss = np.linalg.norm(box[:2] - plan.x[-1, :2])
print(f'in the other world the box stops {1000 * miss:.1f} mm from the end of the plan')
sys.exit(0 if plan.met and miss < 0.01 else 1)
