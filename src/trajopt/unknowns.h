// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Start and end of methods whose unknowns are states and controls (theory 7): the start need not be a simulation, the end
// must be one.

#ifndef TRXI_TRAJOPT_UNKNOWNS_H
#define TRXI_TRAJOPT_UNKNOWNS_H

#include "trajopt/knots.h"
#include "trajopt/method.h"

/// Makes work->current the start of a minimization: with `warm` its states (except the start state) and controls, else a
/// simulation of its controls. Writes cost and defects of the start; *linearized: work->ocp belongs to the start. *best receives
/// the simulation of the controls, with cost INFINITY when a step failed. Errors, when neither states nor controls can be
/// evaluated: a failed step, NOT_FINITE with rollout->failed_knot -1.
trx_status trxi_unknowns_start(trxi_workspace *work, bool warm, trxi_knots *knots, bool *linearized, trxi_trajectory *best);

/// Makes work->current a simulation. If its states have a `defect`, the simulation follows the states with the gains of
/// work->policy. The result is *best if `best` is not NULL and *best costs no more.
void trxi_unknowns_finish(trxi_workspace *work, double defect, const trxi_trajectory *best);

#endif
