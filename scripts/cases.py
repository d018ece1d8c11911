# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Common parts of scripts/validate and scripts/bench_clutter: a Python with the modules they need, outside the source tree, and
the two small programs of tests/paper/ that run problem files step by step."""

import importlib.util
import io
import os
import subprocess
import sys
import tempfile

from measure import ROOT

CASES = os.path.join(ROOT, "problems", "cases")


def with_modules(name, *modules, packages=None):
    """Continues in a Python that has the modules: this one, or one of a virtual environment that is made when missing, from the
    packages of PyPI with the names of the modules unless `packages` has others."""
    if all(importlib.util.find_spec(module) for module in modules):
        return
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    home = os.path.join(cache, "tractrix", name)
    python = os.path.join(home, "bin", "python")
    if os.path.realpath(sys.prefix) == os.path.realpath(home):
        sys.exit(f"{home} lacks one of {', '.join(modules)}: remove it and try again")
    if not os.path.exists(os.path.join(home, "complete")):
        print(f"making {home} with {', '.join(modules)} from PyPI", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *(packages or modules)], check=True)
        open(os.path.join(home, "complete"), "w", encoding="utf-8").close()
    os.execv(python, [python, os.path.abspath(sys.argv[0]), *sys.argv[1:]])


def build_folder(targets="tests/paper/paper_series tests/paper/paper_pace src/cli/tractrix"):
    """Where the targets are: the folder given as first argument, else build-cases of the source tree, built here."""
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        return os.path.abspath(sys.argv[1])
    folder = os.path.join(ROOT, "build-cases")
    script = '. "$root/scripts/lib.sh"; need $build_packages check; build "$0" "$1" -Dbuildtype=release -Dtests=enabled'
    subprocess.run(["sh", "-c", script, folder, targets], check=True,
                   env={**os.environ, "root": ROOT, "me": os.path.basename(sys.argv[0])})
    return folder


def tool(folder, name):
    """Path of a built program."""
    path = os.path.join(folder, "src/cli/tractrix" if name == "tractrix" else f"tests/paper/paper_{name}")
    if not os.path.exists(path):
        sys.exit(f"{path} does not exist: build it, or leave out the folder")
    return path


def generated(*args):
    """Path of a scene that scripts/make_clutter prints, in a temporary file that stays until the end."""
    text = subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "make_clutter"), *map(str, args)],
                          check=True, stdout=subprocess.PIPE).stdout
    kind = ".xml" if "--mjcf" in args else ".yaml"
    with tempfile.NamedTemporaryFile(prefix="tractrix_case_", suffix=kind, delete=False) as file:
        file.write(text)
    return file.name


def one_thread():
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"


def columns(text):
    """A CSV text as a dictionary of numpy arrays."""
    import numpy

    head = text.split("\n", 1)[0].split(",")
    values = numpy.loadtxt(io.StringIO(text), delimiter=",", skiprows=1, ndmin=2)
    return {name: values[:, i] if len(values) else values for i, name in enumerate(head)}
