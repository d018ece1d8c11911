// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The channel between a plant and its controller in simulations and trials (theory 7, trials): noise and age of measured states,
// and the delay of commands. A channel is a controller with another controller behind it.

#ifndef TRACTRIX_CHANNEL_H
#define TRACTRIX_CHANNEL_H

#include <tractrix/policy.h>

TRX_BEGIN_C

typedef struct trx_channel {
    size_t size;               // sizeof(trx_channel), set by the default function
    const trx_model *model;
    const trx_controller *controller; // the controller behind the channel
    const double *noise;       // 2 nv: standard deviations of measured positions (tangent) and velocities; NULL: none
    int age;                   // steps from a measurement to its arrival at the controller, at most 10,000,000 [1]
    int delay;                 // steps from the arrival of a state to the effect of its command, at most 10,000,000 [1]
    unsigned long long seed;   // of the noise, which depends only on seed, world and step
} trx_channel;

/// No noise, no age, no delay, seed 1.
TRX_API trx_channel trx_channel_default(void);

/// The channel as a controller, which a plant calls once in every step. The channel, its model, controller and noise must outlive
/// the returned controller. Until the first measurement arrives, the controller behind the channel gets the measurement of the
/// first step. Until the first command arrives, the plant gets the command of the first step. Errors of open: ARGUMENT (no model,
/// no controller, negative age or delay), MEMORY, errors of the controller.
TRX_API trx_controller trx_channel_controller(const trx_channel *channel);

TRX_END_C

#endif
