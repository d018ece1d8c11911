# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Trajectory optimization: the plan of a problem, its result and its quality."""

import json

import numpy as np

from .core import Error, Owned, Watch, array, characters, copied, ffi, fill, keep_error, lib, matrices, pointer, record, text, vector
from .model import parameter_list
from .policy import Policy


@ffi.def_extern(onerror=keep_error, error=False)
def trxi_on_iteration(iteration, user):
    watch = ffi.from_handle(user)
    watch.lines.append(ffi.new('trx_iteration *', iteration[0]))
    return watch.call(record, iteration[0])


class Task:
    """The optimization problem of a file, and its cost terms by name."""

    def __init__(self, problem):
        self.problem = ffi.new('trx_plan_problem *', lib.trx_plan_problem_default())
        self.settings = ffi.new('trx_plan_settings *', lib.trx_plan_settings_default())
        with problem._lock:
            problem._check(lib.trx_problem_plan(problem._pointer, self.problem, self.settings))
        self.names = [text(self.problem.terms[i].name) for i in range(self.problem.nterm)]

    def find(self, term):
        """Indices of the terms with a name, or of the term with an index."""
        if isinstance(term, int):
            if not 0 <= term < len(self.names):
                raise KeyError(f'there is no term {term}: the task has {len(self.names)}')
            return [term]
        found = [i for i, name in enumerate(self.names) if name == term]
        if not found:
            raise KeyError(f"there is no term '{term}' among {', '.join(dict.fromkeys(self.names))}")
        return found

    def target_length(self, term):
        return lib.trx_cost_term_target_length(self.problem.model, self.problem.terms + term)


