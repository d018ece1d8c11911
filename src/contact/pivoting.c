// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pivoting (theory 4). The model lcp is a linear complementarity problem. Per contact, with f_t = sum beta_k u_k of the corners u_k
// of its polygon,
//
//     f_n >= 0, c_n >= 0      beta_k >= 0, s + u_k . c_t >= 0      s >= 0, mu f_n - sum beta_k >= 0
//
// and each unknown times its partner is 0; s is the largest -u_k . c_t. c = W f + g, W = J H^-1 J^T + R. Lemke's method finds a
// solution in finitely many pivots (lemke.h). Rows that are no contacts have laws that are not linear. These laws are linearized at
// the velocity of the last solution, as in Newton's method. Their slopes G_s are in H = A + J_s^T G_s J_s, with J_s their rows of
// J, and their impulses are in g. Impulses and velocities of a contact are scaled by the root of its mean W_ii, so masses drop out.
//
// Contacts that share the load of a body make W singular. Pivots as small as R are then lost in rounding, and the method ends on a
// ray. R' = regular W_ii then takes the place of a smaller R, and (R' - R) f is subtracted from g, with f the impulses of the last
// solution: a proximal-point method. `regular` grows until the method finds solutions. Impulses that affect v settle within a few
// solutions, up to the rounding error of v divided by R'.
//
// The matrices are dense, with two unknowns per contact and one per corner, and W is formed: a reference for small scenes.

#include "contact/island_solvers.h"

#include "base/context.h"
#include "contact/balance.h"
#include "contact/hessian.h"
#include "contact/impulses.h"
#include "contact/islands.h"
#include "contact/pyramid.h"
#include "math/lemke.h"
#include "math/vec3.h"

#include <string.h>

enum { MOST_PIVOTS = 10 };
static const double rounding = 2e-16, first_regular = 1e-7, last_regular = 1e-1;

typedef struct dense {
    int count;         // contacts
    int each;          // unknowns of a contact: f_n, beta of every corner, s
    double *u;         // 3 x each: the impulse of an unknown, 0 for s
    double regular;    // least R', relative to the mean W_ii of a contact
    int *block;        // count
    double *scale;     // count: root of the mean diagonal of W [kg^-1/2]
    double *X;         // nv of all x 3 count: H^-1 J^T
    double *W, *g;     // 3 count x 3 count, 3 count, scaled
    double *M, *q, *z; // each count x each count, each count
    double *numbers;   // of Lemke's method
    int *integers;
} dense;

static void layout(trxi_arena *arena, int count, int sides, int nv, dense *d)
{
    const int rows = 3 * count, each = sides + 2, n = each * count;
    *d = (dense){.count = count, .each = each};
    d->u = TRXI_TAKE(arena, double, 3 * each);
    d->block = TRXI_TAKE(arena, int, count);
    d->scale = TRXI_TAKE(arena, double, count);
    d->X = TRXI_TAKE(arena, double, nv * rows);
    d->W = TRXI_TAKE(arena, double, rows * rows);
    d->g = TRXI_TAKE(arena, double, rows);
    d->M = TRXI_TAKE(arena, double, n * n);
    d->q = TRXI_TAKE(arena, double, n);
    d->z = TRXI_TAKE(arena, double, n);
    d->numbers = TRXI_TAKE(arena, double, trxi_lemke_numbers(n));
    d->integers = TRXI_TAKE(arena, int, trxi_lemke_integers(n));
}

int trxi_pivoting_contacts(const trxi_contact_problem *problem, const trxi_island *island)
{
    int count = 0;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) count += trxi_row_is_contact(&problem->blocks[k]);
    return count;
}

static trx_status reserve(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s, dense *d)
{
    const int count = trxi_pivoting_contacts(problem, island);
    s->stats.told = count > TRXI_PIVOTING_MOST;
    if (s->stats.told)
        return trxi_fail(problem->context, TRX_ERR_UNSUPPORTED,
                         "solver: pivoting takes islands of at most %d contacts, here are %d", TRXI_PIVOTING_MOST, count);
    const int sides = problem->law.sides;
    trxi_arena measure = {.base = NULL};
    layout(&measure, count, sides, s->nv, d);
    trxi_arena carve = {.base = trxi_room_reserve(&s->pivoting, problem->context, measure.used)};
    if (!carve.base) return TRX_ERR_MEMORY;
    layout(&carve, count, sides, s->nv, d);
    memset(d->u, 0, (size_t)(3 * d->each) * sizeof *d->u);
    d->u[2] = 1;
    for (int k = 0; k < sides; k++) trxi_pyramid_corner(sides, k, d->u + 3 * (k + 1));
    for (int k = island->block, i = 0; k >= 0; k = problem->blocks[k].next)
        if (trxi_row_is_contact(&problem->blocks[k])) d->block[i++] = k;
    for (int i = 0; i < count; i++) d->scale[i] = 1;
    for (int i = 0; i < d->each * count; i++) d->z[i] = 0;
    return TRX_OK;
}

