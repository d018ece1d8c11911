# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Common parts of scripts/tasks, scripts/bench and scripts/picture: running the command, the machine's name, and the marked
blocks of the documents in which measured numbers stand.

A block is everything between the lines `<!-- NAME: written by SCRIPT -->` and `<!-- end -->`. Words around blocks are
written by hand, numbers inside only by a script."""

import csv
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# the order of a reader: what pushes first, then what swings
PROBLEMS = ("push_box", "push_box_side", "push_box_turn", "push_box_far", "push_t", "block_push", "airhockey",
            "box_pushing", "planar_hand", "pendulum", "acrobot", "cart_pole", "cart_pole_with_wall", "spinner",
            "gen3_ball_side", "gen3_ball_forward", "gen3_ball_lift", "panda_ball_forward", "jaco_ball", "hopper",
            "mini_cheetah", "allegro_ball")


def command():
    """The command to measure: the first argument of the script, else scripts/run."""
    return os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(ROOT, "scripts", "run")


def problem(name):
    return os.path.join(ROOT, "problems", name + ".yaml")


def shipped():
    """Names of all shipped problems, in the order above; an error when the list above is not complete."""
    found = {file[:-5] for file in os.listdir(os.path.join(ROOT, "problems")) if file.endswith(".yaml")}
    if found != set(PROBLEMS):
        sys.exit(f"scripts/measure.py does not name {sorted(found ^ set(PROBLEMS))}")
    return PROBLEMS


def test_libraries(build, room):
    """The libraries of a build that hold what test programs of a room share, as words for the linker."""
    names = [f"tests/lib{name}.a" for name in ("support", "scenes", f"{room}_shared")]
    return ["-Wl,--start-group", *[name for name in names if os.path.exists(os.path.join(build, name))], "-Wl,--end-group"]


def run_json(*args, fails=False):
    """The object that the command prints with --json; a non-zero exit ends the script unless it is allowed."""
    done = subprocess.run([command(), *args, "--json"], stdout=subprocess.PIPE, check=False, text=True)
    if done.returncode != 0 and not fails:
        sys.exit(f"{' '.join(args)}: exit {done.returncode}")
    return json.loads(done.stdout)


def recorded(verb, path, sets):
    """The folder and the summary of a run; simulations and loops with statistics of steps. The next call replaces the folder."""
    if not hasattr(recorded, "folder"):
        recorded.folder = tempfile.TemporaryDirectory()
    folder = os.path.join(recorded.folder.name, "run")
    flags = [] if verb == "plan" else ["--statistics"]
    subprocess.run([command(), verb, path, *flags, "--quiet", "-o", folder, *(w for word in sets for w in ("--set", word))],
                   capture_output=True, check=False)
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        return folder, json.load(file)


def rows(folder, name):
    """Rows of a table of a run, numbers as numbers."""
    with open(os.path.join(folder, name + ".csv"), encoding="utf-8") as file:
        return [{k: float(v) if v and k not in ("pair", "mode", "status") else v for k, v in row.items()} for row in csv.DictReader(file)]


def one_core():
    """This process and its children stay on one core, which should be theirs alone."""
    if os.getloadavg()[0] > 1:
        print(f"warning: load average {os.getloadavg()[0]}: times will be too long", file=sys.stderr)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def machine(versions):
    """One line on where the numbers come from."""
    model = platform.processor() or platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        named = re.search(r"^model name\s*:\s*(.+)$", file.read(), re.M)
    if named:
        model = named[1]
    compiler = versions["compiler"]
    if compiler[0].isdigit():
        compiler = "gcc " + compiler
    return f"One core of a machine whose processor calls itself `{model}`, {platform.system()}, {compiler}."


def median(values):
    return statistics.median(values)


def digits(value, count=2):
    """A number with so many significant digits, without an exponent where that is readable."""
    if value == 0:
        return "0"
    text = f"{value:.{count}g}"
    if "e" in text and 1e-5 <= abs(value) < 1e6:
        text = f"{float(text):.6f}".rstrip("0").rstrip(".") if abs(value) < 1 else f"{float(text):.0f}"
    return text


def table(head, rows, left=1):
    """A Markdown table; the first `left` columns are words, the others numbers."""
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])


def find_block(path, name):
    """The document at `path` (relative to the top of the tree) in three parts: before the block NAME, its text, and after it."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        page = file.read()
    found = list(re.finditer(rf"<!-- {name}: written by [^\n]*-->\n((?:(?!<!--).)*)<!-- end -->", page, re.S))
    if len(found) != 1:
        sys.exit(f"{path} has {len(found)} blocks named {name}")
    return page[:found[0].start(1)], found[0][1].strip("\n"), page[found[0].end(1):]


def write_block(path, name, text):
    """Puts `text` into the block NAME of the document at `path`."""
    before, _, after = find_block(path, name)
    with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
        file.write(f"{before}\n{text}\n\n{after}")


def rows_so_far(document, name):
    """The rows of a block, by task: what a script keeps when it measures other tasks."""
    lines = find_block(document, name)[1].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    return {cells[0].strip("`"): cells for cells in rows}
