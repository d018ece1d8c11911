// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Values of parameters of a simulator (theory 6); see sim_parameters.c.

#ifndef TRXI_STEP_SIM_PARAMETERS_H
#define TRXI_STEP_SIM_PARAMETERS_H

#include "step/sim.h"

/// trx_sim_set_parameter for finite differences: damping, stiffness and rotor inertia of joints may be negative.
trx_status trxi_sim_put_parameter(trx_sim *sim, trx_parameter parameter, double value);

#endif
