# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""tractrix from Python (docs/python.md).

    problem = tractrix.load('problems/push_box.yaml')
    plan = problem.plan()
    plan.solve()
    policy = plan.policy()
    u = policy(t, x)

Arrays are numpy arrays of doubles, and results are copies. An error of the library is a tractrix.Error, an array of the wrong
shape a ValueError. Calls release the interpreter's lock."""

from .core import Error, lib, text
from .fit import Fit
from .model import Model
from .mpc import Mpc
from .plan import Plan
from .policy import Policy
from .problem import Problem, load, load_text
from .sim import Sim

__version__ = text(lib.trx_version())
__all__ = ['Error', 'Fit', 'Model', 'Mpc', 'Plan', 'Policy', 'Problem', 'Sim', 'load', 'load_text', 'use_one_blas_thread']


def use_one_blas_thread():
    """Makes BLAS compute on the calling thread alone, also for numpy if it shares tractrix's BLAS: results of large models then
    have the same bits on every machine. Returns False if the BLAS has no such setting."""
    return bool(lib.trx_process_use_one_blas_thread())
