# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Runs what a page of documentation tells its reader to run, and compares what comes out with what the page prints.

    test_commands.py PAGE SOURCE_ROOT TRACTRIX [CC...]

Blocks of sh, python and c run in the order of the page, in one folder that looks like the top of the source tree. A
text block after one of them is its output: lines in order, words exactly, numbers within a factor of three, times
freely; `...` stands for lines that are left out, as do the beginning and the end. C needs CC..., a compiler with all
its flags; without it C blocks are left out. A line `<!-- not run: REASON -->` before a block leaves it out.

The page's other promises are held too: every line of a yaml block is a line of the problem file that is linked above
it, every trx_ name is declared in a public header, and a page with measured numbers has them for every shipped
problem."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]*\w)(?:( )(ms|us|s)\b(?!/))?")
FACTOR, NOTHING = 3.0, 1e-6


def blocks(page):
    """(language, text, line, skipped) of every fenced block."""
    found, lines, i, note = [], page.split("\n"), 0, False
    while i < len(lines):
        fence = re.match(r"```(\w+)$", lines[i])
        if fence:
            end = lines.index("```", i + 1)
            found.append((fence[1], "\n".join(lines[i + 1:end]) + "\n", i + 2, note))
            i, note = end, False
        elif lines[i].strip():
            note = lines[i].startswith("<!-- not run: ")
        i += 1
    return found


def split(line):
    """The words of a line with numbers replaced, and the numbers; a time is None."""
    numbers = []

    def take(match):
        numbers.append(None if match[2] else float(match[0]))
        return "#"
    return " ".join(NUMBER.sub(take, line).split()), numbers


def like(printed, expected):
    words, numbers = split(printed)
    other_words, others = split(expected)
    return words == other_words and all(
        a is None or b is None or abs(a) < NOTHING > abs(b) or (a * b > 0 and 1 / FACTOR <= a / b <= FACTOR)
        for a, b in zip(numbers, others))


def missing(output, expected):
    """The first line of `expected` that is not where it should be in `output`; None when all are."""
    printed, at = output.rstrip("\n").split("\n"), 0
    for group in re.split(r"^\.\.\.\n", expected, flags=re.M):
        lines = group.rstrip("\n").split("\n") if group else []
        best = 0
        for start in range(at, len(printed) - len(lines) + 1):
            same = 0
            while same < len(lines) and like(printed[start + same], lines[same]):
                same += 1
            best = max(best, same)
            if same == len(lines):
                at = start + same
                break
        else:
            return lines[min(best, len(lines) - 1)]
    return None


def check_comparison():
    """The comparison itself sees what it should see."""
    table = "a\nsolved in 75 ms, error 0.0013 met\nb 1e-17\nc\n"
    assert missing(table, "solved in 0.2 s, error 0.002 met\nb 3e-16\n") is None
    assert missing(table, "a\n...\nb 0\n...\n") is None
    for wrong in ("solved in 75 ms, error 0.0013 missed\n", "solved in 75 ms, error 0.0053 met\n", "a\nb 1e-17\n",
                  "c\n...\na\n", "b 0.5\n", "solved in 75 ms\n", "b -1\n"):
        assert missing(table, wrong), wrong


