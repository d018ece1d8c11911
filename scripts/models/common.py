# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""What the two sides of scripts/check_models share: running the probe, and one result per robot."""

import json
import os
import subprocess
import tempfile

STATES = 100
FORCE_STATES = 3  # with random controls
QUANTITIES = ["mass", "com", "inertia", "poses", "M", "bias"]


def run_probe(probe, path, states=None, options=()):
    """What tests/import/model_probe prints about a robot, `states` being rows of q and v (one array each)."""
    with tempfile.TemporaryDirectory() as folder:
        command = [probe, *options, path]
        if states is not None:
            name = os.path.join(folder, "states")
            with open(name, "w") as file:
                for q, v in states:
                    file.write(" ".join(repr(float(x)) for x in [*q, *v]) + "\n")
            command.append(name)
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise RuntimeError(f"the probe ends with {done.returncode}: {done.stderr[:500]}")
        return json.loads(done.stdout)


def run_forces(program, path, rows, options=()):
    """Forces M dv/dt that tests/import/model_forces prints, one array for each row of q, v, activations and controls."""
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "states")
        with open(name, "w") as file:
            file.writelines(" ".join(repr(float(x)) for x in row) + "\n" for row in rows)
        done = subprocess.run([program, path, name, *options], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"model_forces ends with {done.returncode}: {done.stderr[:500]}")
    return [np.array([float(x) for x in line.split()]) for line in done.stdout.splitlines()[1:]]


def notes_of(answer):
    return [f"{note['kind']}: {note['text']}" for note in answer.get("notes", [])]


class Result:
    """What was compared for one robot: the largest differences, what does not agree, remarks."""

    def __init__(self, path, kind):
        self.path, self.kind = path, kind
        self.bodies = self.joints = 0
        self.mass = 0.0
        self.errors = {}
        self.tolerance = {name: 1e-9 for name in [*QUANTITIES, "tendons"]}
        self.tolerance["forces"] = 1e-8  # extrapolated from short steps
        self.faults, self.remarks, self.notes = [], [], []
        self.refused = None

    def refused_by(self, answer):
        """Whether the probe refused the file; keeps the notes of a file that loads."""
        self.notes = notes_of(answer)
        if "error" in answer:
            self.faults.append(answer["error"])
        return "error" in answer

    def differ(self, quantity, ours, theirs, where=""):
        """Records |ours - theirs| relative to the larger of 1 and the largest number of `theirs`."""
        import numpy as np

        ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
        if ours.shape != theirs.shape:
            self.faults.append(f"{quantity} {where}: {ours.shape} numbers against {theirs.shape}")
            return
        if not ours.size:
            return
        error = float(np.max(np.abs(ours - theirs)) / max(1.0, np.max(np.abs(theirs))))
        self.errors[quantity] = max(self.errors.get(quantity, 0.0), error)
        if not error <= self.tolerance[quantity] and len(self.faults) < 10:
            self.faults.append(f"{quantity} {where}: differs by {error:.3g}")

    def same(self, what, ours, theirs):
        if ours != theirs:
            self.faults.append(f"{what}: {ours} against {theirs}")

    @property
    def agrees(self):
        return not self.faults

    def line(self):
        if self.refused is not None:
            return f"{'refused' if self.agrees else 'WRONG':8} {self.path}: {self.refused}"
        numbers = " ".join(f"{name} {self.errors[name]:.1e}" for name in QUANTITIES if name in self.errors)
        state = "agrees" if self.agrees else "WRONG"
        text = f"{state:8} {self.path}: {self.bodies} bodies, {self.joints} joints, {self.mass:.6g} kg; {numbers}"
        return "\n".join([text] + [f"         {fault}" for fault in self.faults])


def rotation(quat):
    """Matrix of a unit quaternion w x y z."""
    import numpy as np

    w, x, y, z = quat
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def full_tensor(t):
    """3 x 3 from xx yy zz xy xz yz."""
    import numpy as np

    return np.array([[t[0], t[3], t[4]], [t[3], t[1], t[5]], [t[4], t[5], t[2]]])
