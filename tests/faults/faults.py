# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Runs the command while calls fail (failing_calls.c): every n-th allocation, open, read, write, fsync, rename and close.

    faults.py TRACTRIX LIBRARY ROOT allocations|files [--sample N] [--one-in N] [--case NAME] [--jobs N]

Every case is a verb on a problem, with an old run where it writes. Allocations fail once, and from then on; other calls fail with
ENOSPC, EIO and EINTR, and write and read also serve half of the bytes. --sample N runs N trials of each way and case, spread
evenly; without it every call fails. --one-in N takes one in N of the ways, others in each case. What must hold after each trial:

  - no signal ends the command, and it ends within a minute
  - the exit code is 4 with a message, or that of the run without a failing call
  - with exit code 4 the old run is there, bit for bit; else the new one, with all its files. `trial`, which adds files to a
    run, may have written the first and not the second; each file is the old or the new one
  - nothing stays beside the run, except the progress of a run that failed, for --resume. An old run that could not be
    removed may stay; the next run removes it
  - no memory is lost (blocks at the end, against the run without a failing call)

Prints one line of a table per case, then every trial in which something did not hold; exit 1 if there is one."""

import argparse
import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor


def sets(*values):
    """The options that replace these values of a problem."""
    return tuple(word for value in values for word in ('--set', value))


SHORT = sets('time.steps=3')
FEW = (*SHORT, *sets('solve.max_iterations=1', 'solve.search=off'))
FIT = sets('fit.iterations=1', 'fit.rounds=1', 'fit.starts=2', 'fit.cross_validate=2', 'fit.parameters.1.profile=true')
DESIGN = sets('time.steps=20', 'fit.design.evaluations=24')
PARTS = sets('model.bodies.0.geometry.0.decompose={parts: 4}')
LATE = sets('mpc.delay=0.02', 'mpc.soft_stages=1')
SEARCH = sets('time.steps=10', 'solve.max_iterations=2', 'solve.search={starts: 4, effort: 0.001}')
SOLVERS = (('ncp', 'admm'), ('ncp', 'staggered'), ('lcp', 'pivoting'), ('dojo', 'usual'), ('first_order', 'usual'),
           ('raisim', 'pgs'))
PROBLEMS = {
    'primitive': 'problems/push_box.yaml',
    'mjcf': 'problems/allegro_ball.yaml',
    'urdf': 'problems/hopper.yaml',
    'mesh': 'tests/faults/mesh.yaml',
    'clutter': 'problems/bench/e_clutter8.yaml',
}
PLANNED = ('primitive', 'mjcf', 'urdf')
ERRORS = {'ENOSPC': errno.ENOSPC, 'EIO': errno.EIO, 'EINTR': errno.EINTR, 'short': -1}
FILE_CALLS = ('open', 'read', 'write', 'fsync', 'rename', 'close')


class Case:
    """A verb on a problem; `out` is the folder of its run in the folder of a trial, '' for a verb that writes none. `adds`: the
    verb adds files to a run one by one."""

    def __init__(self, name, args, out='', adds=False):
        self.name, self.args, self.out, self.adds = name, args, out, adds
        self.old = ''


def cases(root):
    """All cases, in the order of the verbs."""
    table = {name: os.path.join(root, path) for name, path in PROBLEMS.items()}
    push, fit = table['primitive'], os.path.join(root, 'problems/fit/fit_box_slide.yaml')
    design = os.path.join(root, 'problems/fit/design_arm.yaml')
    search = os.path.join(root, 'problems/search/push_two_faces.yaml')
    made = [Case(f'check {name}', ('check', path, '--set', 'time.steps=1')) for name, path in table.items()]
    made += [Case(f'sim {name}', ('sim', path, '-o', 'run', *SHORT), 'run') for name, path in table.items()]
    made += [Case(f'plan {name}', ('plan', table[name], '-o', 'run', *FEW), 'run') for name in PLANNED]
    made.append(Case('mpc primitive', ('mpc', push, '-o', 'run', *FEW), 'run'))
    made.append(Case('trial primitive', ('trial', 'run', '--worlds', '2'), 'run', adds=True))
    made.append(Case('view primitive', ('view', 'run'), 'run'))
    made.append(Case('compare primitive',
                     ('compare', push, '--over', 'contact.stiction_tolerance=1e-4,1e-3', '-o', 'run', *FEW), 'run', adds=True))
    made.append(Case('compare models', ('compare', table['clutter'], '--models', 'ncp,first_order', '-o', 'run', *SHORT), 'run', True))
    made.append(Case('fit primitive', ('fit', fit, '-o', 'run'), 'run'))
    made.append(Case('fit starts', ('fit', fit, '-o', 'run', *FIT), 'run'))
    made.append(Case('fit design', ('fit', '--design', design, '-o', 'run', *DESIGN), 'run'))
    made.append(Case('plan search', ('plan', search, '-o', 'run', *SEARCH), 'run'))
    made.append(Case('plan robust', ('plan', push, '-o', 'run', *FEW, *sets('solve.robust.worlds=2', 'solve.refine=2')), 'run'))
    made.append(Case('mpc first_order', ('mpc', push, '-o', 'run', *FEW, *LATE, *sets('contact.model=first_order')), 'run'))
    made += [Case(f'sim {model} {solver}', ('sim', table['clutter'], '-o', 'run', '--linearize', *SHORT,
                                            *sets(f'contact.model={model}', f'contact.solver={solver}')), 'run')
             for model, solver in SOLVERS]
    made.append(Case('sim parts', ('sim', table['mesh'], '-o', 'run', *PARTS), 'run'))
    made.append(Case('check sdf', ('check', table['mesh'], *sets('model.include=[{name: crane, file: ../import/data/crane.sdf}]'))))
    made.append(Case('bench primitive', ('bench', push)))
    return made


def leftovers(place, out):
    """What is beside the run `out` in a folder, and temporary folders in the run."""
    beside = set(os.listdir(place)) - {out}
    inside = {os.path.relpath(folder, place) for folder, _, _ in os.walk(os.path.join(place, out)) if '.tmp-' in os.path.basename(folder)}
    return sorted(beside | inside if out else beside)


def contents(folder):
    """Names of the files of a folder with the digests of their bytes; without those of temporary folders (`leftovers`)."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in () if '.tmp-' in place[len(folder):] else names:
            path = os.path.join(place, name)
            with open(path, 'rb') as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


