# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Loses power at every moment of a run: replays the recorded calls (recorded_calls.c) of the command up to each call and drops or
reorders what was not flushed.

    power.py TRACTRIX LIBRARY ROOT [--draws N] [--case NAME]

The model of the disk is strict. fsync of a file makes the bytes of the file last, fsync of a folder the names in the folder. Before
that each write may be lost, also when a later one is kept (zeros stand in the gap), and each change of names in a folder may be lost,
also when a later one is kept. One change of names, such as an exchange, is whole. After every call: nothing unflushed is kept, all
of it, the names alone, the bytes alone, the first changes of names of each folder, and N random choices (default 8). Cases are those
of faults.py that write, each with and without an old run, and saved states. What must hold of every disk:

  - the run is the old or the new one, bit for bit; without an old one, nothing or the new one. A verb that adds files to a run:
    each file is the old or the new one
  - files beside the run are whole
  - after the last call of a run with exit code 0 it is the new run

The replay without a loss must give the files that the command left. Prints one line of a table per case; exit 1 if something did not
hold."""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import faults

HERE, EXCHANGE, TEMPORARY = -100, 2, re.compile(r'^\..*\.tmp-\d+')


def none(count):
    """No change of so many is kept."""
    return [False] * count


def every(count):
    """Each change of so many is kept."""
    return [True] * count


class File:
    """Bytes that last, and writes since the last flush."""

    def __init__(self, data=b''):
        self.data, self.pending, self.length = data, [], len(data)

    def write(self, data):
        self.pending.append((self.length, data))
        self.length += len(data)

    def flush(self):
        self.data, self.pending = self.kept(every(len(self.pending))), []

    def kept(self, keep):
        """The bytes when some of the writes are lost."""
        if not any(keep):
            return self.data
        end = max(start + len(data) for kept, (start, data) in zip(keep, self.pending) if kept)
        made = bytearray(self.data.ljust(end, b'\0'))
        for kept, (start, data) in zip(keep, self.pending):
            if kept:
                made[start:start + len(data)] = data
        return bytes(made)


def change_names(names, change):
    """Applies a change to the names of a folder; a change of names that are not there is lost."""
    kind, first, second = change
    if kind == 'add':
        names[first] = second
    elif kind == 'remove':
        names.pop(first, None)
    elif first in names and kind == 'move':
        names[second] = names.pop(first)
    elif first in names and second in names:
        names[first], names[second] = names[second], names[first]


class Folder:
    """Names that last, changes since the last flush, and the names that a process sees."""

    def __init__(self):
        self.lasting, self.pending, self.names = {}, [], {}

    def change(self, *change):
        self.pending.append(change)
        change_names(self.names, change)

    def flush(self):
        self.lasting, self.pending = dict(self.names), []

    def kept(self, keep):
        names = dict(self.lasting)
        for kept, change in zip(keep, self.pending):
            if kept:
                change_names(names, change)
        return names


def read_folder(path):
    """A folder of the machine, all of which lasts."""
    made = Folder()
    for name in os.listdir(path):
        inside = os.path.join(path, name)
        if os.path.isdir(inside):
            made.names[name] = read_folder(inside)
        else:
            with open(inside, 'rb') as file:
                made.names[name] = File(file.read())
    made.flush()
    return made


class Disk:
    """The folder of a trial under the recorded calls. `whole`: contents that a change of names put in place, by path."""

    def __init__(self, place):
        self.place, self.root, self.open, self.whole = os.path.realpath(place), read_folder(place), {}, {}

    def find(self, path, folder=HERE):
        """(folder, name) of a path; None outside of the trial."""
        at = self.root
        if folder != HERE:
            at = self.open.get(folder)
        elif os.path.isabs(path):
            if not os.path.normpath(path).startswith(self.place):
                return None
            path = os.path.relpath(path, self.place)
        parts = [part for part in path.split('/') if part not in ('', '.')]
        for part in parts[:-1]:
            at = at.names.get(part) if isinstance(at, Folder) else None
        return (at, parts[-1] if parts else '') if isinstance(at, Folder) else None

    def call(self, name, *words):
        """Replays one call; whether it concerned the folder of the trial."""
        if name in ('write', 'fsync', 'close'):
            object_ = self.open.get(int(words[0]))
            if object_ and name == 'write':
                object_.write(bytes.fromhex(words[1]))
            elif object_ and name == 'fsync':
                object_.flush()
            elif name == 'close':
                self.open.pop(int(words[0]), None)
            return object_ is not None and name != 'close'
        return getattr(self, 'call_' + name)(*words)

    def call_open(self, fd, folder, path, flags):
        self.open.pop(int(fd), None)
        found = self.find(path, int(folder))
        if not found:
            return False
        parent, name = found
        makes = bool(int(flags) & os.O_CREAT) and name not in parent.names
        if makes:
            parent.change('add', name, File())
        object_ = parent.names.get(name) if name else parent
        if object_:
            self.open[int(fd)] = object_
        return makes

    def call_mkdir(self, path):
        parent, name = self.find(path)
        parent.change('add', name, Folder())
        return True

    def call_rename(self, first, second, flags):
        (parent, old), (other, new) = self.find(first), self.find(second)
        assert parent is other, 'a rename from folder to folder'
        parent.change('swap' if int(flags) == EXCHANGE else 'move', old, new)
        if isinstance(parent.names[new], File):
            file = parent.names[new]
            self.whole.setdefault(second if os.path.isabs(second) else os.path.join(self.place, second), set()).add(
                file.kept(every(len(file.pending))))
        return True

    def call_remove(self, folder, path):
        parent, name = self.find(path, int(folder))
        parent.change('remove', name, None)
        return True

    def after(self, choose_names, choose_bytes):
        """The files after a loss of power, by path; the functions say which of n changes are kept."""
        found = {}

        def visit(folder, path):
            for name, object_ in folder.kept(choose_names(len(folder.pending))).items():
                if isinstance(object_, Folder):
                    visit(object_, os.path.join(path, name))
                else:
                    found[os.path.join(path, name)] = object_.kept(choose_bytes(len(object_.pending)))
        visit(self.root, '')
        return found

    def losses(self, draws, rng):
        """Files after different losses of power at this moment."""
        def some(n):
            return [rng.random() < 0.5 for _ in range(n)]

        def first(n):
            kept = rng.randint(0, n)
            return [k < kept for k in range(n)]

        choices = [(none, none), (every, every), (every, none), (none, every), (first, some), (every, some)] + [(some, some)] * draws
        return [self.after(names, data) for names, data in choices]


def split(files, out):
    """The files of a run without temporary ones, and the files beside the run without temporary ones."""
    inside, beside = {}, {}
    for path, data in files.items():
        if any(TEMPORARY.match(part) for part in path.split('/')):
            continue
        (inside if path.startswith(out + '/') else beside)[path] = data
    return inside, beside


def wrong(case, disk, files, old, new, finished):
    """What does not hold of the files after a loss of power, '' if all holds."""
    inside, beside = split(files, case.out)
    first, last = split(old, case.out)[0], split(new, case.out)[0]
    if finished and inside != last:
        return 'the run had ended, and it is not there'
    if not case.adds and inside not in (first, last):
        names = sorted(path for path in inside.keys() | last.keys() if inside.get(path) != last.get(path))
        return f'neither the old run nor the new run: {", ".join(names)[:100]}'
    for path, data in inside.items():
        if data not in (first.get(path), last.get(path)):
            return f'neither the old file nor the new file: {path}'
    for path in first.keys() - inside.keys():
        return f'lost: {path}'
    for path, data in beside.items():
        if data != old.get(path) and data not in disk.whole.get(os.path.join(disk.place, path), ()):
            return f'torn: {path}'
    for path in old.keys() - files.keys():
        return f'lost: {path}'
    return '' if not finished or split(new, case.out)[1].keys() == beside.keys() else 'the run had ended, and a file beside it is not there'


def record(programme, library, case, place):
    """Runs a case in a folder under the recorder; its exit code and its calls."""
    log = os.path.join(programme.place.name, 'record')
    done = subprocess.run([programme.command, *case.args], cwd=place, env={**os.environ, 'LD_PRELOAD': library, 'RECORD': log},
                          capture_output=True, check=False, timeout=120)
    with open(log, encoding='utf-8') as file:
        return done.returncode, [line.rstrip('\n').split('\t') for line in file]


def run_case(programme, library, case, has_old, draws):
    """One line of the table; the losses after which something did not hold."""
    with tempfile.TemporaryDirectory(dir=programme.place.name) as place:
        if has_old:
            shutil.copytree(case.old, place, dirs_exist_ok=True)
        disk = Disk(place)
        old = disk.after(every, every)
        code, calls = record(programme, library, case, place)
        new = Disk(place).after(every, every)
    name = case.name + (', old run' if has_old else '')
    bad, disks, kept_new, moments = [], 0, 0, 0
    rng = random.Random(name)
    assert code in (0, 1), f'{name}: exit code {code}'
    for number, call in enumerate(calls):
        if not disk.call(*call) and number + 1 < len(calls):
            continue
        moments += 1
        finished = number + 1 == len(calls)
        for files in disk.losses(draws, rng):
            disks += 1
            kept_new += split(files, case.out)[0] == split(new, case.out)[0]
            text = wrong(case, disk, files, old, new, finished)
            if text:
                bad.append(f'{name}: power lost after call {number + 1} of {len(calls)} ({call[0]}): {text}')
    if disk.after(every, every) != new:
        bad.append(f'{name}: the replay is not what the command left')
    print(f'| `{name}` | {moments} | {disks} | {disks - kept_new} | {kept_new} | {len(bad)} |', flush=True)
    return bad


def cases(root):
    """Cases that write a run, and one that saves states beside it."""
    push = os.path.join(root, faults.PROBLEMS['primitive'])
    made = [case for case in faults.cases(root) if case.out]
    made.append(faults.Case('sim --save', ('sim', push, '-o', 'deep/er/run', '--save', 'state.npz', '--save-every', '1', *faults.SHORT), 'deep/er/run'))
    return made


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name in ('command', 'library', 'root'):
        parser.add_argument(name)
    parser.add_argument('--draws', type=int, default=8)
    parser.add_argument('--case', default='')
    options = parser.parse_args()
    programme, library = faults.Programme(options.command, options.library), os.path.abspath(options.library)
    root, bad = os.path.abspath(options.root), []
    print('| case | moments | disks | old run | new run | wrong |')
    print('| --- | ---: | ---: | ---: | ---: | ---: |')
    for case in cases(root):
        if not case.name.startswith(options.case):
            continue
        programme.write_old_run(case, root)
        for has_old in (True,) if case.args[0] in ('trial', 'view') else (False, True):
            bad += run_case(programme, library, case, has_old, options.draws)
    for line in bad:
        print(line, file=sys.stderr)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.dont_write_bytecode = True
    sys.exit(main())
