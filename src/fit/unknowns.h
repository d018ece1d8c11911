// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Unknowns z of an identification and the values of parameters that follow from them (theory 10). A positive parameter
// is exp(z), any other one is z. The ten numbers of a body follow ten unknowns together (moments.h). Parameters with
// same_as follow another one. The unknowns belong to one session: first its local unknowns, then the unknowns that all
// sessions share (sessions.h).

#ifndef TRXI_FIT_UNKNOWNS_H
#define TRXI_FIT_UNKNOWNS_H

#include "base/arena.h"
#include "fit/moments.h"

#include <tractrix/fit.h>

typedef struct trxi_unknowns {
    const trx_fit_parameter *parameters; // nparameter
    int nparameter, count;
    int local;              // unknowns 0 .. local - 1 are of one session
    int *parameter_of;      // count: the free parameter of an unknown
    int *unknown_of;        // nparameter: the unknown that a parameter follows
    bool *positive;         // count: z is a logarithm
    double *lower, *upper;  // count: bounds of z
    int *body;              // count: number of an unknown among the ten of a body, which follow each other; -1: not of a body
    double *start;          // count
    double *start_values;   // nparameter
    double *typical;        // count: size of a signal that may well be 0, in its unit; NAN: no signal, or one with given bounds
} trxi_unknowns;

/// Reads starts from the model and checks starts, bounds and ties. Errors: ARGUMENT, INPUT, UNSUPPORTED, MEMORY.
trx_status trxi_unknowns_begin(trx_context *context, trxi_pool *pool, const trx_fit_problem *problem, trxi_unknowns *unknowns);

/// Values (nparameter) at z (count).
void trxi_unknowns_values(const trxi_unknowns *unknowns, const double *z, double *values);

/// Derivatives of a value by the unknowns from `first` on: of one unknown, or of the ten of a body.
typedef struct trxi_slopes {
    int first, count;
    double by[TRXI_BODY_NUMBERS];
} trxi_slopes;

/// Slopes of all values (nparameter) at these values.
void trxi_unknowns_slopes(const trxi_unknowns *unknowns, const double *values, trxi_slopes *slopes);

/// Slopes of one value.
trxi_slopes trxi_unknowns_slopes_of(const trxi_unknowns *unknowns, const double *values, int parameter);

/// D (m x count) = C (m x parameters of the model) dvalues/dz; column-major without gaps.
void trxi_unknowns_chain(const trxi_unknowns *unknowns, const trxi_slopes *slopes, int m, const double *C, double *D);

/// Returns half the squares of the priors of the first `count` unknowns; adds their gradient and their Hessian (lower triangle,
/// leading dimension ldh), if given.
double trxi_unknowns_prior(const trxi_unknowns *unknowns, int count, const double *z, double *gradient, double *H, int ldh);

/// The value of a parameter, not of a body's ten, whose unknown is z.
double trxi_unknowns_value(const trxi_unknowns *unknowns, int parameter, double z);

/// The derivative of the value of a free parameter, not of a body's ten, by its unknown.
double trxi_unknowns_slope(const trxi_unknowns *unknowns, int unknown, double value);

/// The size of an unknown near z, with which its deviation is compared: 1 for logarithms; 1 for the relative moments of
/// a body; the larger one of a signal's value and its typical size; half the range between bounds; the value.
double trxi_unknowns_size(const trxi_unknowns *unknowns, int unknown, double z);

/// The size with which the deviation of one of a body's ten numbers is compared: the value of a mass or moment; the geometric mean
/// of the two moments for a product of inertia; the root of the mean second moment over the mass for a coordinate of the centre of
/// mass.
double trxi_unknowns_body_size(const trxi_unknowns *unknowns, int parameter, const double *values);

/// Value of a parameter / value of the free parameter that it follows.
double trxi_unknowns_ratio(const trx_fit_parameter *parameter);

#endif
