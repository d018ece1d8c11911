# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""packages.py [--count N] [--write PAGE] PROBE SITE: the robot files of Python packages, below the site-packages SITE. See
scripts/check_models --packages.

Every file is looked at in a process of its own, because readers crash. Three questions are answered: does a reference load the
file (MuJoCo; Pinocchio, MuJoCo or PyBullet for URDF; Drake or PyBullet for SDF), does tractrix load it, and do both make the same of it.
A difference is explained when a note of the kind that EXPLAINS names for it is there."""

import argparse
import importlib
import json
import os
import re
import signal
import sys
import tempfile
from collections import Counter

from check import find, replace_between
from common import QUANTITIES, run_probe

SIDES = {"robot": ("URDF", "urdf"), "mujoco": ("MJCF", "mjcf"), "sdf": ("SDF", "sdf")}
PASSED_OVER = ("random_urdfs",)  # a thousand random objects of pybullet, all alike
STATES = 5
SECONDS = 120
BEGIN, END = "<!-- begin: scripts/check_models --packages -->", "<!-- end: scripts/check_models --packages -->"

# what differs, and the note that says so
EXPLAINS = (
    (r"(mass|com|inertia|M|bias) ", r"inertia|moments|\bmass\b|massless|gravit|gravcomp|density|armature|rotor|type hfield"),
    (r"(actuators|drive)", r"actuator|motor|drive|control|time constant|muscle|tendon|ctrl"),
    (r"forces", r"drag|fluid|a state of its own|gravcomp|gravit|muscle"),
    (r"equalities", r"equalit|constraint|connect|weld|tendon|flex"),
    (r"named states", r"key|state"),
    (r"(limits|joint) ", r"limit|range|spring|damp|stiffness|friction|equal"),
    (r"(bodies|joints|numbers|link|poses)", r"composite|replicate|attach|flex|deformable|fixed|welded|planar|loop|mimic|inertial"),
    (r"pairs", r"^missing|hfield|height field|left out, |of 0: left out|never touch|never meet|do not touch|cannot touch"),
)


# ---- one file, in a process of its own ----

def loads_urdf(path):
    """Name of a reader that takes the URDF file, or None."""
    import pinocchio
    try:
        pinocchio.buildModelFromUrdf(path)
        return "Pinocchio"
    except Exception:
        pass
    try:
        import mujoco
        mujoco.MjModel.from_xml_path(path)
        return "MuJoCo"
    except Exception:
        pass
    return loads_in_pybullet("loadURDF", path)


def loads_in_pybullet(call, path):
    import pybullet
    import pybullet_data
    pybullet.connect(pybullet.DIRECT)
    pybullet.setAdditionalSearchPath(pybullet_data.getDataPath())
    try:
        answer = getattr(pybullet, call)(path)
        return "PyBullet" if answer not in (-1, None, ()) else None
    except Exception:
        return None


def loads(kind, path):
    """Name of the reference that loads the file, or None."""
    if kind == "robot":
        return loads_urdf(path)
    try:
        side = importlib.import_module(SIDES[kind][1])
        side.load(path)
        return side.version().split()[0]
    except Exception:
        return loads_in_pybullet("loadSDF", path) if kind == "sdf" else None


def in_child(work):
    """What work() returns, computed in a child whose output is dropped; None when the child crashes or takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        answer = os.path.join(folder, "answer")
        child = os.fork()
        if child == 0:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            os.chdir(folder)
            signal.alarm(SECONDS)
            with open(answer, "w") as file:
                json.dump(work(), file)
            os._exit(0)
        os.waitpid(child, 0)
        try:
            with open(answer) as file:
                return json.load(file)
        except (OSError, ValueError):
            return None


def compare(probe, path, kind):
    """Errors, faults and notes of the comparison."""
    side = importlib.import_module(SIDES[kind][1])
    side.STATES = STATES
    try:
        result = side.check(probe, path)
    except Exception as error:
        return {"faults": [], "notes": [], "errors": {}, "not_compared": f"{type(error).__name__}: {error}"}
    return {"faults": result.faults, "notes": result.notes, "errors": result.errors, "not_compared": None}


def try_load(probe, path):
    """(loaded, messages) of tractrix; a crash is a message."""
    try:
        answer = run_probe(probe, path)
    except Exception as error:
        return False, [f"CRASH: {error}"]
    if "error" not in answer:
        return True, []
    texts = [message["text"] for message in answer["messages"]]
    return False, texts or [answer["error"]]


def look_at(probe, path, kind):
    """Everything about one file."""
    found = {"path": path, "kind": kind, "reference": in_child(lambda: loads(kind, path))}
    found["loaded"], found["messages"] = try_load(probe, path)
    found.update(faults=[], notes=[], errors={}, not_compared=None)
    if found["loaded"] and found["reference"]:
        found.update(in_child(lambda: compare(probe, path, kind)) or {"not_compared": "the reference crashed"})
    found["unexplained"] = [fault for fault in found["faults"] if not explained(fault, found["notes"])]
    return found


def explained(fault, notes):
    for what, words in EXPLAINS:
        if re.match(what, fault):
            return any(re.search(words, note) for note in notes)
    return False


# ---- all files ----