def is_whole(folder):
    """Whether the tables and objects of a run can be read."""
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), 'rb') as file:
                text = file.read()
            if not text:
                return False
            if name.endswith('.json'):
                try:
                    json.loads(text)
                except ValueError:
                    return False
    return True


class Programme:
    def __init__(self, command, library):
        self.command, self.library = os.path.abspath(command), os.path.abspath(library)
        self.place = tempfile.TemporaryDirectory()

    def write_old_run(self, case, root):
        """The run that every trial of a case finds where it writes; `trial` and `view` find a plan."""
        case.old = os.path.join(self.place.name, case.name.replace(' ', '-'))
        os.makedirs(case.old)
        plan = ('plan', os.path.join(root, PROBLEMS['primitive']), '-o', 'run', *FEW)
        for args in (plan, case.args) if case.args[0] in ('trial', 'view') else (case.args,):
            subprocess.run([self.command, *args], cwd=case.old, check=False, capture_output=True, timeout=60)

    def run_again(self, case, place):
        """What is beside the run after the same run without failing calls."""
        subprocess.run([self.command, *case.args], cwd=place, check=False, capture_output=True, timeout=60)
        return leftovers(place, case.out)

    def run(self, case, call, first=0, count=0, error=0):
        """Runs a case in a folder of its own; what it left there."""
        with tempfile.TemporaryDirectory(dir=self.place.name) as place, tempfile.TemporaryDirectory(dir=self.place.name) as cache:
            if case.out:
                shutil.copytree(os.path.join(case.old, case.out), os.path.join(place, case.out))
            log = os.path.join(place, 'log')
            env = {**os.environ, 'LD_PRELOAD': self.library, 'FAIL_CALL': call, 'FAIL_FROM': str(first),
                   'FAIL_COUNT': str(count), 'FAIL_ERRNO': str(error), 'FAIL_LOG': log, 'XDG_CACHE_HOME': cache}
            try:
                done = subprocess.run([self.command, *case.args], cwd=place, env=env, capture_output=True, check=False, timeout=60)
            except subprocess.TimeoutExpired:
                return {'code': None}
            left = {'code': done.returncode, 'message': done.stderr.decode(errors='replace'), 'calls': 0, 'blocks': 0}
            if os.path.exists(log):
                with open(log, encoding='ascii') as file:
                    left['calls'], left['blocks'] = (int(word) for word in file.read().split())
                os.remove(log)
            left['files'] = contents(os.path.join(place, case.out)) if case.out else {}
            left['whole'] = not case.out or is_whole(os.path.join(place, case.out))
            left['beside'] = leftovers(place, case.out)
            if left['code'] == 4:
                left['beside'] = [name for name in left['beside'] if name != f'.{case.out}.progress']
            if left['beside'] and (case.adds or left['code'] != 4):
                left['beside'] = self.run_again(case, place)
            return left

    def wrong(self, case, usual, left):
        """What does not hold after a trial, '' if all holds."""
        if left['code'] is None:
            return 'does not end'
        if left['code'] < 0:
            return f'ended by signal {-left["code"]}'
        if left['code'] not in (4, usual['code']):
            return f'exit code {left["code"]}: {left["message"].strip()[:100]}'
        if left['code'] == 4 and not left['message'].strip():
            return 'no message'
        if left['beside']:
            return f'left behind: {", ".join(left["beside"])}'
        same_files = left['files'].keys() == usual['files'].keys()
        if left['code'] == 4 and case.out and not case.adds and left['files'] != contents(os.path.join(case.old, case.out)):
            return 'exit code 4, and the old run is changed'
        if not left['whole'] or (left['code'] != 4 and not same_files):
            return f'exit code {left["code"]}, and the run is not whole'
        if left['blocks'] > usual['blocks']:
            return f'{left["blocks"] - usual["blocks"]} blocks of memory lost'
        return ''


