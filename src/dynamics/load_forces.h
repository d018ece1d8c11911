// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Loads (trx_load_def) as forces of the joints (theory 2).

#ifndef TRXI_DYNAMICS_LOAD_FORCES_H
#define TRXI_DYNAMICS_LOAD_FORCES_H

#include "dynamics/kinematics.h"

/// Spatial force F of a load at time t about its tree's c, and the arm from c to its point. False when the load does
/// not act.
bool trxi_load_wrench(const trx_model *model, const trxi_kinematics *kin, int load, double t, double F[6], double arm[3]);

/// out += scale J^T f of all loads at time t, out (nv).
void trxi_load_forces(const trx_model *model, const trxi_kinematics *kin, double t, double scale, double *out);

#endif