// ---- rows that are no contacts ----

// linearizes the laws at v and factorizes H; s->dv is the change of v without contact impulses
static bool linearize(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    trxi_iterate *x = island->now;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        trxi_row_state *at = TRXI_STATE(problem, x, k);
        trxi_row_project(block, x->v, block->bias, at->v_c);
        if (trxi_row_is_contact(block)) *at = (trxi_row_state){.branch = 0};
        else block->law->impulse(block, problem->law.dt, at);
    }
    trxi_island_mass(problem, island, s, x->v, x->p);
    trxi_balance_collect(problem, island, s, x);
    trxi_island_combine(island, s, NULL, -1, x->r, s->dv);
    if (!trxi_hessian_factorize(problem, island, s)) return false;
    trxi_hessian_solve(problem, island, s, 1, s->dv, s->nv);
    trxi_island_combine(island, s, x->v, 1, s->dv, s->dp);
    return true;
}

// ---- contacts ----

// the last solution [N s]
static void impulse_of(const dense *d, int contact, double f[3])
{
    const double *z = d->z + d->each * contact, by = 1 / d->scale[contact];
    f[0] = f[1] = f[2] = 0;
    for (int i = 0; i < d->each; i++)
        for (int r = 0; r < 3; r++) f[r] += by * d->u[r + 3 * i] * z[i];
}

// forms W + R' and g of one contact at the velocity s->dp without impulses
static void form_contact(const trxi_row_block *block, int k, const trxi_work *s, const dense *d)
{
    const int rows = 3 * d->count;
    const double R = block->contact.sap.Rn;
    double *W = d->W + 3 * k * (rows + 1), f[3], trace = 0;
    for (int r = 0; r < 3; r++) trace += W[r * (rows + 1)];
    const double wanted = fmax(R, d->regular * trace / 3);
    impulse_of(d, k, f);
    trxi_row_project(block, s->dp, block->bias, d->g + 3 * k);
    d->g[3 * k + 2] -= block->contact.sap.v_hat;
    for (int r = 0; r < 3; r++) W[r * (rows + 1)] += wanted, d->g[3 * k + r] -= (wanted - R) * f[r];
    d->scale[k] = sqrt(trace / 3 + wanted);
}

// all contacts, scaled
static void form(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s, const dense *d)
{
    const int rows = 3 * d->count, nv = s->nv;
    memset(d->X, 0, (size_t)(nv * rows) * sizeof *d->X);
    for (int j = 0; j < rows; j++) {
        const double unit[3] = {j % 3 == 0, j % 3 == 1, j % 3 == 2};
        trxi_row_apply(&problem->blocks[d->block[j / 3]], unit, d->X + nv * j);
    }
    trxi_hessian_solve(problem, island, s, rows, d->X, nv);
    for (int j = 0; j < rows; j++)
        for (int k = 0; k < d->count; k++)
            trxi_row_project(&problem->blocks[d->block[k]], d->X + nv * j, trxi_row_rest, d->W + 3 * k + rows * j);
    for (int k = 0; k < d->count; k++) form_contact(&problem->blocks[d->block[k]], k, s, d);
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < rows; i++) d->W[i + rows * j] /= d->scale[i / 3] * d->scale[j / 3];
    for (int j = 0; j < rows; j++) d->g[j] /= d->scale[j / 3];
}

// M and q of the unknowns of all contacts: u . W u and u . g, and the bounds of friction
static void pose(const trxi_contact_problem *problem, const dense *d)
{
    const int rows = 3 * d->count, each = d->each, n = each * d->count;
    for (int j = 0; j < n; j++) {
        const double *u = d->u + 3 * (j % each), *W = d->W + 3 * rows * (j / each);
        for (int i = 0; i < n; i++) {
            const double *of = d->u + 3 * (i % each);
            double sum = 0;
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) sum += of[r] * W[3 * (i / each) + r + rows * c] * u[c];
            d->M[i + n * j] = sum;
        }
    }
    for (int contact = 0; contact < d->count; contact++) {
        const int first = each * contact, last = first + each - 1;
        for (int i = first; i < last; i++) {
            d->q[i] = trxi_dot3(d->u + 3 * (i - first), d->g + 3 * contact);
            if (i > first) d->M[i + n * last] = 1, d->M[last + n * i] = -1;
        }
        d->q[last] = 0, d->M[last + n * first] = problem->blocks[d->block[contact]].contact.mu;
    }
}

