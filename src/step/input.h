// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The input of a step (theory 2): model, settings, and the arguments of trx_step_from. Smooth dynamics, rows and derivatives read
// it. Nothing writes to it after a step has begun.

#ifndef TRXI_STEP_INPUT_H
#define TRXI_STEP_INPUT_H

#include "contact/model.h"
#include "step/activation.h"

#include <tractrix/sim.h>

typedef struct trxi_input {
    trx_context *context;
    const trx_model *model;
    const trx_model *given; // the model at creation; `model` may have other values of parameters
    trx_sim_settings settings;
    const trxi_contact_model *contact_model; // of the settings
    trxi_law_settings law;                   // of the settings
    trxi_solver_settings solver;             // of the settings
    bool two_stage;    // every scheme except the symplectic one
    double th, th_vq;  // of the scheme (theory 2); symplectic: 1 and 1, positions move with v

    // arguments
    double t0;           // [s]
    double *q0, *v0, *u; // nq, nv, nu; u: the driving values of the actuators, which are controls or activations
    trxi_activations activations;
} trxi_input;

/// Copies the settings, and computes the numbers of scheme, laws and solver that follow from them.
void trxi_input_use_settings(trxi_input *in, const trx_sim_settings *settings);

/// False when the solve of a step leaves no slopes of contacts, so that derivatives need another solve, by Newton.
static inline bool trxi_input_has_slopes(const trxi_input *in)
{
    const trx_contact_solver solver = in->settings.contact_solver;
    return in->contact_model->symmetric && (solver == TRX_SOLVER_USUAL || solver == TRX_SOLVER_NEWTON);
}

#endif
