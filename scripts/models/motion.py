# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""motion.py [--count N] [--only TEXT] [--write PAGE] RUNNER SITE: half a second of every MJCF file below the site-packages SITE,
simulated by tractrix (tests/import/model_run) and by MuJoCo. See scripts/check_models --motion.

Both start where tractrix starts, with the file's gravity and time step, and zero controls (or the nearest value within their
limits). MuJoCo runs its Euler scheme, whatever the file says, because tractrix has the same one. Files fall into four groups:
nothing acts but smooth forces, on both sides; the same with a fluid; rows act (limits, constraints, drives, dry
friction), but no contact; contact. The
deviation is the largest difference of a coordinate at any step, relative to the longest way that a coordinate of MuJoCo's goes
(at least 1 mm or mrad). The speed ratio compares the largest |v| of both (at least 0.1 m/s or rad/s)."""

import argparse
import os
import subprocess
import sys

import mujoco
import numpy as np

import mjcf
from check import replace_between
from packages import files_of, in_child, package_of, plain, versions_of

SECONDS, LONGEST = 0.5, 110
SLOW, SHORT = 0.1, 1e-3
MOST_RATIO = 2
BEGIN, END = "<!-- begin: scripts/check_models --motion -->", "<!-- end: scripts/check_models --motion -->"
GROUPS = ("smooth", "fluid", "rows", "contact")


class Failed(Exception):
    pass


# ---- both sides: q and v of every knot, and whether contacts or other rows acted ----

def ours(runner, path, m, steps):
    gravity = m.opt.gravity * (not m.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    command = [runner, str(steps), repr(float(m.opt.timestep)), *(repr(float(g)) for g in gravity), path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    if done.returncode == 3:
        return None
    if done.returncode:
        raise Failed(done.stderr.strip()[:300] or f"ends with {done.returncode}")
    lines = done.stdout.splitlines()
    nq, nv = map(int, lines[0].split())
    rows = np.array([[float(x) for x in line.split()] for line in lines[1:]])
    return rows[:, :nq], rows[:, nq:nq + nv], bool(rows[:, -2].any()), bool(rows[:, -1].any())


def theirs(m, q0, steps):
    m.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    d = mujoco.MjData(m)
    d.qpos[:] = q0
    q, v, contact, rows = [d.qpos.copy()], [d.qvel.copy()], False, False
    for _ in range(steps):
        mujoco.mj_step(m, d)
        q.append(d.qpos.copy())
        v.append(d.qvel.copy())
        contact, rows = contact or d.ncon > 0, rows or d.nefc > 0
    return np.array(q), np.array(v), contact, rows


# ---- one file ----

def compare(runner, path):
    m = mjcf.load(path)
    steps = max(1, round(SECONDS / m.opt.timestep))
    try:
        mine = ours(runner, path, m, steps)
    except Failed as failure:
        return {"failed": str(failure)}
    if mine is None or mine[0].shape[1] != m.nq or m.nv == 0:
        return None
    q, v, contact, rows = mine
    Q, V, their_contact, their_rows = theirs(m, q[0], steps)
    if not np.isfinite(Q).all() or np.abs(V).max() > 1e6:
        return {"unjudged": "MuJoCo diverges"}
    way = np.abs(Q - Q[0]).max()
    fluid = m.opt.density > 0 or m.opt.viscosity > 0
    return {"group": GROUPS[3 if contact or their_contact else 2 if rows or their_rows else int(fluid)],
            "finite": bool(np.isfinite(q).all() and np.isfinite(v).all()),
            "deviation": float(np.abs(q - Q).max() / max(way, SHORT)),
            "ratio": float(max(np.abs(v).max(), SLOW) / max(np.abs(V).max(), SLOW)),
            "speeds": [float(np.abs(v).max()), float(np.abs(V).max())]}


def line(path, site, found):
    name = os.path.relpath(path, site)
    if "failed" in found or "unjudged" in found:
        return f"{name}: {found.get('failed') or found['unjudged']}"
    return (f"{found['group']:8} {name}: deviation {found['deviation']:.2g}, speeds {found['speeds'][0]:.3g} and "
            f"{found['speeds'][1]:.3g}")


# ---- the page ----

def number(x):
    return f"{x:.1g}" if x < 1e-3 else f"{100 * x:.2g} %"


def table(results, site):
    lines = ["| package | files | finite | at most twice MuJoCo's speed | step fails |", "| --- | ---: | ---: | ---: | ---: |"]
    packages = sorted({package_of(path, site) for path in results})
    for package in [*packages, "all"]:
        some = [found for path, found in results.items() if package in ("all", package_of(path, site))]
        judged = [found for found in some if "group" in found]
        lines.append(f"| {package} | {len(some)} | {sum(f['finite'] for f in judged)} | "
                     f"{sum(f['ratio'] <= MOST_RATIO for f in judged)} | {sum('failed' in f for f in some)} |")
    lines += ["", "| what acts | files | median deviation | 90th percentile | largest |", "| --- | ---: | ---: | ---: | ---: |"]
    words = {"smooth": "smooth forces", "fluid": "smooth forces and a fluid",
             "rows": "limits, constraints, drives, dry friction", "contact": "contact"}
    for group in GROUPS:
        some = [found["deviation"] for found in results.values() if found.get("group") == group]
        if some:
            lines.append(f"| {words[group]} | {len(some)} | {number(np.median(some))} | {number(np.quantile(some, 0.9))} | "
                         f"{number(max(some))} |")
    return lines + [""]


def exceptions(results, site):
    lines = []
    for path, found in results.items():
        name = plain(os.path.relpath(path, site), site)
        if "failed" in found:
            lines.append(f"- `{name}`: {plain(found['failed'], site)}")
        elif "unjudged" in found:
            lines.append(f"- `{name}`: not judged, {found['unjudged']}")
        elif not found["finite"] or found["ratio"] > MOST_RATIO:
            ours_max, theirs_max = found["speeds"]
            lines.append(f"- `{name}`: {ours_max:.3g} m/s or rad/s, MuJoCo {theirs_max:.3g}")
    return ["Fails, diverges or is faster than twice MuJoCo:", "", *lines, ""] if lines else []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=0, help="only that many files")
    parser.add_argument("--only", default="", help="only files whose path contains this")
    parser.add_argument("--write", help="the page whose table is replaced")
    parser.add_argument("runner")
    parser.add_argument("site")
    arguments = parser.parse_args()
    site, results = os.path.realpath(arguments.site), {}
    for path, kind in files_of(site, arguments.count):
        if kind != "mujoco" or arguments.only not in path:
            continue
        found = in_child(lambda: compare(arguments.runner, path))
        if found:
            results[path] = found
            print(line(path, site, found), flush=True)
    print("\n".join(table(results, site)))
    if arguments.write:
        versions = versions_of(site).replace("random states of each robot", "").split(";")[0] + f"; {SECONDS:g} s."
        replace_between(arguments.write, BEGIN, END, [versions, "", *table(results, site), *exceptions(results, site)])
    return 0 if all(f.get("finite", True) and "failed" not in f and f.get("ratio", 0) <= MOST_RATIO for f in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
