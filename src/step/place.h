// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Copies columns of dv of a free body into A: velocities unchanged, positions multiplied by the maps of the
// integration (theory 6).

#ifndef TRXI_STEP_PLACE_H
#define TRXI_STEP_PLACE_H

/// out = [rate v_1..3; S v_4..6] and out + rows = v for 2 ncol columns v, ldv apart in out into a matrix of 2 rows rows: the first
/// half of them side by side, the others `rows` columns after these, as columns of positions and velocities stand in A.
void trxi_place_free(int ncol, double rate, const double S[9], const double *v, int ldv, double *out, int rows);

#endif