class Plan(Owned):
    """A plan of a problem. Arrays of the result are copies. The knot is the first index: x (N + 1 x nstate), u (N x nu),
    K (N x nu x ntangent), A (N x ntangent x ntangent), B (N x ntangent x nu)."""

    def __init__(self, problem, settings):
        self._problem, self._task, self._lines = problem, Task(problem), []
        fill(self._task.settings, settings)
        self._open('trx_plan', lambda context, out: lib.trx_plan_create(context, self._task.problem, self._task.settings, out),
                   (problem,))
        size = lib.trx_model_get_size(self._task.problem.model)
        self._nstate, self._ntangent, self._nu = size.nstate, size.ntangent, size.nu

    # ---- before a solve ----

    def set_start(self, x, t=0.0):
        """The next solve starts at the state x (nstate) at the time t [s]."""
        x = vector(x, self._nstate, 'x')
        with self._lock:
            self._check(lib.trx_plan_set_start(self._pointer, pointer(x), t))

    def set_guess(self, u, x=None):
        """The next solve starts from the controls u (N x nu; None: zero) and the states x (N + 1 x nstate; None: unknown)."""
        N = self.steps
        u = None if u is None else array(u, (N, self._nu), 'u')
        x = None if x is None else array(x, (N + 1, self._nstate), 'x')
        with self._lock:
            self._check(lib.trx_plan_set_guess(self._pointer, pointer(u), pointer(x)))

    def set_target(self, term, target):
        """A new target for a cost term, given by its index, or for all terms of one name ("box.position"). A target with two
        indices has one row per knot (N + 1), for terms that the problem gives such a target."""
        target = np.ascontiguousarray(target, dtype=np.float64)
        for index in self._task.find(term):
            length = self._task.target_length(index)
            shape = (self.steps + 1, length) if target.ndim == 2 else (length,)
            numbers = array(np.atleast_1d(target), shape, f'the target of {self._task.names[index]}')
            with self._lock:
                self._check(lib.trx_plan_set_target(self._pointer, index, pointer(numbers), length if target.ndim == 2 else 0))

    def shift(self, knots):
        """Moves the result on by some knots and makes it the guess of the next solve."""
        with self._lock:
            self._check(lib.trx_plan_shift(self._pointer, knots))

    # ---- solve ----

    def solve(self, watch=None):
        """Solves through all stages and judges the result. Returns the status as a word: 'ok', 'stalled', 'iteration_limit',
        'time_limit' or 'interrupted'. `watch` is called with every line of the iteration table; False ends the solve. After
        Ctrl-C the plan holds its best trajectory so far."""
        watching = Watch(watch)
        with self._lock:
            self._lines = watching.lines = []
            status = lib.trx_plan_solve(self._pointer, lib.trxi_on_iteration, watching.handle)
            watching.finish()
            return self._check(status)

    # ---- result ----

    @property
    def steps(self):
        """N"""
        return lib.trx_plan_get_steps(self._pointer)

    @property
    def terms(self):
        """Names of the cost terms, in their order."""
        return list(self._task.names)

    @property
    def info(self):
        """Everything about the last solve: status, message, cost, iterations, seconds, second_try; `physical` and `fine`, the
        replays, with cost, penetration, slip, and lists of goals and limits."""
        with self._lock:
            info = lib.trx_plan_get_info(self._pointer)
            made = record(info)
            for name in ('physical', 'fine'):
                replay, out = getattr(info, name), getattr(made, name)
                out.goals = [_goal(replay.goals[i]) for i in range(info.ngoal if replay.goals else 0)]
                out.limits = [record(replay.limits[i]) for i in range(info.nlimit if replay.limits else 0)]
        return made

    @property
    def status(self):
        return self.info.status

    @property
    def message(self):
        """Why the plan did not converge or misses a goal; '' otherwise."""
        return self.info.message

    @property
    def cost(self):
        return self.info.cost

    @property
    def goals(self):
        """Goals on the physical replay: name, error, tolerance, met, components {name: value}."""
        return self.info.physical.goals

    @property
    def limits(self):
        """Limits of the problem on the physical replay: name, violation, tolerance, met, knot."""
        return self.info.physical.limits

    @property
    def met(self):
        """Whether the physical replay meets every goal and limit."""
        replay = self.info.physical
        return replay.status == 'ok' and all(one.met for one in replay.goals + replay.limits)

    def _solved(self, view):
        with self._lock:
            found = view(self._pointer)
            if found == ffi.NULL or not self._lines:
                raise Error('no_step', 'the plan has no result: call solve() first')
            return found

    @property
    def t(self):
        """Times of the knots, from the start of the plan (N + 1) [s]."""
        return self._task.problem.sim.time_step * np.arange(self.steps + 1)

    @property
    def x(self):
        return copied(self._solved(lib.trx_plan_states), (self.steps + 1, self._nstate))

    @property
    def u(self):
        return copied(self._solved(lib.trx_plan_controls), (self.steps, self._nu))

    @property
    def K(self):
        return matrices(self._solved(lib.trx_plan_gains), self.steps, self._nu, self._ntangent)

    @property
    def A(self):
        return matrices(self._solved(lib.trx_plan_A), self.steps, self._ntangent, self._ntangent)

    @property
    def B(self):
        return matrices(self._solved(lib.trx_plan_B), self.steps, self._ntangent, self._nu)

    def contacts(self, knot):
        """Contact points of the step from a knot of the result."""
        out = ffi.new('trx_contact **')
        with self._lock:
            count = lib.trx_plan_contacts(self._pointer, knot, out)
            self._check(min(count, 0))
            return [record(out[0][i]) for i in range(count)]

    def policy(self, **settings):
        """The policy of the result, with gains for a delay and softer contacts, by the section `policy:` of the file; settings
        `delay` [s] and `smoothing` [m] replace its values."""
        made = fill(ffi.new('trx_policy_settings *', lib.trx_problem_policy(self._problem._pointer)), settings)
        out = ffi.new('trx_policy **')
        with self._lock:
            self._check(lib.trx_policy_of_plan(self._pointer, made, out))
            try:
                return Policy._of(self._problem, out[0])
            finally:
                lib.trx_policy_destroy(out[0])

    def gradient(self, u=None):
        """Cost of the controls u (N x nu; None: the plan's) on the physical model, its gradient by u (N x nu), and by the start
        state (ntangent)."""
        u = None if u is None else array(u, (self.steps, self._nu), 'u')
        cost, grad_u, grad_x = ffi.new('double *'), np.empty((self.steps, self._nu)), np.empty(self._ntangent)
        with self._lock:
            self._check(lib.trx_plan_gradient(self._pointer, pointer(u), cost, pointer(grad_u), pointer(grad_x)))
        return cost[0], grad_u, grad_x

    def gradient_by(self, names, u=None):
        """Cost of the controls u, and its gradient by parameters (len(names))."""
        u = None if u is None else array(u, (self.steps, self._nu), 'u')
        cost, grad = ffi.new('double *'), np.empty(len(names))
        with self._lock:
            wanted = parameter_list(self, self._task.problem.model, names)
            self._check(lib.trx_plan_gradient_parameters(self._pointer, pointer(u), wanted, len(names), cost, pointer(grad)))
        return cost[0], grad

    def write(self, folder):
        """Writes the run folder (docs/run_folder.md), with player and policy. Returns the summary."""
        run = Run(self._problem)
        with self._lock, run._lock:
            for line in self._lines:
                run._check(lib.trx_run_add_iteration(run._pointer, line))
            run._check(lib.trx_run_set_plan(run._pointer, self._pointer))
            run._check(lib.trx_run_write(run._pointer, characters(folder)))
            return run.summary()


def _goal(goal):
    made = record(goal)
    made.components = {text(goal.names[i]): goal.components[i] for i in range(goal.ncomponent)}
    return made


class Run(Owned):
    """A recording for a run folder."""

    def __init__(self, problem):
        self._open('trx_run', lambda context, out: lib.trx_run_create(context, problem._pointer, out), (problem,))

    def summary(self):
        return json.loads(text(lib.trx_run_summary(self._pointer)))
