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


@ffi.def_extern(onerror=keep_error, error=False)
def trxi_on_candidate(candidate, user):
    return ffi.from_handle(user).call(record, candidate[0])


@ffi.def_extern(onerror=keep_error, error=True)
def trxi_must_stop(user):
    return ffi.from_handle(user).error is not None


class Plan(Owned):
    """A plan of a problem. Arrays of the result are copies. The knot is the first index: x (N + 1 x nstate), u (N x nu),
    K (N x nu x ntangent), A (N x ntangent x ntangent), B (N x ntangent x nu)."""

    def __init__(self, problem, settings):
        task = Task(problem)
        fill(task.settings, settings)
        self._begin(problem, task)
        self._open('trx_plan', lambda context, out: lib.trx_plan_create(context, task.problem, task.settings, out), (problem,))

    def _begin(self, problem, task, before=None, parts=1):
        """`before`: the plan from which this plan is made; `parts`: its steps for each step of the problem."""
        self._problem, self._task, self._before, self._parts = problem, task, before, parts
        self._lines = []
        size = lib.trx_model_get_size(task.problem.model)
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

    # ---- other plans from a solved plan, with the start and the targets of the file ----

    def search(self, watch=None, **settings):
        """Searches for a plan that meets the goals that this plan misses (docs/search.md): contacts from other sides, then random
        controls. Returns the plan that it found, solved, or None. Settings are fields of trx_search_settings. `watch` is called
        with every candidate; False ends the search."""
        return Search(self, watch, settings).result()

    def refined(self, parts=None):
        """A plan with `parts` steps for each step of this plan (None: solve.refine of the file), under the physical law, with this
        plan as its guess. Call its solve()."""
        parts = self._problem.refine if parts is None else parts
        if self._parts != 1:
            raise ValueError('a refined plan cannot be refined again')
        task, fine = self._task, Plan.__new__(Plan)
        fine._begin(self._problem, task, self, parts)
        with self._lock:
            fine._open('trx_plan', lambda context, out: lib.trx_plan_create_refined(
                context, task.problem, task.settings, self._pointer, parts, out), (self,))
        return fine

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
            if found == ffi.NULL or lib.trx_plan_get_info(self._pointer).status == lib.TRX_ERR_NO_STEP:
                raise Error('no_step', 'the plan has no result: call solve() first')
            return found

    @property
    def t(self):
        """Times of the knots, from the start of the plan (N + 1) [s]."""
        return self._task.problem.sim.time_step / self._parts * np.arange(self.steps + 1)

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
        with self._lock, self._problem._lock, run._lock:
            self._record(run)
            run._check(lib.trx_run_write(run._pointer, characters(folder)))
            return run.summary()

    def _record(self, run):
        """Records this plan, after the plans from which it was made."""
        first = 0
        if self._before is not None:
            self._before._record(run)
            first = self._before.info.nstage
        for line in self._lines:
            line.stage += first
            run._check(lib.trx_run_add_iteration(run._pointer, line))
            line.stage -= first
        run._check(self._put(run._pointer))

    def _put(self, run):
        put = lib.trx_run_set_plan if self._before is None else lib.trx_run_set_refined
        return put(run, self._pointer)


def _goal(goal):
    made = record(goal)
    made.components = {text(goal.names[i]): goal.components[i] for i in range(goal.ncomponent)}
    return made


class Search(Owned):
    """The search after a plan. Its result belongs to it."""

    def __init__(self, plan, watch, settings):
        self._plan, self._watching = plan, Watch(watch)
        problem, task = plan._problem, plan._task
        made = ffi.new('trx_search_settings *', lib.trx_search_settings_default())
        lib.trx_problem_search(problem._pointer, made)
        fill(made, settings)
        made.stop, made.stop_user = lib.trxi_must_stop, self._watching.handle
        self._open('trx_search', lambda context, out: lib.trx_search_create(context, task.problem, task.settings, made, out),
                   (plan, task, self._watching))

    def result(self):
        with self._plan._lock, self._lock:
            status = lib.trx_search_solve(self._pointer, self._plan._pointer, lib.trxi_on_candidate, self._watching.handle)
            self._watching.finish()
            self._check(status)
            best = lib.trx_search_plan(self._pointer)
        return None if best == ffi.NULL else Found(self, best)


class Found(Plan):
    """The plan that a search has found."""

    def __init__(self, search, plan):
        self._begin(search._plan._problem, search._plan._task, search._plan)
        self._borrow(search, plan)

    def _put(self, run):
        return lib.trx_run_set_search(run, self._owner._pointer)


class Run(Owned):
    """A recording for a run folder."""

    def __init__(self, problem):
        self._open('trx_run', lambda context, out: lib.trx_run_create(context, problem._pointer, out), (problem,))

    def summary(self):
        return json.loads(text(lib.trx_run_summary(self._pointer)))