def spread(calls, sample):
    """Numbers of calls: all, or so many, evenly spread, with the first and the last."""
    if not sample or sample >= calls:
        return list(range(1, calls + 1))
    return sorted({1 + k * (calls - 1) // max(sample - 1, 1) for k in range(sample)})


def ways(kind):
    """(call, count, error) of every way in which calls fail."""
    if kind == 'allocations':
        return [('allocation', count, errno.ENOMEM) for count in (1, 0)]
    return [(call, count, number) for call in FILE_CALLS for word, number in ERRORS.items()
            if word != 'short' or call in ('read', 'write')
            for count in ((1, 0) if number not in (errno.EINTR, -1) else (1,))]


def run_case(programme, case, number, options, pool):
    """One line of the table; the trials in which something did not hold."""
    usual, root = {}, os.path.abspath(options.root)
    programme.write_old_run(case, root)

    def calls_of(call):
        if call not in usual:
            usual[call] = programme.run(case, call)
        return usual[call]['calls']

    todo = [(call, first, count, error) for call, count, error in ways(options.kind)[number % options.one_in::options.one_in]
            for first in spread(calls_of(call), options.sample)]
    left = list(pool.map(lambda trial: programme.run(case, *trial), todo))
    bad = []
    codes = {}
    for trial, result in zip(todo, left):
        codes[result['code']] = codes.get(result['code'], 0) + 1
        text = programme.wrong(case, usual[trial[0]], result)
        if text:
            bad.append(f'{case.name}: {trial[0]} {trial[1]}, {trial[2] or "all"} fail, errno {trial[3]}: {text}')
    calls = sum(result['calls'] for result in usual.values())
    print(f'| `{case.name}` | {calls} | {len(todo)} | {codes.get(4, 0)} | {len(todo) - codes.get(4, 0)} | {len(bad)} |', flush=True)
    return bad


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name in ('command', 'library', 'root'):
        parser.add_argument(name)
    parser.add_argument('kind', choices=('allocations', 'files'))
    parser.add_argument('--sample', type=int, default=0)
    parser.add_argument('--one-in', type=int, default=1)
    parser.add_argument('--case', default='')
    parser.add_argument('--jobs', type=int, default=1)
    options = parser.parse_args()
    programme = Programme(options.command, options.library)
    bad = []
    print(f'| case | {options.kind if options.kind == "allocations" else "calls"} | trials | exit code 4 | served | wrong |')
    print('| --- | ---: | ---: | ---: | ---: | ---: |')
    with ThreadPoolExecutor(options.jobs) as pool:
        for number, case in enumerate(cases(os.path.abspath(options.root))):
            if case.name.startswith(options.case):
                bad += run_case(programme, case, number, options, pool)
    for line in bad:
        print(line, file=sys.stderr)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
