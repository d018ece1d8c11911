// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Lemke's pivoting for lcp on one island (theory 4). Shared by the solver's files.

#ifndef TRXI_CONTACT_PIVOTING_H
#define TRXI_CONTACT_PIVOTING_H

#include "contact/work.h"

/// Most contacts of an island: the work of a pivot is the square of seven times as many.
enum { TRXI_PIVOTING_MOST = 64 };

/// Solves the complementarity problem of the contacts directly. Contacts have the law lcp. The first solves make room for later
/// ones of the same size. Returns OK, NOT_CONVERGED, ILL_CONDITIONED, NOT_FINITE, MEMORY, or UNSUPPORTED with a message for an
/// island of more contacts.
trx_status trxi_pivoting_solve(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                               trxi_work *s);

#endif
