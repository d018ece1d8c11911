// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// An optimal-control quadratic program (theory 7): its memory, in which every stage has only the arrays that it needs, its visit in
// the same order, and the cost of a stage as one matrix.

#include "trajopt/ocp.h"

static double *take(trxi_arena *arena, bool wanted, size_t count)
{
    return wanted ? TRXI_TAKE(arena, double, count) : NULL;
}

static trxi_ocp_stage stage_layout(trxi_arena *arena, const trxi_ocp_size *size, int nx_next)
{
    const bool last = nx_next == 0;
    trxi_ocp_stage s = {.nx = size->nx, .nu = last ? 0 : size->nu, .nx_next = nx_next};
    const size_t nx = (size_t)s.nx, nu = (size_t)s.nu, next = (size_t)nx_next;
    s.B = take(arena, !last, next * (nu + nx));
    s.A = s.B ? s.B + next * nu : NULL;
    s.b = take(arena, size->defect && !last, next);
    s.Q = take(arena, true, nx * nx);
    s.R = take(arena, true, nu * nu);
    s.S = take(arena, size->cross, nx * nu);
    s.q = take(arena, true, nx);
    s.r = take(arena, true, nu);
    s.u_lower = take(arena, true, nu);
    s.u_upper = take(arena, true, nu);
    s.rate_slope = take(arena, size->rates, nu);
    s.rate_curvature = take(arena, size->rates, nu);
    return s;
}

void trxi_ocp_layout(trxi_arena *arena, int steps, const trxi_ocp_size *sizes, int stride, int nball, trxi_ocp *ocp)
{
    *ocp = (trxi_ocp){.steps = steps, .positions = {.nball = nball}};
    ocp->stages = TRXI_TAKE(arena, trxi_ocp_stage, steps + 1);
    ocp->positions.balls = TRXI_TAKE(arena, int, nball);
    ocp->positions.maps = TRXI_TAKE(arena, double, TRXI_BALL_MAPS * (size_t)nball * (size_t)steps);
    for (int k = 0; k <= steps; k++) {
        const trxi_ocp_size *size = sizes + stride * k;
        trxi_ocp_stage stage = stage_layout(arena, size, k < steps ? size[stride].nx : 0);
        stage.u_at = ocp->controls;
        stage.K_at = ocp->gains;
        ocp->controls += (size_t)stage.nu;
        ocp->gains += (size_t)stage.nu * (size_t)stage.nx;
        ocp->defects = ocp->defects || (size->defect && k < steps);
        if (stage.nx > ocp->nx) ocp->nx = stage.nx;
        if (stage.nu > ocp->nu) ocp->nu = stage.nu;
        if (ocp->stages) ocp->stages[k] = stage;
    }
}

// adds a symmetric matrix, given by its lower triangle, to `to`
static void add_symmetric(int n, const double *lower, double *to, int ldt)
{
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            to[i + j * ldt] += lower[i + j * n];
            if (i > j) to[j + i * ldt] += lower[i + j * n];
        }
}

void trxi_ocp_add_cost(const trxi_ocp_stage *stage, double *to)
{
    const int nx = stage->nx, nu = stage->nu, nz = nu + nx;
    add_symmetric(nu, stage->R, to, nz);
    add_symmetric(nx, stage->Q, to + nu * (nz + 1), nz);
    for (int j = 0; stage->S && j < nu; j++)
        for (int i = 0; i < nx; i++) {
            to[nu + i + j * nz] += stage->S[i + j * nx];
            to[j + (nu + i) * nz] += stage->S[i + j * nx];
        }
}

static void stage_visit(trxi_visitor *v, const trxi_ocp_stage *s)
{
    const size_t nx = (size_t)s->nx, nu = (size_t)s->nu, next = (size_t)s->nx_next;
    trxi_visit_doubles(v, s->B, next * (nu + nx));
    trxi_visit_doubles(v, s->b, next);
    trxi_visit_doubles(v, s->Q, nx * nx);
    trxi_visit_doubles(v, s->R, nu * nu);
    trxi_visit_doubles(v, s->S, nx * nu);
    trxi_visit_doubles(v, s->q, nx);
    trxi_visit_doubles(v, s->r, nu);
    trxi_visit_doubles(v, s->u_lower, nu);
    trxi_visit_doubles(v, s->u_upper, nu);
    trxi_visit_doubles(v, s->rate_slope, nu);
    trxi_visit_doubles(v, s->rate_curvature, nu);
}

void trxi_ocp_visit(trxi_visitor *visitor, trxi_ocp *ocp)
{
    trxi_position_rows *rows = &ocp->positions;
    TRXI_VISIT(visitor, rows->count);
    trxi_visit(visitor, rows->rates, sizeof rows->rates);
    trxi_visit(visitor, rows->balls, (size_t)rows->nball * sizeof *rows->balls);
    trxi_visit_doubles(visitor, rows->maps, TRXI_BALL_MAPS * (size_t)rows->nball * (size_t)ocp->steps);
    for (int k = 0; k <= ocp->steps; k++) stage_visit(visitor, &ocp->stages[k]);
}
