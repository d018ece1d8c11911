# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Common parts of scripts/bench_mpc and scripts/mpc_hour: the program of the loop, and the cost of a box that is pushed to one goal after another."""

import glob
import os
import subprocess

from measure import ROOT

# no wanted heading, and a pusher that keeps near
PUSH_ON = """cost=[
  {of: box.position, target: [0.15, 0, 0.05], weight: [20, 20, 0]},
  {of: "distance(pusher, box)", weight: 20}, {of: pz.position, target: 0.05, weight: 25},
  {of: velocity, weight: 0.1}, {of: control, weight: 0.1},
  {of: box.position, target: [0.15, 0, 0.05], weight: [1500, 1500, 0], at: end, tolerance: 0.005},
  {of: box.orientation, weight: [5, 5, 0], at: end},
  {of: box.velocity, weight: 1.5, at: end}, {of: box.spin, weight: 1.5, at: end}]""".replace("\n", " ")


def build(build_folder, folder):
    """scripts/peers/mpc_loop.c as a program in `folder`, with the library of a build."""
    program = os.path.join(folder, "mpc_loop")
    library = glob.glob(os.path.join(build_folder, "libtractrix.so.*.*[0-9]"))[0]
    subprocess.run(["cc", "-O2", "-I", os.path.join(ROOT, "include"), "-I", os.path.join(build_folder, "include"),
                    os.path.join(ROOT, "scripts", "peers", "mpc_loop.c"), library, f"-Wl,-rpath,{build_folder}", "-lm", "-o", program],
                   check=True)
    return program
