// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// First guess of the start state of a window (theory 10).

#ifndef TRXI_FIT_GUESS_H
#define TRXI_FIT_GUESS_H

#include "fit/window.h"

/// Sets w->guess and w->x. A line through the first recorded samples of a coordinate gives the coordinate at the first knot, and
/// its velocity unless velocities are recorded. A recorded velocity is taken from its first sample, all other numbers from x0.
void trxi_guess_start(const trx_fit_problem *problem, trxi_window *w);

/// Sets the activations of w->guess and w->x. The recorded controls lead there from the guess of the window `before` in the same
/// recording, or from x0 at the start of the recording (`before` NULL).
void trxi_guess_activations(const trx_fit_problem *problem, const trxi_window *before, trxi_window *w);

#endif
