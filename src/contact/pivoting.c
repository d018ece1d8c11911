// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pivoting (theory 4). The model lcp is a linear complementarity problem. Per contact, with f_i = f_i+ - f_i- along its tangents,
//
//     f_n >= 0, c_n >= 0      f_i+, f_i- >= 0, s_i + c_i, s_i - c_i >= 0      s_i >= 0, mu f_n - f_i+ - f_i- >= 0
//
// and each unknown times its partner is 0; s_i is the slip speed. c = W f + g, W = J H^-1 J^T + R. Lemke's method finds a
// solution in finitely many pivots (lemke.h). Rows that are no contacts have laws that are not linear. They are linearized at the
// velocity of the last solution, as in Newton's method: H = A + J_s^T G_s J_s and g have their slopes and impulses. Impulses and
// velocities of a contact are scaled by the root of its mean W_ii, so masses drop out.
//
// Contacts that share the load of a body leave W singular, and pivots as small as R drown in rounding: the method ends on a ray.
// Then R' = regular W_ii takes the place of a smaller R, and g loses (R' - R) f, f the impulses of the last solution: a
// proximal-point method. `regular` grows until the method finds solutions. Impulses that v feels settle in a few of them, to the
// digits that rounding leaves of v/R'.
//
// The work is that of dense matrices of seven unknowns per contact: a truth for small scenes. W is formed.

#include "contact/island_solvers.h"

#include "base/context.h"
#include "contact/balance.h"
#include "contact/hessian.h"
#include "contact/impulses.h"
#include "contact/islands.h"
#include "math/lemke.h"

#include <string.h>

enum { EACH = 7, MOST_PIVOTS = 10 };
static const double rounding = 2e-16, first_regular = 1e-7, last_regular = 1e-1;

// row of the contact and sign of each unknown: f_n; f_1+, f_1-, s_1; f_2+, f_2-, s_2
static const int row_of[EACH] = {2, 0, 0, -1, 1, 1, -1};
static const double sign_of[EACH] = {1, 1, -1, 0, 1, -1, 0};

typedef struct dense {
    int count;         // contacts
    double regular;    // least R' in W_ii
    int *block;        // count
    double *scale;     // count: root of the mean diagonal of W [kg^-1/2]
    double *X;         // nv of all x 3 count: H^-1 J^T
    double *W, *g;     // 3 count x 3 count, 3 count, scaled
    double *M, *q, *z; // EACH count x EACH count, EACH count
    double *numbers;   // of Lemke's method
    int *integers;
} dense;

static void layout(trxi_arena *arena, int count, int nv, dense *d)
{
    const int rows = 3 * count, n = EACH * count;
    *d = (dense){.count = count};
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
    trxi_arena measure = {.base = NULL};
    layout(&measure, count, s->nv, d);
    trxi_arena carve = {.base = trxi_room_reserve(&s->pivoting, problem->context, measure.used)};
    if (!carve.base) return TRX_ERR_MEMORY;
    layout(&carve, count, s->nv, d);
    for (int k = island->block, i = 0; k >= 0; k = problem->blocks[k].next)
        if (trxi_row_is_contact(&problem->blocks[k])) d->block[i++] = k;
    for (int i = 0; i < count; i++) d->scale[i] = 1;
    for (int i = 0; i < EACH * count; i++) d->z[i] = 0;
    return TRX_OK;
}

// ---- rows that are no contacts ----

// laws at v, and H; s->dv is the change of v that leaves the contacts without impulses
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
    const double *z = d->z + EACH * contact, by = 1 / d->scale[contact];
    f[0] = by * (z[1] - z[2]), f[1] = by * (z[4] - z[5]), f[2] = by * z[0];
}

// W + R' and g of one contact at the velocity s->dp of no impulses
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

// M and q of the unknowns of all contacts
static void pose(const trxi_contact_problem *problem, const dense *d)
{
    const int rows = 3 * d->count, n = EACH * d->count;
    memset(d->M, 0, (size_t)(n * n) * sizeof *d->M);
    for (int i = 0; i < n; i++) {
        const int contact = i / EACH, a = i % EACH, first = EACH * contact, row = 3 * contact + row_of[a];
        d->q[i] = 0;
        if (row_of[a] < 0) {
            d->M[i + n * first] = problem->blocks[d->block[contact]].contact.mu;
            d->M[i + n * (i - 1)] = d->M[i + n * (i - 2)] = -1;
            continue;
        }
        d->q[i] = sign_of[a] * d->g[row];
        for (int j = 0; j < n; j++) {
            const int b = j % EACH;
            if (row_of[b] >= 0) d->M[i + n * j] = sign_of[a] * sign_of[b] * d->W[row + rows * (3 * (j / EACH) + row_of[b])];
        }
        if (a > 0) d->M[i + n * (first + (a < 4 ? 3 : 6))] = 1;
    }
}

// v and the impulses there: those of contacts as found, others by their slopes
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

// impulses of the contacts; a ray makes R' larger
static trx_status find_impulses(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s, dense *d)
{
    const int n = EACH * d->count, before = s->stats.iterations;
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

        // another R' has another pace
        const bool other = d.regular > regular;
        part = other ? 1 : s->stats.change >= last ? fmax(least_part, 0.5 * part) : part;
        last = other ? INFINITY : s->stats.change;
    }
    if (status >= 0) set_branches(problem, island, &d);
    trxi_impulses_finish(problem, island, settings->tolerance, s);
    return status < 0 ? status : converged ? TRX_OK : TRX_ERR_NOT_CONVERGED;
}
