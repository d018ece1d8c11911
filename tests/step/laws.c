// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See laws.h.

#include "step/laws.h"

#include "base/random.h"
#include "support/support.h"

static double uniform(uint64_t seed, uint64_t index, double low, double high)
{
    return low + (high - low) * trxi_random_uniform(seed, index);
}

static double log_uniform(uint64_t seed, uint64_t index, double low, double high)
{
    return low * pow(high / low, trxi_random_uniform(seed, index));
}

static trx_force gentle_law(void *data, double phi, double v)
{
    const law_gentle *g = data;
    double y = -phi / g->s, root = hypot(y, 1), decay = exp(-v / g->c), brake = 0.5 * (1 + decay);
    double base = g->k * g->s * (y > 0 ? root + y : 1 / (root - y));
    return (trx_force){base * brake, -base / (root * g->s) * brake, -0.5 * base * decay / g->c};
}

const char *law_name(law_variant which)
{
    static const char *const names[] = {"hertz", "log_barrier", "ipc", "user", "anisotropic", "falling", "turns", "everything"};
    return names[which];
}

bool law_goes_with(law_variant which, trx_approximation approximation)
{
    bool lagged = approximation == TRX_LAGGED || approximation == TRX_LAGGED_REGULARIZED;
    if (which == LAW_TURNS || which == LAW_EVERYTHING) return lagged;
    return which == LAW_FALLING || approximation != TRX_SAP;
}

void law_draw(const scene *s, law_variant which, trx_approximation approximation, uint64_t seed, int index, law_gentle *own)
{
    scene_law(s, approximation, SCENE_SLIP, seed, index);
    trx_pair_law law = trx_sim_pair_law(s->sim, 0);
    const uint64_t k = seed * 7919 + (uint64_t)index;
    if (which == LAW_HERTZ || which == LAW_EVERYTHING) law.force_law = TRX_HERTZ, law.stiffness = log_uniform(k, 0, 1e5, 1e7);
    if (which == LAW_LOG_BARRIER) law.force_law = TRX_LOG_BARRIER, law.barrier = log_uniform(k, 0, 1e-3, 1e-1), law.reach = 0.02;
    if (which == LAW_IPC) law.force_law = TRX_IPC, law.barrier = log_uniform(k, 0, 1e3, 1e5), law.reach = 5e-3;
    if (which == LAW_USER) {
        *own = (law_gentle){law.stiffness, log_uniform(k, 0, 1e-4, 1e-3), uniform(k, 1, 0.2, 1)};
        law.force_law = TRX_USER_LAW, law.user = gentle_law, law.user_data = own, law.reach = 0.01;
    }
    if (which == LAW_ANISOTROPIC || which == LAW_EVERYTHING) {
        for (uint64_t i = 0; i < 3; i++) law.axis[i] = trxi_random_normal(k, 10 + i);
        law.axis_on_b = index % 2;
        law.friction = uniform(k, 2, 0.1, 1), law.friction_across = uniform(k, 3, 0.1, 1);
    }
    if (which == LAW_FALLING || which == LAW_EVERYTHING)
        law.dynamic_friction = uniform(k, 4, 0.05, 0.6), law.slip_speed = log_uniform(k, 5, 1e-2, 1);
    if (which == LAW_TURNS || which == LAW_EVERYTHING)
        law.torsional_friction = log_uniform(k, 6, 1e-3, 3e-2), law.rolling_friction = log_uniform(k, 7, 1e-3, 3e-2);
    ck_assert_msg(trx_sim_set_pair_law(s->sim, 0, &law) == TRX_OK, "%s", trx_context_message(s->context));
    trx_sim_settings settings = trx_sim_get_settings(s->sim);
    settings.joint_stiction_tolerance = log_uniform(k, 8, 1e-2, 1e-1);
    ck_assert_int_eq(trx_sim_set_settings(s->sim, &settings), TRX_OK);
}

void law_state(const scene *s, law_variant which, scene_aim aim, uint64_t seed, int index, double *x, double *u)
{
    scene_state(s, aim, seed, index, x, u);
    if (which != LAW_LOG_BARRIER && which != LAW_IPC) return;
    scene_set_gap(s, log_uniform(seed * 31 + (uint64_t)index, 0, 2e-4, 3e-3), x);
}
