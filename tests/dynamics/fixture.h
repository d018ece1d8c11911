// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A model with everything the dynamics room needs in one place, and a model that has everything: free, ball,
// planar, hinge and slide joints in series and in branches, offset axes, welded bodies, bodies without gravity,
// massless links.

#ifndef TESTS_DYNAMICS_FIXTURE_H
#define TESTS_DYNAMICS_FIXTURE_H

#include "dynamics/inverse_dynamics.h"
#include "dynamics/mass_matrix.h"

#include <stdint.h>

enum { MAX_NV = 32, MAX_NQ = 40, MAX_LINKS = 24, MAX_BODIES = 12 };

typedef struct fixture {
    trx_context *context;
    trx_model *model;
    int nv;
    trxi_kinematics kin;
    trxi_rnea rnea;
    trxi_inertia *composite;
    void *block;
} fixture;

/// Builds `def`, which must be free of errors.
fixture fixture_open(const trx_model_def *def);
void fixture_close(fixture *f);

/// The model that has everything, from random numbers.
fixture fixture_of_everything(void);

/// The same with tendons.
fixture fixture_of_everything_with(const trx_tendon_def *tendons, int ntendon);

/// One free body of this inertia.
fixture fixture_of_free_body(trx_body_inertia inertia);

/// A random configuration; `far` moves the free body 1 km away.
void random_configuration(const fixture *f, uint64_t seed, bool far, double *q);
void random_vector(uint64_t seed, int n, double *x);

/// tau = ID(q, v, a).
void inverse_dynamics_at(fixture *f, const double *q, const double *v, const double *a, double *tau);

/// Full symmetric M(q), nv x nv.
void mass_matrix_at(fixture *f, const double *q, double *M);

/// d f/dq by fourth-order central differences in tangent coordinates: `eval` fills n numbers at a
/// configuration; out is n x nv.
typedef void configuration_function(fixture *f, const double *q, const void *data, double *values);
void difference_over_q(fixture *f, configuration_function *eval, const void *data, int n, const double *q, double *out);

#endif
