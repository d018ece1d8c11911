# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""check.py [--write PAGE] PROBE DIR: see scripts/check_models. urdf.py and mjcf.py are the two sides."""

import os
import sys
import xml.etree.ElementTree as ElementTree

import mjcf
import urdf
from common import QUANTITIES, Result

BEGIN, END = "<!-- begin: scripts/check_models -->", "<!-- end: scripts/check_models -->"


def root_name(path):
    """Name of the first element, without regard to what follows; None when there is none."""
    try:
        for _, element in ElementTree.iterparse(path, events=["start"]):
            return element.tag
    except ElementTree.ParseError:
        # prefixes that nothing declares are common: the name is all that is wanted
        with open(path, errors="replace") as file:
            text = file.read(100000)
        for name in ("robot", "mujoco", "sdf"):
            if f"<{name} " in text or f"<{name}>" in text:
                return name
    return None


def find(folder):
    """(path, root element) of every file that may be a robot."""
    for parent, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(parent, name)
            if name.endswith((".urdf", ".URDF", ".xml", ".mjcf", ".sdf")):
                yield path, root_name(path)


def check(probe, path, kind):
    try:
        if kind == "sdf":
            import sdf  # Drake is large: needed only where there are such files
            return sdf.check(probe, path)
        return urdf.check(probe, path) if kind == "robot" else mjcf.check(probe, path)
    except Exception as error:  # whatever goes wrong belongs to this file
        result = Result(path, kind)
        result.faults.append(f"{type(error).__name__}: {error}")
        return result


def table(results, folder):
    lines = ["| file | bodies | joints | mass [kg] | off by: " + " | ".join(QUANTITIES) + " | agrees |",
             "| --- | ---: | ---: | ---: | " + " | ".join(["---:"] * len(QUANTITIES)) + " | --- |"]
    for r in results:
        errors = " | ".join(f"{r.errors[name]:.0e}" if name in r.errors else "" for name in QUANTITIES)
        lines.append(f"| {os.path.relpath(r.path, folder)} | {r.bodies} | {r.joints} | {r.mass:.6g} | {errors} | "
                     f"{'yes' if r.agrees else 'NO'} |")
    return lines


def tables(results, folder, versions):
    lines = [f"Measured with {versions}.", ""]
    for kind, title in (("URDF", "### URDF against Pinocchio"), ("MJCF", "### MJCF against MuJoCo"), ("SDF", "### SDF against Drake")):
        some = [r for r in results if r.kind == kind]
        if some:
            lines += [title, ""] + table(some, folder) + [""]
            remarks = sorted({(os.path.relpath(r.path, folder), text) for r in some for text in r.remarks})
            lines += [f"- `{path}`: {text}" for path, text in remarks] + ([""] if remarks else [])
    return lines


def replace_between(page, begin, end, lines):
    with open(page) as file:
        text = file.read()
    before, rest = text.split(begin, 1)
    after = rest.split(end, 1)[1]
    with open(page, "w") as file:
        file.write(before + begin + "\n\n" + "\n".join(lines) + end + after)


def main(arguments):
    page = None
    if arguments and arguments[0] == "--write":
        page, arguments = arguments[1], arguments[2:]
    probe, folder = arguments
    results = []
    for path, kind in find(folder):
        if kind not in ("robot", "mujoco", "sdf"):
            continue
        if kind == "mujoco" and not mjcf.is_robot(path):
            continue
        results.append(check(probe, path, kind))
        print(results[-1].line(), flush=True)
    wrong = sum(not r.agrees for r in results)
    print(f"check_models: {len(results)} files, {wrong} wrong")
    if page:
        replace_between(page, BEGIN, END, tables(results, folder, f"{urdf.version()} and {mjcf.version()}"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
