// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// All time schemes of the step, for tests that run with each.

#ifndef TESTS_STEP_SCHEMES_H
#define TESTS_STEP_SCHEMES_H

#include "support/support.h"

#include <tractrix/sim.h>

typedef struct scheme_variant {
    const char *name;
    trx_scheme scheme;
    trx_spin spin;
    double theta, theta_vq;
    bool contact_midpoint;
} scheme_variant;

static const scheme_variant schemes[] = {{"symplectic", TRX_SYMPLECTIC, TRX_SPIN_EXPLICIT, 0, 0, false},
                                         {"symplectic, spin momentum", TRX_SYMPLECTIC, TRX_SPIN_MOMENTUM, 0, 0, false},
                                         {"implicit", TRX_IMPLICIT, TRX_SPIN_EXPLICIT, 0, 0, false},
                                         {"midpoint", TRX_MIDPOINT, TRX_SPIN_EXPLICIT, 0, 0, false},
                                         {"theta", TRX_THETA, TRX_SPIN_EXPLICIT, 0.7, 0.4, false},
                                         {"theta, springs explicit", TRX_THETA, TRX_SPIN_EXPLICIT, 0.3, 0, false},
                                         {"midpoint, contacts too", TRX_MIDPOINT, TRX_SPIN_EXPLICIT, 0, 0, true},
                                         {"theta, contacts too", TRX_THETA, TRX_SPIN_EXPLICIT, 0.6, 0.3, true}};
enum { SCHEMES = sizeof schemes / sizeof *schemes, FIRST_TWO_STAGE = 2 };

static inline void use_scheme(trx_sim *sim, const scheme_variant *v)
{
    trx_sim_settings settings = trx_sim_get_settings(sim);
    settings.scheme = v->scheme, settings.spin = v->spin;
    settings.theta = v->theta, settings.theta_vq = v->theta_vq;
    settings.contact_midpoint = v->contact_midpoint;
    ck_assert_int_eq(trx_sim_set_settings(sim, &settings), TRX_OK);
}

#endif
