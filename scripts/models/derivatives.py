# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""derivatives.py [--count N] [--only TEXT] [--write PAGE] TRACTRIX SITE: `tractrix check` of every robot file below the
site-packages SITE. See scripts/check_models --derivatives.

Each file is the only robot of a problem with steps of 2 ms. The command judges A, B, C and the terms of the step against differences, at
five states: the start at rest, and four states with random velocities, controls and changes of the positions, but for orientations. A state
at a kink has no difference to be compared with and is counted apart. A file passes when every error of a column is below 1e-5 and the
command ends within 60 s of processor time."""

import argparse
import csv
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

from check import replace_between
from packages import SIDES, files_of, package_of, plain, versions_of

SECONDS, LIMIT = 60, 1e-5
STATES, SHAKE = 5, 0.1  # the largest change of a position [m, rad]; of a velocity five times as much
BEGIN, END = "<!-- begin: scripts/check_models --derivatives -->", "<!-- end: scripts/check_models --derivatives -->"


class Refused(Exception):
    pass


# ---- one file ----

def write_problem(name, path):
    with open(name, "w") as file:
        json.dump({"tractrix": 1, "title": "Derivatives of a robot", "model": {"include": [{"name": "robot", "file": path}]},
                   "time": {"step": 0.002, "steps": 1}}, file)


def bounded():
    resource.setrlimit(resource.RLIMIT_CPU, (2 * SECONDS, 2 * SECONDS))


def run(command):
    """Exit code, output, error output and processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=bounded)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.returncode, done.stdout, done.stderr, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def shaken(names, start, rng):
    """A state beside the start: positions that are no quaternions, velocities, controls."""
    def change(name):
        if re.search(r"\.q[wxyz]$", name):
            return 0.0
        return rng.uniform(-SHAKE, SHAKE) * (5 if re.search(r"\.([vw][xyz]|v)$", name) else 1)

    return [x + change(name) for name, x in zip(names, start)]


def write_states(table):
    """Replaces the knots of a run by the states to be judged."""
    with open(table) as file:
        names, start = list(csv.reader(file))[:2]
    rng, first = random.Random(1), [float(x) for x in start]
    with open(table, "w") as file:
        file.write(",".join(names) + "\n")
        for k in range(STATES):
            row = shaken(names[1:], first[1:], rng) if k else first[1:]
            file.write(",".join(map(repr, [0.002 * k, *row])) + "\n")


def gradients_of(tractrix, path, folder):
    """Gradients as the command reports them, and the seconds that this took."""
    name, states = os.path.join(folder, "robot.yaml"), os.path.join(folder, "run")
    write_problem(name, path)
    code, _, error, _ = run([tractrix, "sim", name, "-o", states, "--quiet"])
    if code == 3:
        raise Refused
    if code:
        raise RuntimeError(f"sim ends with {code}: {error}")
    write_states(os.path.join(states, "trajectory.csv"))
    code, output, error, seconds = run([tractrix, "check", "--json", name, "--run", states])
    if code not in (0, 1):
        raise RuntimeError(f"check ends with {code} after {seconds:.0f} s: {error}")
    return json.loads(output)["gradients"], seconds


def check(tractrix, path):
    """What the command says about the derivatives of the file; None when the file is refused."""
    found = {"seconds": 0.0, "failed": "", "errors": {}, "states": 0, "kinks": 0, "left": 0, "columns": 0}
    try:
        with tempfile.TemporaryDirectory() as folder:
            gradients, found["seconds"] = gradients_of(tractrix, path, folder)
    except Refused:
        return None
    except RuntimeError as failure:
        return {**found, "failed": str(failure)[:300]}
    terms = gradients["terms"]
    found.update(states=gradients["states"], kinks=gradients["kinks"], columns=sum(t["columns"] for t in terms.values()),
                 left=sum(t["not_judged"] for t in terms.values()))
    found["errors"] = {name: [each["max_rel_error"], each["at"]]
                       for name, each in [*((k, gradients[k]) for k in "ABC"), *terms.items()] if each["at"]}
    return found


def wrong(found):
    return {name: error for name, error in found["errors"].items() if not error[0] < LIMIT}


def passes(found):
    return not found["failed"] and not wrong(found) and found["seconds"] <= SECONDS


def line(path, site, found):
    name = os.path.relpath(path, site)
    text = f"{'passes' if passes(found) else 'FAILS':7} {name}: {found['seconds']:.1f} s, {found['states']} states"
    if found["failed"]:
        return f"{text}, {found['failed']}"
    return text + "".join(f"\n        {name}: {error:.3g} at {at}" for name, (error, at) in wrong(found).items())


# ---- the page ----

def table(results, site):
    lines = ["| package | format | files | pass | states judged | at kinks | without a judged state | largest error of A, B, C | "
             "most seconds |",
             "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    kinds = {path: SIDES[kind][0] for path, kind in files_of(site, 0)}
    keys = sorted({(package_of(path, site), kinds[path]) for path in results})
    groups = [(*key, [f for path, f in results.items() if (package_of(path, site), kinds[path]) == key]) for key in keys]
    groups += [("all", kind, [f for path, f in results.items() if kinds[path] == kind]) for kind in ("MJCF", "URDF", "SDF")]
    for package, kind, some in groups:
        errors = [error[0] for f in some for name, error in f["errors"].items() if name in "ABC"]
        lines.append(f"| {package} | {kind} | {len(some)} | {sum(map(passes, some))} | {sum(f['states'] for f in some)} | "
                     f"{sum(f['kinks'] for f in some)} | {sum(f['states'] == 0 for f in some)} | {max(errors, default=0):.0e} | "
                     f"{max((f['seconds'] for f in some), default=0):.0f} |")
    return lines + [""]


def exceptions(results, site):
    lines = []
    for path, found in results.items():
        if not passes(found):
            reasons = [f"{name} {error:.2g} at {at}" for name, (error, at) in wrong(found).items()]
            reason = found["failed"] or "; ".join(reasons) or f"{found['seconds']:.0f} s"
            lines.append(f"- `{os.path.relpath(path, site)}`: {plain(reason, site)}")
    return ["Do not pass:", "", *lines, ""] if lines else []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=0, help="only that many files of each format")
    parser.add_argument("--only", default="", help="only files whose path contains this")
    parser.add_argument("--write", help="the page whose table is replaced")
    parser.add_argument("tractrix")
    parser.add_argument("site")
    arguments = parser.parse_args()
    site, results = os.path.realpath(arguments.site), {}
    for path, _ in files_of(site, arguments.count):
        found = check(arguments.tractrix, path) if arguments.only in path else None
        if found:
            results[path] = found
            print(line(path, site, found), flush=True)
    print("\n".join(table(results, site)))
    if arguments.write:
        share = f"; {arguments.count} files of each format, evenly spread" if arguments.count else ""
        versions = versions_of(site).split(";")[0] + share + "."
        replace_between(arguments.write, BEGIN, END, [versions, "", *table(results, site), *exceptions(results, site)])
    return 0 if all(map(passes, results.values())) else 1


if __name__ == "__main__":
    sys.exit(main())
