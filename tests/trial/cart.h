// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A cart of 1 kg on a slide with a motor. The effect of every change of a trial on it has a closed form.

#ifndef TESTS_TRIAL_CART_H
#define TESTS_TRIAL_CART_H

#include "support/support.h"

#include <stdio.h>
#include <string.h>
#include <tractrix/tractrix.h>

enum { CART_STEPS = 20 };

typedef struct cart {
    trx_context *context;
    trx_problem *problem;
    trx_plan_problem task;
    trx_plan_settings settings;
} cart;

/// The motor has the limits -effort and effort [N].
static inline void open_weak_cart(cart *c, double effort)
{
    static const char form[] = "tractrix: 1\n"
                               "model:\n"
                               "  gravity: [0, 0, 0]\n"
                               "  bodies:\n"
                               "    - name: cart\n"
                               "      joints: [{name: s, type: slide, axis: [1, 0, 0]}]\n"
                               "      inertia: {mass: 1, tensor: [0.1, 0.1, 0.1]}\n"
                               "  actuators: [{joint: s, limits: [-%g, %g]}]\n"
                               "time: {step: 0.05, steps: 20}\n"
                               "cost:\n"
                               "  - {of: s.position, target: [0.5], weight: 1, at: end, tolerance: 0.01}\n"
                               "  - {of: control, weight: 0.001}\n";
    char text[sizeof form + 32];
    snprintf(text, sizeof text, form, effort, effort);
    ck_assert_int_eq(trx_context_create(NULL, &c->context), TRX_OK);
    ck_assert_int_eq(trx_problem_load_text(c->context, "cart.yaml", text, strlen(text), NULL, &c->problem), TRX_OK);
    c->task = trx_plan_problem_default();
    c->settings = trx_plan_settings_default();
    ck_assert_int_eq(trx_problem_plan(c->problem, &c->task, &c->settings), TRX_OK);
}

static inline void open_cart(cart *c)
{
    open_weak_cart(c, 50);
}

static inline void close_cart(cart *c)
{
    trx_problem_destroy(c->problem);
    trx_context_destroy(c->context);
}

/// No variation at all.
static inline trx_trial_settings still_worlds(int worlds)
{
    trx_trial_settings s = trx_trial_settings_default();
    s.worlds = worlds;
    s.friction = s.stiffness = s.mass = s.start_position = s.start_rotation = s.delay = 0;
    return s;
}

#endif