// moves v and the impulses to the solution: contacts have the impulses that were found, other rows change by their slopes
static void take(const trxi_contact_problem *problem, const trxi_island *island, double part, trxi_work *s, const dense *d)
{
    double *v = island->now->v;
    trxi_island_combine(island, s, v, part, s->dv, s->dp);
    for (int k = 0; k < d->count; k++) {
        double *f = TRXI_STATE(problem, island->now, d->block[k])->gamma;
        impulse_of(d, k, f);
        for (int r = 0; r < 3; r++) trxi_island_combine(island, s, s->dp, part * f[r], d->X + s->nv * (3 * k + r), s->dp);
    }
    trxi_island_copy(island, s, s->dp, v);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        trxi_row_state *at = TRXI_STATE(problem, island->now, k);
        if (trxi_row_is_contact(block)) continue;
        const double before = at->v_c[0];
        trxi_row_project(block, v, block->bias, at->v_c);
        at->gamma[0] -= at->G.xx * (at->v_c[0] - before);
    }
}

// finds the impulses of the contacts; raises R' after each ray
static trx_status find_impulses(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s, dense *d)
{
    const int n = d->each * d->count, before = s->stats.iterations;
    for (; d->regular <= last_regular; d->regular = d->regular > 0 ? 10 * d->regular : first_regular) {
        form(problem, island, s, d);
        pose(problem, d);
        if (trxi_lemke(n, d->M, d->q, MOST_PIVOTS * n, d->numbers, d->integers, d->z, &s->stats.iterations)) return TRX_OK;
    }
    s->stats.told = true;
    return trxi_fail(problem->context, TRX_ERR_NOT_CONVERGED,
                     "solver: pivoting found no impulses of %d contacts in %d pivots: write another solver", d->count,
                     s->stats.iterations - before);
}

// one linearization and its solution; the change of v over the size of v goes to the statistics
static trx_status iterate(const trxi_contact_problem *problem, trxi_island *island, double part, trxi_work *s, dense *d)
{
    if (!linearize(problem, island, s)) return TRX_ERR_ILL_CONDITIONED;
    const trx_status status = find_impulses(problem, island, s, d);
    if (status < 0) return status;
    trxi_island_copy(island, s, island->now->v, s->bound);
    take(problem, island, part, s, d);
    if (!trxi_island_finite(island, s, island->now->v)) return TRX_ERR_NOT_FINITE;
    double change = 0;
    for (int k = 0; k < trxi_island_runs(island); k++) {
        const trxi_dof_run dofs = trxi_island_run(island, s, k);
        for (int i = dofs.first; i < dofs.end; i++) {
            const double dv = island->now->v[i] - s->bound[i];
            change += dv * dv / s->E2[i];
        }
    }
    const double size = trxi_impulses_size(island, s);
    s->stats.change = (size > 0 ? sqrt(change / size) : 0) / part;
    return TRX_OK;
}

// the branches are those of a visit at the solution, which changes the impulses by rounding
static void set_branches(const trxi_contact_problem *problem, const trxi_island *island, const dense *d)
{
    for (int k = 0; k < d->count; k++) {
        const trxi_row_block *block = &problem->blocks[d->block[k]];
        trxi_row_state *at = TRXI_STATE(problem, island->now, d->block[k]);
        trxi_row_project(block, island->now->v, block->bias, at->v_c);
        block->law->visit(block, &problem->rows[d->block[k]].W, at);
    }
}

trx_status trxi_pivoting_solve(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                               trxi_work *s)
{
    static const double least_part = 1.0 / 16;
    dense d;
    if (!trxi_impulses_begin(problem, island, s)) return TRX_ERR_MEMORY;
    trx_status status = reserve(problem, island, s, &d);
    const double tolerance = fmax(trxi_impulses_share * settings->tolerance, trxi_impulses_least);
    double part = 1, last = INFINITY;
    bool linear = true, converged = island->block < 0;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) linear = linear && trxi_row_is_contact(&problem->blocks[k]);
    for (int i = 0; i < settings->max_iterations && status >= 0 && !converged; i++) {
        const double regular = d.regular;
        status = iterate(problem, island, part, s, &d);
        s->stats.still = d.regular > 0 ? fmax(tolerance, rounding / d.regular) : tolerance;
        converged = status >= 0 && ((linear && d.regular == 0) || s->stats.change <= s->stats.still);

        // a new R' starts with whole changes
        const bool other = d.regular > regular;
        part = other ? 1 : s->stats.change >= last ? fmax(least_part, 0.5 * part) : part;
        last = other ? INFINITY : s->stats.change;
    }
    if (status >= 0) set_branches(problem, island, &d);
    trxi_impulses_finish(problem, island, settings->tolerance, s);
    return status < 0 ? status : converged ? TRX_OK : TRX_ERR_NOT_CONVERGED;
}
