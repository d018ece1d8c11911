# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Problem files: the start of every session."""

import json

import numpy as np

from .core import (Owned, Watch, array, characters, copied, ffi, fill, findings, keep_error, lib, place, pointer, text, vector)
from .fit import Fit
from .model import Model
from .mpc import Mpc
from .plan import Plan, Run
from .policy import Policy
from .sim import Sim


def load(path, set=None, packages=None, values=(), cache=None):
    """Reads a problem file (docs/problem_file.md), which may include robots as URDF, MJCF or SDF.

    set       {key: value} that replace values of the file: {'time.steps': 20, 'start.box.xyz': [0, 0.1, 0.05]}
    packages  {name: folder} for package://name/... in robots
    values    files with a section `parameters:`, such as fitted.yaml of a fit
    cache     folder for convex parts of meshes; None: nothing is kept"""
    return Problem(set, packages, values, cache, lambda context, options, out: lib.trx_problem_load(
        context, characters(path), options, out))


def load_text(source, path='problem.yaml', set=None, packages=None, values=(), cache=None):
    """Like load, from a text. `path` names the text in messages and is the base of relative paths."""
    data = source.encode()
    return Problem(set, packages, values, cache, lambda context, options, out: lib.trx_problem_load_text(
        context, characters(path), data, len(data), options, out))


def _yaml(value):
    """A value as YAML: numbers, lists, dictionaries, numpy arrays."""
    return json.dumps(value, default=lambda numbers: numbers.tolist())


def _texts(options, name, count, values):
    """Fills a list of texts and its count; returns what must stay alive."""
    texts = [characters(value) for value in values]
    all_texts = ffi.new('char *[]', texts)
    setattr(options, name, all_texts)
    setattr(options, count, len(texts))
    return texts, all_texts


@ffi.def_extern(onerror=keep_error, error=False)
def trxi_on_step(step, user):
    return ffi.from_handle(user).call(int, step)


class Problem(Owned):
    """A model, its task and the settings of its solvers."""

    def __init__(self, changes, packages, values, cache, create):
        options = ffi.new('trx_problem_options *', lib.trx_problem_options_default())
        sets = [f'{key}={value if isinstance(value, str) else _yaml(value)}' for key, value in (changes or {}).items()]
        alive = (_texts(options, 'set', 'nset', sets), _texts(options, 'with', 'nwith', values),
                 _texts(options, 'packages', 'npackage', [f'{name}={folder}' for name, folder in (packages or {}).items()]))
        self._open('trx_problem', lambda context, out: create(context, options, out), cache=cache)
        del alive

    @property
    def title(self):
        return text(lib.trx_problem_title(self._pointer))

    @property
    def path(self):
        return text(lib.trx_problem_path(self._pointer))

    @property
    def text(self):
        """The problem as run, as YAML."""
        with self._lock:
            return text(lib.trx_problem_text(self._pointer))

    @property
    def steps(self):
        return lib.trx_problem_steps(self._pointer)

    @property
    def time_step(self):
        """[s]"""
        return lib.trx_problem_sim_settings(self._pointer).time_step

    @property
    def refine(self):
        """solve.refine of the file: steps of a refined plan for each step; 1: no refinement."""
        return lib.trx_problem_refine(self._pointer)

    @property
    def start(self):
        """The start state (nstate)."""
        return copied(lib.trx_problem_start(self._pointer), (self._size().nstate,))

    def _size(self):
        return lib.trx_model_get_size(lib.trx_problem_model(self._pointer))

    @property
    def model(self):
        return Model(lib.trx_problem_model(self._pointer), self)

    @property
    def notes(self):
        """What was assumed, replaced or left out of included robots, each with its place."""
        found = [lib.trx_problem_note(self._pointer, i) for i in range(lib.trx_problem_note_count(self._pointer))]
        return [place(note.source) + text(note.text) for note in found]

    def warnings(self):
        """What may not be as intended in a problem that runs: penetration at the start, a time step that is too long ..."""
        with self._lock:
            lib.trx_context_clear(self._context)
            self._check(lib.trx_problem_diagnose(self._pointer))
            return findings(self._context, lib.TRX_WARNING)

    def sim(self, **settings):
        """A simulator. Settings are fields of trx_sim_settings: sim(time_step=0.001, contact_model='lcp')."""
        return Sim(self, settings)

    def plan(self, **settings):
        """A plan. Settings are fields of trx_plan_settings: plan(threads=2, method='multiple_shooting')."""
        return Plan(self, settings)

    def mpc(self, first=None, **settings):
        """A predictive controller. Settings are fields of trx_mpc_settings: mpc(horizon=20, iterations=3). `first` is the policy of
        a plan of the whole task; None: the controller makes its first plan."""
        return Mpc(self, first, settings)

    def fit(self, watch=None, **settings):
        """Runs the fit of the file. Settings are fields of trx_fit_settings: fit(threads=2). `watch` is called after every
        iteration; False ends the fit with the best values so far."""
        return Fit(self, watch, settings)

    def policy(self, folder):
        """The policy of a run folder."""
        run, out = Run(self), ffi.new('trx_policy **')
        with run._lock:
            run._check(lib.trx_run_read_policy(run._pointer, characters(folder), out))
            try:
                return Policy._of(self, out[0])
            finally:
                lib.trx_policy_destroy(out[0])

    def simulate(self, folder, u=None, policy=None, start=None, watch=None):
        """Simulates the problem and writes the run folder (docs/run_folder.md). Controls are u (steps x nu), those of a policy,
        or zero. `watch` is called with the number of every step; False ends the simulation. Returns the summary."""
        size, watching = self._size(), Watch(watch)
        made = ffi.new('trx_simulation *', lib.trx_simulation_default())
        u = None if u is None else array(u, (len(u), size.nu), 'u')
        start = None if start is None else vector(start, size.nstate, 'start')
        made.u, made.control_steps, made.start = pointer(u), 0 if u is None else len(u), pointer(start)
        made.folder = path = characters(folder)
        made.progress, made.user = lib.trxi_on_step, watching.handle
        run = Run(self)
        following = run if policy is None else policy
        with self._lock, run._lock, following._lock:
            made.policy = ffi.NULL if policy is None else policy._pointer
            status = lib.trx_run_simulate(run._pointer, made)
            watching.finish()
            if status != lib.TRX_INTERRUPTED:
                run._check(status)
            del path
            return run.summary()