def files_of(site, count):
    """(path, kind) of the robots of all packages; with a count, that many of each kind, spread evenly."""
    found = [(path, kind) for path, kind in find(site) if kind in SIDES and not any(part in path for part in PASSED_OVER)]
    if not count:
        return found
    some = []
    for kind in SIDES:
        of_kind = [each for each in found if each[1] == kind]
        some += of_kind[::max(1, len(of_kind) // count)][:count]
    return some


def package_of(path, site):
    for marker in ("/share/", "/site-packages/"):
        if marker in path:
            return path.split(marker)[-1].split("/")[0]
    return os.path.relpath(path, site).split("/")[0]


def state_of(found):
    if not found["reference"]:
        return "no reference" + (", loads" if found["loaded"] else "")
    if not found["loaded"]:
        return "REFUSED"
    if found["unexplained"]:
        return "DIFFERS"
    if found["not_compared"]:
        return "not compared"
    return "with notes" if found["faults"] else "agrees"


def line(found, site):
    details = found["messages"] if not found["loaded"] else found["unexplained"] or found["faults"]
    text = f"{state_of(found):20} {os.path.relpath(found['path'], site)}"
    details = details[:4] + ([found["not_compared"]] if found["not_compared"] else [])
    return "\n".join([text] + [f"    {detail[:300]}" for detail in details])


# ---- the page ----

def table(all_found, site):
    lines = ["| package | format | a reference loads | tractrix loads | agrees | differs with a note | differs without | not compared |",
             "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    keys = sorted({(package_of(f["path"], site), SIDES[f["kind"]][0]) for f in all_found})
    for package, kind in keys:
        some = [f for f in all_found if (package_of(f["path"], site), SIDES[f["kind"]][0]) == (package, kind)]
        lines.append(row(package, kind, some))
    for kind in ("MJCF", "URDF", "SDF"):
        lines.append(row("all", kind, [f for f in all_found if SIDES[f["kind"]][0] == kind]))
    return lines


def row(package, kind, some):
    states = Counter(state_of(f) for f in some if f["reference"])
    judged, loaded = sum(states.values()), sum(states.values()) - states["REFUSED"]
    return (f"| {package} | {kind} | {judged} | {loaded} | {states['agrees']} | {states['with notes']} | {states['DIFFERS']} | "
            f"{states['not compared']} |")


def largest(all_found):
    """The largest differences of the files that agree."""
    worst = {}
    for found in all_found:
        if state_of(found) == "agrees":
            for name, error in found["errors"].items():
                worst[name] = max(worst.get(name, 0.0), error)
    return ", ".join(f"{name} {worst[name]:.0e}" for name in [*QUANTITIES, "forces"] if name in worst)


def plain(text, site):
    return text.replace(site + "/", "").replace("|", "/").split("\n")[0][:200]


def reasons(all_found, site, state, title, texts_of):
    some = [f for f in all_found if state_of(f) == state]
    if not some:
        return []
    lines = [title, ""]
    for found in some:
        texts = texts_of(found)
        more = f" (and {len(texts) - 1} more)" if len(texts) > 1 else ""
        lines.append(f"- `{os.path.relpath(found['path'], site)}`: {plain(texts[0], site)}{more}")
    return lines + [""]


def page_lines(all_found, site, versions):
    lines = [versions, ""] + table(all_found, site) + [""]
    lines += [f"Largest differences of the files that agree: {largest(all_found)}.", ""]
    lines += reasons(all_found, site, "REFUSED", "Refused, though a reference loads them:", lambda f: f["messages"])
    lines += reasons(all_found, site, "DIFFERS", "Different without a note:", lambda f: f["unexplained"])
    lines += reasons(all_found, site, "not compared", "Not compared, because the comparison failed on the reference's side:",
                     lambda f: [f["not_compared"]])
    return lines


def versions_of(site):
    from importlib.metadata import distributions
    names = {"brax", "dm_control", "gymnasium", "gymnasium-robotics", "gym-aloha", "metaworld", "pybullet", "robosuite",
             "example-robot-data", "mani_skill", "mujoco", "pin", "drake"}
    found = sorted(f"{d.metadata['Name']} {d.version}" for d in distributions(path=[site])
                   if d.metadata["Name"].lower() in names or d.metadata["Name"].replace("_", "-").lower() in names)
    return "Measured with " + ", ".join(found) + f"; {STATES} random states of each robot."


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=0, help="only that many files of each format")
    parser.add_argument("--only", default="", help="only files whose path contains this")
    parser.add_argument("--write", help="the page whose table is replaced")
    parser.add_argument("probe")
    parser.add_argument("site")
    arguments = parser.parse_args()
    site = os.path.realpath(arguments.site)
    all_found = []
    for path, kind in files_of(site, arguments.count):
        if arguments.only in path:
            all_found.append(look_at(arguments.probe, path, kind))
            print(line(all_found[-1], site), flush=True)
    print("\n".join(table(all_found, site)[-3:]))
    if arguments.write:
        replace_between(arguments.write, BEGIN, END, page_lines(all_found, site, versions_of(site)))
    return 1 if any(state_of(f) in ("REFUSED", "DIFFERS") for f in all_found) else 0


if __name__ == "__main__":
    sys.exit(main())
