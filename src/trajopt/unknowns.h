// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Start and end of methods whose unknowns are states and controls (theory 7): the start need not be a simulation, the end
// must be one.

#ifndef TRXI_TRAJOPT_UNKNOWNS_H
#define TRXI_TRAJOPT_UNKNOWNS_H

#include "trajopt/knots.h"
#include "trajopt/method.h"

/// Makes work->current the start of a minimization: with `warm` its states (but for the start state) and controls, else a
/// simulation of its controls. Writes its cost and defects; *linearized: work->ocp belongs to the start. *best receives the
/// simulation of the controls, with cost INFINITY when a step of it failed. Errors: a failed step, NOT_FINITE with
/// rollout->failed_knot -1, when neither states nor controls can be evaluated.
trx_status trxi_unknowns_start(trxi_workspace *work, bool warm, trxi_knots *knots, bool *linearized, trxi_trajectory *best);

/// Makes work->current a simulation. Where it has a `defect`, controls follow its states by the gains of work->policy.
/// *best counts when it is cheaper.
void trxi_unknowns_finish(trxi_workspace *work, double defect, const trxi_trajectory *best);

#endif
