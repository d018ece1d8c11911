// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Staggered projections of ncp on one island (theory 4). Shared by the solver's files.

#ifndef TRXI_CONTACT_STAGGERED_H
#define TRXI_CONTACT_STAGGERED_H

#include "contact/work.h"

/// Alternates between normal impulses and friction until both agree. Contacts have the law ncp. Returns OK, NOT_CONVERGED, or the
/// status of Newton's method where it fails.
trx_status trxi_staggered_solve(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                                trxi_work *s);

#endif
