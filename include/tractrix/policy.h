// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A policy: a planned trajectory and its feedback, evaluated at any time and rate (theory 7, policies).
//
//     u(t, x) = clamp(u_plan(t + lead) + K_k (x (-) x_plan(t)))       t_k <= t < t_(k+1)
//
// x_plan(t) lies on the geodesic from x_k to x_(k+1). Controls and gains are constant from knot to knot, as in the model
// of the plan. Before its first knot a policy acts as at the first knot. After its last knot it keeps the last controls and
// gains about the last state. In a loop with a known delay the lead is this delay: the controls of the plan then act at their
// planned times, and only corrections are late.

#ifndef TRACTRIX_POLICY_H
#define TRACTRIX_POLICY_H

#include <tractrix/plan.h>

TRX_BEGIN_C

typedef struct trx_policy trx_policy;

/// The arrays of a policy; the create function copies them.
typedef struct trx_policy_def {
    size_t size;       // sizeof(trx_policy_def), set by the default function
    int steps;         // N, at least 1 [1]
    double start_time; // of knot 0 [s]
    double time_step;  // from knot to knot [s]
    const double *x;   // nstate x (N + 1)
    const double *u;   // nu x N
    const double *K;   // nu x ntangent x N, column-major; NULL: no feedback
    double lead;       // time by which the controls of the plan are sent earlier, at least 0 [s]
} trx_policy_def;

TRX_API trx_policy_def trx_policy_def_default(void);

/// How the gains of a plan's policy are made.
typedef struct trx_policy_settings {
    size_t size;      // sizeof(trx_policy_settings), set by the default function
    double delay;     // delay of the loop, from measurement to effect; gains assume corrections that last twice as long [s]
    double smoothing; // smoothing of contacts for the gains, 0: the contacts of the model [m]
} trx_policy_settings;

/// A delay of 5 ms, contacts smoothed by 0.5 mm.
TRX_API trx_policy_settings trx_policy_settings_default(void);

/// The policy of a solved plan: its states and controls, with gains for softer contacts and for a delay instead of the gains of the
/// solver. The lead is 0. The plan's model must outlive the policy. The function works in memory of the plan, so no other call may
/// use the plan meanwhile. Errors: ARGUMENT, NO_STEP (not solved), NOT_PD, MEMORY, a step that fails along the plan.
TRX_API trx_status trx_policy_of_plan(const trx_plan *plan, const trx_policy_settings *settings, trx_policy **policy);

/// Creates a policy for a model, which must outlive it. Errors: ARGUMENT, NOT_FINITE, MEMORY.
TRX_API trx_status trx_policy_create(trx_context *context, const trx_model *model, const trx_policy_def *def,
                                     trx_policy **policy);
TRX_API void trx_policy_destroy(trx_policy *policy);

/// Replaces the arrays by others with at most as many steps as at creation, with K if the policy has K. Allocates nothing. Errors:
/// ARGUMENT, NOT_FINITE; the policy is then unchanged.
TRX_API trx_status trx_policy_set(trx_policy *policy, const trx_policy_def *def);

/// u (nu) at the time t [s] and the state x (nstate), within the limits of the controls. Allocates nothing. One thread at a
/// time. Errors: ARGUMENT, NOT_FINITE (t or x, or a control because x is too far from the plan); u is then unchanged.
TRX_API trx_status trx_policy_control(trx_policy *policy, double t, const double *x, double *u);

/// The gains in effect at the time t [s]: nu x ntangent, column-major, owned by the policy; NULL without feedback.
TRX_API const double *trx_policy_gains(const trx_policy *policy, double t);

/// x_plan(t) (nstate). Errors: ARGUMENT, NOT_FINITE.
TRX_API trx_status trx_policy_reference(trx_policy *policy, double t, double *x);

TRX_API const trx_model *trx_policy_model(const trx_policy *policy);

/// Views of the policy's arrays, valid until it changes.
TRX_API trx_policy_def trx_policy_get(const trx_policy *policy);

/// A control law for simulations and trials. Each world (0 in a simulation) opens its own state.
typedef struct trx_controller {
    void *user;
    /// Makes the controller of one world, on the thread that runs the world. Errors end the world.
    trx_status (*open)(void *user, trx_context *context, int world, void **state);
    /// u (nu) for the step that begins at t [s] at the measured state x (nstate). Errors end the world.
    trx_status (*control)(void *state, double t, const double *x, double *u);
    void (*close)(void *state);
    /// u for the step at `now` [s] from a state measured earlier, at `measured_at` [s]; NULL: `control` at `now` gets the old
    /// state.
    trx_status (*control_late)(void *state, double now, double measured_at, const double *x, double *u);
} trx_controller;

/// The controller that follows a policy, which must outlive it. Worlds make copies of the policy.
TRX_API trx_controller trx_policy_controller(const trx_policy *policy);

TRX_END_C

#endif
