# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

"""Identification: the section `fit:` of a problem file, run, and its answer."""

import numpy as np

from .core import Owned, Watch, characters, ffi, fill, keep_error, lib, record, text


@ffi.def_extern(onerror=keep_error, error=False)
def trxi_on_fit_iteration(iteration, user):
    return ffi.from_handle(user).call(record, iteration[0])


class Fit(Owned):
    """The answer of a fit.

    estimates   list: name, value, start, sd, sd_robust, low, high (95 %), verdict ('determined', 'undetermined' ...)
    directions  what the recordings do not determine, in words; the least determined direction comes first
    groups      list of the groups of channels: noise, rms, rms_held, autocorrelation
    recordings  list: errors of position and rotation of whole recordings
    residuals   list: mean, rms, autocorrelation and whiteness of every residual
    correlation correlations of the estimates"""

    def __init__(self, problem, watch, settings):
        self._problem, watching = problem, Watch(watch)
        given = ffi.new('trx_fit_problem *')
        made = ffi.new('trx_fit_settings *', lib.trx_fit_settings_default())
        data = _Data(problem, given, made)
        fill(made, settings)

        def run(context, out):
            status = lib.trx_fit_run(context, given, made, lib.trxi_on_fit_iteration, watching.handle, out)
            if watching.error is not None and status >= 0:
                lib.trx_fit_destroy(out[0])
            watching.finish()
            return status

        self._open('trx_fit', run, (problem, data, given))

        info = lib.trx_fit_get_info(self._pointer)
        self.info = record(info)
        self.status = self.info.status
        self.estimates = self._list(lib.trx_fit_get_estimate, info.nparameter)
        self.groups = self._list(lib.trx_fit_get_group, info.ngroup)
        self.recordings = self._list(lib.trx_fit_get_recording, info.nrecording)
        self.residuals = self._list(lib.trx_fit_get_residual, info.nresidual)
        self.directions = [text(lib.trx_fit_direction(self._pointer, i)) for i in range(info.ndirection)]
        count = range(info.nparameter)
        self.correlation = np.array([[lib.trx_fit_correlation(self._pointer, i, j) for j in count] for i in count])

    def _list(self, get, count):
        return [record(get(self._pointer, i)) for i in range(count)]

    @property
    def values(self):
        """{name: value} of the estimates."""
        return {one.name: one.value for one in self.estimates}

    def write(self, folder):
        """Writes the run folder (docs/run_folder.md) with tables, page and fitted.yaml."""
        problem = self._problem
        with self._lock, problem._lock:
            self._check(lib.trx_fit_write(self._pointer, characters(folder), lib.trx_problem_title(problem._pointer),
                                          lib.trx_problem_text(problem._pointer)))


class _Data(Owned):
    """The recordings of a fit."""

    def __init__(self, problem, given, settings):
        def read(_, out):
            problem._check(lib.trx_problem_fit(problem._pointer, out, given, settings))
            return lib.TRX_OK
        with problem._lock:
            self._open('trx_fit_data', read, (problem,))
