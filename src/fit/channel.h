// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Residuals of channels at one state, with their derivatives (theory 10).

#ifndef TRXI_FIT_CHANNEL_H
#define TRXI_FIT_CHANNEL_H

#include <tractrix/fit.h>
#include <tractrix/kinematics.h>

/// Residuals of a channel: 3 for rotations, else 1.
int trxi_channel_residuals(trx_fit_channel_kind kind);

/// Columns of a channel: 4 for rotations, else 1.
int trxi_channel_columns(trx_fit_channel_kind kind);

/// Whether a row of recorded values lacks the channel, or a part of its quaternion.
bool trxi_channel_is_missing(const trx_fit_channel *channel, const double *recorded);

bool trxi_channel_is_rotation(trx_fit_channel_kind kind);
bool trxi_channel_is_position(const trx_model *model, const trx_fit_channel *channel);

/// Whether a channel measures a step and not a state; whether it is an accelerometer; whether it is a force.
bool trxi_channel_is_of_step(trx_fit_channel_kind kind);
bool trxi_channel_is_acceleration(trx_fit_channel_kind kind);
bool trxi_channel_is_force(trx_fit_channel_kind kind);

/// Whether a channel needs kinematics of bodies, not q and v alone.
bool trxi_channel_needs_poses(trx_fit_channel_kind kind);

/// A state at which channels are compared. `kinematics` is at the state, or NULL if no channel needs poses. J: 6 nv numbers of
/// scratch.
typedef struct trxi_view {
    const trx_model *model;
    const trx_kinematics *kinematics;
    const double *x; // nstate
    double *J;
} trxi_view;

/// Residuals of a channel at a state, unweighted, with their derivatives.
typedef struct trxi_residual {
    double r[3];
    double *H;   // ntangent x residuals, column-major: with respect to the tangent coordinates of x
    double M[9]; // 3 x residuals, column-major: with respect to the marker's offset or turn; 0 for channels without a pose
} trxi_residual;

/// r = predicted (-) recorded. `marker` (3): the marker's offset for positions, its turn for rotations.
void trxi_channel_residual(const trxi_view *view, const trx_fit_channel *channel, const double *marker, const double *recorded,
                           trxi_residual *out);

/// Whether markers of a channel can have an offset: for positions of bodies, of frames and of free joints.
bool trxi_channel_takes_offset(const trx_model *model, const trx_fit_channel *channel);

/// The body whose position a channel with an offset shows.
int trxi_channel_body(const trx_model *model, const trx_fit_channel *channel);

/// Whether a parameter is a signal of channel `index`.
bool trxi_channel_has_signal(const trx_fit_channel *channel, int index, const trx_fit_parameter *parameter);

enum { TRXI_SIGNAL_FLAW = 360 }; // characters of a message

/// Returns true, with the error in `flaw`, when a parameter cannot be the signal that it claims: no channel has this signal, the
/// kind of a channel excludes it, an earlier parameter is this signal already, the axis does not exist, or a delay has no bounds.
bool trxi_channel_signal_flaw(const trx_fit_problem *problem, int parameter, char flaw[TRXI_SIGNAL_FLAW]);

/// The parameter that is this signal of a channel, or -1. axis: of an offset or a turn, else 0.
int trxi_channel_find_signal(const trx_fit_problem *problem, int channel, trx_fit_signal signal, int axis);

/// The value with which a signal of a channel starts: the start of its parameter, else 1 for a gain and 0 for other signals.
double trxi_channel_signal_start(const trx_fit_problem *problem, int channel, trx_fit_signal signal, int axis);

#endif
