// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contact points as virtual springs with dampers that are integrated implicitly (theory 4, the model first_order). The normal
// spring has the stiffness k and the relaxation time tau of the pair, b = k tau, and only pushes. Friction is a stiff damper,
// which its bound usually limits: R_t is a share of the effective inverse mass. Friction is isotropic; its bound is a round cone.
//
//     gamma_n = dt max(0, -k phi' - b v_n) = max(0, (v_hat - v_n)/R_n)      phi' = phi0 + dt v_n, R_n = 1/(dt k h), v_hat = -phi0/h
//     gamma_t = -v_t/R_t    where |gamma_t| <= mu gamma_n, else mu gamma_n against v_t                               h = dt + tau
//
// The law has no potential, because the bound of friction depends on the normal impulse. In a level (two_level.c) the bound is
// constant, so the law of a level has a potential. A level also holds a share of each impulse with R below R' = least w, so that
// no impulse is a small difference over a tiny R:
//
//     gamma = held + (v_hat - v)/R'      held = (1 - R/R') gamma of the level before
//
// If `held` comes from gamma itself, this is R gamma = v_hat - v. Slopes for derivatives use R' of 1e-8 w.

#include "contact/rigid.h"

#include "contact/cone.h"

static double horizon(const trxi_row_block *block)
{
    return trxi_contact_horizon(&block->contact);
}

// barriers have no stiffness: their contacts are rigid
static void prepare(trxi_row_block *block, const trxi_law_settings *settings)
{
    trxi_contact *c = &block->contact;
    const double k = c->material->stiffness, rigid = settings->compliance * block->w;
    block->decided = k > 0 ? 0 : TRXI_RIGID;
    block->soft = block->soft_wanted = 0;
    c->level = (trxi_level){0};
    c->sap.Rt = rigid;
    c->sap.Rn = k > 0 ? 1 / (settings->dt * k * horizon(block)) : rigid;
    c->sap.v_hat = -(block->phi0 + trxi_contact_seconds_before(c) * c->v_n0) / horizon(block);
}

// ---- one level ----

static void impulse(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    (void)dt;
    const trxi_level *l = &block->contact.level;
    const double n = l->held[2] + (block->contact.sap.v_hat - at->v_c[2]) / l->Rn;
    const double y[2] = {l->held[0] - at->v_c[0] / l->Rt, l->held[1] - at->v_c[1] / l->Rt}, r = hypot(y[0], y[1]);
    const bool sticks = r <= l->most && l->most > 0;
    const double scale = sticks ? 1 : r > 0 ? l->most / r : 0;
    at->gamma[0] = scale * y[0], at->gamma[1] = scale * y[1], at->gamma[2] = fmax(0, n);
    at->G = (trxi_sym3){.nn = n > 0 ? 1 / l->Rn : 0};
    if (sticks) at->G.xx = at->G.yy = 1 / l->Rt;
    else if (scale > 0) trxi_add_projector(scale / l->Rt, y[0] / r, y[1] / r, &at->G);
    at->branch = sticks ? TRXI_SAP_STICK : n > 0 || scale > 0 ? TRXI_SAP_SLIDE : 0;
}

// friction beyond its new bound, or at its old bound and below the new one [N s]
static double error_of_bound(double r, double before, double now)
{
    return r > now ? r - now : r >= (1 - 1e-14) * before ? now - r : 0;
}

static void hold(trxi_row_block *block, const double *gamma, double least, trxi_level_error *error)
{
    trxi_contact *c = &block->contact;
    trxi_level *l = &c->level;
    const double most = c->mu * gamma[2], of_bound = error_of_bound(hypot(gamma[0], gamma[1]), l->most, most);
    error->bounds += of_bound * of_bound * block->w;
    for (int i = 0; i < 3; i++) {
        const double R = i < 2 ? c->sap.Rt : c->sap.Rn, level = i < 2 ? l->Rt : l->Rn, wanted = fmax(R, least * block->w);
        const double change = level > 0 ? level * ((1 - R / level) * gamma[i] - l->held[i]) : 0;
        error->shares += change * change / block->w;
        l->held[i] = (1 - R / wanted) * gamma[i];
    }
    l->Rt = fmax(c->sap.Rt, least * block->w), l->Rn = fmax(c->sap.Rn, least * block->w);
    l->before = l->most, l->most = most;
}

