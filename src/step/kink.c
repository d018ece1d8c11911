// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Kinks of the step map (theory 3 to 6): sign changes of phi0 (lagged friction starts), phi0 + dt v_n (contact
// opens), 1 - d v_n (dissipation saturates; z in place of v_n for similar), the borders of sap's regions, regularized
// friction that passes the stiction tolerance, a gap that leaves the reach of an ipc barrier, a joint limit that
// starts to act, and a change of geometric feature. That sap becomes near-rigid depends on the effective mass alone:
// it is a branch without a distance.

#include "step/kink.h"

#include "base/random.h"
#include "contact/barrier.h"

static bool uses_z(trx_approximation kind)
{
    return kind == TRX_SIMILAR || kind == TRX_SIMILAR_REGULARIZED;
}

// lagged friction, and regularized friction of either kind, see the state before the step
static bool uses_gn0(trx_approximation kind)
{
    return kind == TRX_LAGGED || kind == TRX_LAGGED_REGULARIZED || kind == TRX_SIMILAR_REGULARIZED;
}

unsigned long long trxi_step_branches(const trx_sim *sim)
{
    unsigned long long hash = 0;
    for (int i = 0; i < sim->problem.ncontact; i++) {
        const trxi_contact *c = &sim->contacts[i];
        if (c->kind == TRXI_CONTACT_TURN) continue;
        const trxi_row *row = &sim->rows[i];
        int bits = c->branch | (uses_gn0(c->law.approximation) ? row->law0_branch << 4 : 0);
        if (bits == 0) continue;
        bits |= (c->regularized ? 1 << 8 : 0) | (c->rigid ? 1 << 9 : 0);
        hash += trxi_random_bits((unsigned long long)row->pair * 64 + (unsigned)row->point,
                                 (unsigned long long)(unsigned)row->feature << 10 | (unsigned)bits);
    }
    for (int i = 0; i < sim->problem.nscalar; i++) {
        const trxi_scalar *row = &sim->scalars[i];
        unsigned long long place = (unsigned long long)row->index * 4 + (unsigned)row->branch;
        bool switches = row->kind == TRXI_LIMIT || row->kind == TRXI_DRIVE;
        if (switches && row->branch) hash += trxi_random_bits(~0ull - row->kind, place * 2 + (unsigned)row->part);
    }
    for (int i = 0; i < sim->nhold; i++)
        hash += trxi_random_bits(~0ull - TRXI_EQUALITY, (unsigned long long)i * 2 + sim->holds[i].rigid);
    return hash;
}

// a law's own kinks at gap phi and speed v; those of a user's law are not known, only whether it acts
static double law_kink(const trx_pair_law *law, double dt, double phi, double v)
{
    if (law->force_law == TRX_KELVIN_VOIGT) return fabs(phi + law->relaxation_time * v);
    if (law->force_law == TRX_IPC) return fabs(phi - law->reach);
    if (law->force_law == TRX_LOG_BARRIER || law->force_law == TRX_USER_LAW) return INFINITY;
    double overlap = law->force_law == TRX_SMOOTHED ? INFINITY : fabs(phi);
    bool pressed = law->force_law == TRX_SMOOTHED || phi < 0;
    double saturation = pressed && law->dissipation > 0 ? dt * fabs(1 / law->dissipation - v) : INFINITY;
    return fmin(overlap, saturation);
}

// distances of y to the borders y_r = mu y_n and y_n = -mu^ y_r, as changes of the gap
static double sap_kink(const trxi_contact *c, double dt)
{
    const double mu = c->mu, horizon = trxi_contact_horizon(c, dt);
    double yr = hypot(c->v_c[0], c->v_c[1]) / c->Rt, yn = (c->v_hat - c->v_c[2]) / c->Rn;
    double stick = mu > 0 ? fabs(yn - yr / mu) : INFINITY, open = fabs(yn + mu * c->Rt / c->Rn * yr);
    return fmin(stick, open) * c->Rn * horizon;
}

// sigma w mu gn0 against the stiction tolerance, as a change of the gap through gn0 = dt f(phi0, v_n0)
static double regularization_kink(const trx_sim *sim, const trxi_contact *c, const trxi_row *row)
{
    double slope = sim->settings.friction_regularization * c->w * c->mu;
    double rate = slope * sim->settings.time_step * fabs(row->f0_phi);
    return rate > 0 ? fabs(slope * c->gn0 - sim->settings.stiction_tolerance) / rate : INFINITY;
}

static double contact_kink(const trx_sim *sim, int i)
{
    const trxi_contact *c = &sim->contacts[i];
    const trxi_row *row = &sim->rows[i];
    const double dt = sim->settings.time_step;
    if (c->kind == TRXI_CONTACT_TURN) return INFINITY;
    if (c->law.approximation == TRX_SAP) {
        double distance = sap_kink(c, dt);
        return c->branch ? fmin(distance, row->tie) : distance;
    }
    double v = c->v_c[2];
    if (uses_z(c->law.approximation)) v = trxi_contact_separation(c, c->v_c);
    double distance = law_kink(&c->law, dt, trxi_contact_gap(c, dt, v), trxi_contact_speed(c, v));
    if (uses_gn0(c->law.approximation)) distance = fmin(distance, law_kink(&c->law, dt, c->phi0, row->vn0));
    distance = fmin(distance, regularization_kink(sim, c, row));
    return c->branch || row->law0_branch ? fmin(distance, row->tie) : distance;
}

// as changes of the coordinate: a limit that starts to act, a drive that reaches or leaves its effort
static double scalar_kink(const trxi_scalar *row, const trx_sim *sim)
{
    const double dt = sim->settings.time_step;
    if (row->kind == TRXI_LIMIT) return fabs(row->v_hat - row->v_c) * 2 * dt;
    if (row->kind != TRXI_DRIVE) return INFINITY;
    double f = row->f0 - row->slope * row->v_c;
    return fmin(fabs(f - row->lower), fabs(row->upper - f)) * dt / row->slope;
}

double trxi_step_kink_distance(const trx_sim *sim)
{
    double nearest = INFINITY;
    for (int i = 0; i < sim->problem.ncontact; i++) nearest = fmin(nearest, contact_kink(sim, i));
    for (int i = 0; i < sim->problem.nscalar; i++) nearest = fmin(nearest, scalar_kink(&sim->scalars[i], sim));
    return nearest;
}
