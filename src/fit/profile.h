// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Profile likelihood of parameters that ask for it (theory 10).

#ifndef TRXI_FIT_PROFILE_H
#define TRXI_FIT_PROFILE_H

#include "fit/state.h"

/// Profiles every parameter with `profile` about the estimates, and restores the estimates. Returns INTERRUPTED with the
/// points so far when the progress says so. Errors: MEMORY.
trx_status trxi_fit_profiles(trx_fit *fit);

#endif