// ---- derivatives ----

static bool touches(const trxi_row_block *block)
{
    return block->at.gamma[2] > 0;
}

static void slope(const trxi_row_block *block, trxi_sym3 *G, double skew[3])
{
    trxi_bounds_slope(block, block->contact.level.Rt, block->contact.level.Rn, G, skew);
}

static void partials(const trxi_row_block *block, const trxi_law_settings *settings, trxi_law_partials *out)
{
    (void)settings;
    const double fall = -1 / (block->contact.level.Rn * horizon(block));
    trxi_bounds_partials(block, fall, trxi_contact_seconds_before(&block->contact) * fall, out);
}

// R_n gamma_n = v_hat - v_n, R_n = 1/(dt k h), v_hat = -(phi0 + (behind + tau late) v_n0)/h, h = ahead + rate tau
static void parameter(const trxi_row_block *block, const trxi_law_settings *settings, trx_parameter_kind p, double *gamma_theta)
{
    const trxi_contact *c = &block->contact;
    const bool tau = p == TRX_PAIR_RELAXATION_TIME, of_spring = tau || p == TRX_PAIR_STIFFNESS;
    const double rate = tau ? -c->between.rate / horizon(block) : p == TRX_PAIR_STIFFNESS ? -1 / c->material->stiffness : 0;
    const double R = block->decided ? 0 : c->sap.Rn; // rigid: R_n stays
    const double target = tau ? -(c->sap.v_hat * c->between.rate + c->between.late * c->v_n0) / horizon(block) : 0;
    const double change = of_spring && touches(block) ? (target - R * rate * block->at.gamma[2]) / c->level.Rn : 0;
    trxi_bounds_parameter(block, change, trxi_friction_parameter(c, p).mu, gamma_theta);
    (void)settings;
}

// distance to the state at which the contact opens or closes, sticks or slides; w turns changes of the impulse into velocities
static double kink(const trxi_row_block *block, const trxi_law_settings *settings)
{
    (void)settings;
    const trxi_contact *c = &block->contact;
    const double *v = block->at.v_c, *f = block->at.gamma, stiff = c->sap.Rn + block->w;
    if (!touches(block)) return fabs(c->sap.v_hat - v[2]) * horizon(block);
    double nearest = f[2] * stiff;
    if (!(c->mu > 0)) return nearest * horizon(block);
    const bool sticks = block->at.branch & TRXI_SAP_STICK;
    nearest = fmin(nearest, sticks ? (f[2] - hypot(f[0], f[1]) / c->mu) * stiff : hypot(v[0], v[1]));
    return nearest * horizon(block);
}

// an open contact has exactly no normal impulse; without a bound there is exactly no friction
static void offset(const trxi_row_block *block, double dt, const trxi_row_state *at, double *f)
{
    (void)dt;
    const trxi_level *l = &block->contact.level;
    for (int i = 0; i < 2 && l->most > 0; i++) f[i] += fabs(l->held[i]);
    if (at->G.nn > 0) f[2] += l->held[2] + fabs(block->contact.sap.v_hat) * at->G.nn;
}

const trxi_law trxi_first_order = {.name = "first_order", .needs_mass = true, .prepare = prepare, .impulse = impulse,
                                   .partials = partials, .parameter = parameter, .kink = kink, .slope = slope, .hold = hold,
                                   .offset = offset, .separation = trxi_cone_separation, .sticks = trxi_cone_sticks};
