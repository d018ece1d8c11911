// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Channels of steps (theory 10): forces of contacts, joints and actuators, and accelerometers. Each is a mean over one step.

#ifndef TRXI_FIT_STEP_CHANNEL_H
#define TRXI_FIT_STEP_CHANNEL_H

#include "base/arena.h"
#include "fit/unknowns.h"

#include <tractrix/kinematics.h>

/// Values and derivatives of the channels of steps in the steps that are kept. n: numbers of the start state and of the unknowns.
typedef struct trxi_step_channels {
    int count, n;          // channels of steps that are used
    int *of;               // nchannel: place of a channel among them, -1: not of steps or not used
    int *channels;         // count: the channels
    signed char *signs;    // count x npair: pairs of a contact force (step/forces.h)
    double *y, *rows;      // kept x count, kept x count x n: values and their derivatives
    double *by_x, *by_p;   // 3 x 2 ntangent, 3 x nparameter: scratch
    double *by_z;          // 3 x np: scratch
    double *J, *dV;        // 6 nv each: scratch
} trxi_step_channels;

/// Whether the model has this channel: the force of a joint needs one dof, the force of a contact a pair of the two bodies.
bool trxi_step_channel_exists(const trx_model *model, const trx_fit_channel *channel);

/// Carves the memory for `kept` steps, `n` numbers and `np` unknowns. trxi_step_channels_begin fills `of`, `channels` and `signs`.
void trxi_step_channels_layout(trxi_arena *arena, const trx_fit_problem *problem, int kept, int n, int np, trxi_step_channels *s);
void trxi_step_channels_begin(const trx_fit_problem *problem, int n, trxi_step_channels *s);

/// A step that was made: the states before and after it, and for derivatives the sensitivities of both states, A, and C of the
/// `nlist` parameters of the model.
typedef struct trxi_step_seen {
    trx_sim *sim;
    trx_kinematics *kinematics; // NULL: there are no accelerometers
    const trxi_unknowns *unknowns;
    const trxi_slopes *slopes;
    const trx_parameter *list;
    int nlist;
    const double *x, *x_next;   // nstate
    double time, time_next;     // since the start of the recording [s]
    const double *S, *S_next;   // ntangent x n
    const double *A, *C;        // C NULL: the derivatives with respect to parameters are not wanted
    int place;                  // where the results go, below `kept`
} trxi_step_seen;

/// Takes values, and with `derivatives` also rows. Errors: of derivatives of a step.
trx_status trxi_step_channels_take(const trx_fit_problem *problem, const trxi_step_seen *seen, bool derivatives,
                                   trxi_step_channels *s);

#endif