def reader_folder(folder, root, tractrix):
    """What commands find: the problems, scripts/run, and tractrix in the path."""
    shutil.copytree(os.path.join(root, "problems"), os.path.join(folder, "problems"))
    os.makedirs(os.path.join(folder, "scripts"))
    # scripts/test would run this very test: that it exists is all that is asked here
    assert os.access(os.path.join(root, "scripts", "test"), os.X_OK)
    for name, text in (("run", f'exec "{tractrix}" "$@"'), ("test", "exit 0")):
        path = os.path.join(folder, "scripts", name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
    shutil.copy(os.path.join(folder, "scripts", "run"), os.path.join(folder, "scripts", "tractrix"))
    return dict(os.environ, PATH=os.path.join(folder, "scripts") + os.pathsep + os.environ["PATH"], NO_COLOR="1")


def run(language, text, folder, environment, compiler):
    """Output of a block, and whether it succeeded; None when this machine cannot run it."""
    if language == "sh":
        command = ["sh", "-eu", "-c", text]
    elif language == "python":
        able = [python for python in (sys.executable, "/usr/bin/python3") if os.path.exists(python) and subprocess.run(
            [python, "-c", "import numpy"], capture_output=True, check=False).returncode == 0]
        if not able:
            return None
        command = [able[0], "-c", text]
    else:
        if not compiler:
            return None
        with open(os.path.join(folder, "block.c"), "w", encoding="utf-8") as file:
            file.write(text)
        name = 2 if os.path.basename(compiler[0]) == "ccache" else 1
        built = subprocess.run([*compiler[:name], "block.c", *compiler[name:], "-o", "block"], cwd=folder, text=True,
                               check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if built.returncode != 0:
            return built.stdout, False
        command = ["./block"]
    done = subprocess.run(command, cwd=folder, env=environment, text=True, timeout=300, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout, done.returncode == 0


def run_page(path, page, root, tractrix, compiler):
    """Runs all blocks of a page; returns complaints."""
    found, complaints, ran = blocks(page), [], 0
    with tempfile.TemporaryDirectory(prefix="tractrix-docs-") as folder:
        environment = reader_folder(folder, root, tractrix)
        for i, (language, text, line, skipped) in enumerate(found):
            if language not in ("sh", "python", "c") or skipped:
                continue
            result = run(language, text, folder, environment, compiler)
            if result is None:
                print(f"{path}:{line}: no {language} here, left out")
                continue
            ran += 1
            output, good = result
            expected = found[i + 1][1] if i + 1 < len(found) and found[i + 1][0] == "text" else ""
            lost = missing(output, expected) if expected else None
            if not good:
                complaints.append(f"{path}:{line}: the commands fail:\n{output}")
            elif lost is not None:
                complaints.append(f"{path}:{line}: expected '{lost}' in\n{output}")
    print(f"{path}: {ran} blocks run")
    if not ran and "written by" not in page:
        complaints.append(f"{path}: nothing to run and nothing measured")
    return complaints


def check_excerpts(path, page, root):
    """Every line of a yaml block is in the problem file linked last before it."""
    complaints = []
    for language, text, line, skipped in blocks(page):
        if language != "yaml" or skipped:
            continue
        above = "\n".join(page.split("\n")[:line])
        linked = re.findall(r"\]\((?:\.\./)?(problems/(?:\w+/)*\w+\.yaml)\)", above)
        if not linked:
            complaints.append(f"{path}:{line}: no problem file is linked above this excerpt")
            continue
        name = linked[-1]
        with open(os.path.join(root, name), encoding="utf-8") as file:
            known = {known.strip() for known in file}
        complaints += [f"{path}:{line}: {name} has no line '{wanted.strip()}'" for wanted in text.split("\n")
                       if wanted.strip() and wanted.strip() != "# ..." and wanted.strip() not in known]
    return complaints


def check_names(path, page, root):
    """Every trx_ name of the page is declared."""
    headers = ""
    for header in glob.glob(os.path.join(root, "include", "tractrix", "*.h")):
        with open(header, encoding="utf-8") as file:
            headers += file.read()
    declared = set(re.findall(r"\btrx_\w+", headers))
    return [f"{path}: {name} is in no public header" for name in sorted(set(re.findall(r"\btrx_\w+", page)) - declared)]


def check_measured(path, page, root):
    """Blocks that a script writes are written; blocks about the shipped problems leave none out."""
    measured = re.findall(r"<!-- (\w+): written by (scripts/\w+) -->\n(.*?)<!-- end -->", page, re.S)
    complaints = [f"{path}: block {name} is empty: run {script}" for name, script, text in measured if not text.strip()]
    if measured:
        names = [os.path.basename(file)[:-5] for file in glob.glob(os.path.join(root, "problems", "*.yaml"))]
        written = "".join(text for _, _, text in measured)
        left_out = [name for name in sorted(names) if f"`{name}`" not in written]
        complaints += [f"{path}: nothing measured on {name}" for name in left_out if len(left_out) < len(names)]
    return complaints


def main():
    check_comparison()
    path, root, tractrix, *compiler = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        page = file.read()
    name = os.path.relpath(path, root)
    complaints = check_excerpts(name, page, root) + check_names(name, page, root) + check_measured(name, page, root)
    complaints += run_page(name, page, root, os.path.abspath(tractrix), compiler)
    print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
