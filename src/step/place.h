// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Copies columns of dv of a free body into A: velocities unchanged, positions multiplied by the maps of the
// integration (theory 6).

#ifndef TRXI_STEP_PLACE_H
#define TRXI_STEP_PLACE_H

/// For 2 ncol columns v (ldv apart) writes [rate v_1..3; S v_4..6] at out and v at out + rows, in a matrix with 2 `rows` rows. The
/// first ncol columns are adjacent; the others come `rows` columns later. A has its position and velocity columns in this order.
void trxi_place_free(int ncol, double rate, const double S[9], const double *v, int ldv, double *out, int rows);

#endif
