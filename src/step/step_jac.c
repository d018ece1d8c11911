// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A and B of the step (theory 6; the rest is in step_deriv.c): all columns of -H^-1 [rq rv ru], and the position rows
// that follow from them.
//
// A step has no influence from one island to another, so each island has its own rq, rv, factor and solve, and entries between
// islands are zero. The dense form writes the columns of all islands to matrices of all dofs. The other form returns matrices by
// island.

#include "step/integrate.h"
#include "step/scalar_rows.h"
#include "step/sim.h"
#include "step/step_deriv.h"


#include <string.h>

// columns with a row for each dof of a part, in the order of the part (`local`), or for each dof of the model
typedef struct columns {
    double *x;
    int ld;
    bool local;
} columns;

static int place_of(const trxi_solved *step, bool local, int dof)
{
    return local ? step->places.rows[dof] : dof;
}

// solves for -H^-1 [rq rv] and -H^-1 ru, for all dofs; returns -H^-1 ru
static double *solve_all(trx_sim *sim)
{
    double *dv_du = trxi_linearization_rhs(&sim->solver, sim->deriv.dv);
    trxi_step_control_jac(&sim->solved, &sim->deriv, dv_du);
    trxi_linearization_solve(&sim->problem, &sim->solver, sim->deriv.rq, sim->deriv.rv, sim->in.model->nu, sim->deriv.dv);
    return dv_du;
}

// writes ncol columns [dt th_vq S dv; dv] to the rows of neighbouring trees; `rows`: offset from a position to its velocity
static void place_trees(const trxi_solved *step, const trxi_derivatives *deriv, int tree, int ntree, int ncol, const double *v,
                        int ldv, double *o, int ldo, int rows)
{
    const trx_model *model = step->in->model;
    const trxi_tree *first = &model->trees[tree], *last = first + ntree - 1;
    const double rate = step->in->th_vq * step->in->settings.time_step;
    const int n = last->v + last->nv - first->v, end = last->first_link + last->nlink;
    trxi_place_rows(n, ncol, rate, v, ldv, o, ldo, rows);
    for (int l = first->first_link; l < end; l++) {
        const int at = model->links[l].v - first->v;
        for (int c = 0; c < ncol && model->links[l].type == TRXI_BALL; c++)
            trxi_mulv3(deriv->end_maps[l].v, v + (ptrdiff_t)c * ldv + at, o + (ptrdiff_t)c * ldo + at);
    }
}

// writes columns [dt th_vq S dv; dv] to all rows of one part
static void place(const trxi_solved *step, const trxi_derivatives *deriv, int part, int ncol, columns dv, columns out, int rows)
{
    const int *trees, ntree = trxi_part_groups(step->solver, part, &trees);
    for (int k = 0, count; k < ntree; k += count) {
        for (count = 1; k + count < ntree && trees[k + count] == trees[k] + count;) count++;
        const int dof = step->in->model->trees[trees[k]].v;
        place_trees(step, deriv, trees[k], count, ncol, dv.x + place_of(step, dv.local, dof), dv.ld,
                    out.x + place_of(step, out.local, dof), out.ld, rows);
    }
}

// adds the direct changes of positions: T by dq0 and dt (1 - th_vq) S by dv0, for the columns of one link
static void transport(const trxi_solved *step, const trxi_derivatives *deriv, const trxi_link *link, double *A, int ld,
                      int half, int at)
{
    const trxi_end_maps *maps = &deriv->end_maps[link - step->in->model->links];
    const double late = (1 - step->in->th_vq) * step->in->settings.time_step;
    for (int b = 0; b < link->nv; b++) {
        double *dq = A + at + (ptrdiff_t)(at + b) * ld, *dv = dq + (ptrdiff_t)half * ld;
        if (link->type != TRXI_BALL) {
            dq[b] += 1, dv[b] += late;
            continue;
        }
        for (int a = 0; a < 3; a++) dq[a] += maps->T[a + 3 * b], dv[a] += maps->v0[a + 3 * b];
    }
}

// A of a part or of the model, with its leading dimension; `half` is its number of positions
typedef struct target {
    const trxi_solved *step;
    const trxi_derivatives *deriv;
    double *A;
    int ld;
    int half;
    bool local;
} target;

// returns whether the tree is a free body: a translation followed by a ball
static bool is_free(const trx_model *model, const trxi_tree *tree)
{
    const trxi_link *links = model->links + tree->first_link;
    return tree->nv == 6 && tree->nlink == 2 && links[0].type == TRXI_TRANSLATION && links[1].type == TRXI_BALL;
}

// copies columns of -H^-1 [rq rv] into A
static void place_columns(void *context, const trxi_columns *dv)
{
    const target *t = context;
    const trxi_solved *step = t->step;
    const ptrdiff_t ld = t->ld;
    const trx_model *model = step->in->model;
    const trxi_tree *tree = &model->trees[dv->group];
    double *by_q = t->A + place_of(step, t->local, dv->dof) * ld, *by_v = by_q + t->half * ld;
    const int row = place_of(step, t->local, tree->v);
    if (is_free(model, tree) && t->ld == 2 * t->half && dv->ngroup == 1 && dv->by_v == dv->by_q + (ptrdiff_t)dv->ncol * dv->ld) {
        const double rate = step->in->th_vq * step->in->settings.time_step;
        trxi_place_free(dv->ncol, rate, t->deriv->end_maps[tree->first_link + 1].v, dv->by_q, dv->ld, by_q + row, t->half);
        return;
    }
    place_trees(step, t->deriv, dv->group, dv->ngroup, dv->ncol, dv->by_q, dv->ld, by_q + row, (int)ld, t->half);
    place_trees(step, t->deriv, dv->group, dv->ngroup, dv->ncol, dv->by_v, dv->ld, by_v + row, (int)ld, t->half);
}

static void place_state(trx_sim *sim, int part, double *A, int ld, int half, bool local)
{
    target to = {&sim->solved, &sim->deriv, A, ld, half, local};
    trxi_linearization_visit(&sim->problem, &sim->solver, part, sim->deriv.rq, sim->deriv.rv, sim->deriv.dv, place_columns, &to);
    const int *trees, ntree = trxi_part_groups(&sim->solver, part, &trees);
    for (int k = 0; k < ntree; k++) {
        const trxi_tree *tree = &sim->in.model->trees[trees[k]];
        for (int l = tree->first_link; l < tree->first_link + tree->nlink; l++) {
            const trxi_link *link = &sim->in.model->links[l];
            transport(&sim->solved, &sim->deriv, link, A, ld, half, place_of(&sim->solved, local, link->v));
        }
    }
}

// sets the columns of one part to zero at the rows of other parts
static void clear_others(const trxi_solved *step, int part, double *A, int ld, int half)
{
    const trx_model *model = step->in->model;
    const int *trees, ntree = trxi_part_groups(step->solver, part, &trees);
    for (int k = 0, from = 0; k <= ntree; k++) {
        const int to = k < ntree ? model->trees[trees[k]].v : half;
        for (int t = 0; to > from && t < ntree; t++) {
            const trxi_tree *tree = &model->trees[trees[t]];
            for (int c = tree->v; c < tree->v + tree->nv; c++)
                for (int q = 0; q < 4; q++)
                    memset(A + (ptrdiff_t)(c + q / 2 * half) * ld + q % 2 * half + from, 0, (size_t)(to - from) * sizeof *A);
        }
        if (k < ntree) from = to + model->trees[trees[k]].nv;
    }
}

static trx_status begin(trx_sim *sim)
{
    trx_status status = trxi_step_linearize(sim);
    if (status < 0) return status;
    const trx_model *model = sim->in.model;
    for (int l = 0; l < model->nlink; l++)
        if (model->links[l].type == TRXI_BALL) sim->deriv.end_maps[l] = trxi_step_end_maps(&sim->solved, &model->links[l]);
    return TRX_OK;
}

// A and B of a part or of the model: 2 half rows of positions and velocities, then na rows of activations
typedef struct blocks {
    double *A, *B; // either may be NULL
    int half, na;
    bool local;
} blocks;

// turns the column of an actuator's driving value into the columns of its control and of its activation (activation.c). `number` is
// the number of the control among the columns of B, `row` the number of the activation among the na, -1 without an activation
static void place_activation(trx_sim *sim, int part, int control, const double *dv_du, const blocks *to, int number, int row)
{
    const trxi_activations *act = &sim->in.activations;
    const int nv = sim->in.model->nv, rows = 2 * to->half, ld = rows + to->na, k = sim->in.model->actuators[control].a;
    double *by_a = to->A && row >= 0 ? to->A + (ptrdiff_t)(rows + row) * ld : NULL;
    double *by_u = to->B ? to->B + (ptrdiff_t)number * ld : NULL;
    const columns dv = {(double *)dv_du + (ptrdiff_t)control * nv, nv, false};
    const int first = part >= 0 ? part : 0, end = part >= 0 ? part + 1 : trxi_parts(&sim->solver);
    if (by_a) {
        memset(by_a, 0, (size_t)ld * sizeof *by_a);
        for (int p = first; p < end; p++) place(&sim->solved, &sim->deriv, p, 1, dv, (columns){by_a, ld, to->local}, to->half);
        for (int j = 0; j < rows; j++) by_a[j] *= act->w_a[control];
        by_a[rows + row] = act->a1_a[k];
    }
    for (int j = 0; by_u && j < rows; j++) by_u[j] *= act->w_u[control];
    for (int j = 0; by_u && j < to->na; j++) by_u[rows + j] = j == row ? act->a1_u[k] : 0;
}

// activations depend on no position and no velocity
static void clear_activation_rows(const blocks *to)
{
    const int rows = 2 * to->half, ld = rows + to->na;
    for (int j = 0; to->A && j < rows; j++) memset(to->A + (ptrdiff_t)j * ld + rows, 0, (size_t)to->na * sizeof *to->A);
}

trx_status trx_step_jac(trx_sim *sim, double *A, double *B)
{
    trx_status status = sim ? begin(sim) : TRX_ERR_ARGUMENT;
    if (status < 0) return status;
    const trx_model *model = sim->in.model;
    const int nv = model->nv, nu = model->nu, ld = model->ntangent, parts = trxi_parts(&sim->solver);
    double *dv_du = solve_all(sim);
    for (int i = 0; i < parts; i++) {
        if (A && parts > 1) clear_others(&sim->solved, i, A, ld, nv);
        if (A) place_state(sim, i, A, ld, nv, false);
        if (B) place(&sim->solved, &sim->deriv, i, nu, (columns){dv_du, nv, false}, (columns){B, ld, false}, nv);
    }
    const blocks all = {A, B, nv, model->na, false};
    if (model->na > 0) clear_activation_rows(&all);
    for (int i = 0; i < nu && model->na > 0; i++) place_activation(sim, -1, i, dv_du, &all, i, model->actuators[i].a);
    return TRX_OK;
}

// lists the controls that act on dofs of the part, ascending; returns their number
static int find_controls(const trxi_solved *step, int part, int *controls)
{
    const trx_model *model = step->in->model;
    int count = 0;
    for (int i = 0; i < model->nu; i++) {
        const trxi_length *on = &model->lengths[model->actuators[i].length];
        bool acts = false;
        for (int k = on->first; k < on->first + on->ncol; k++)
            acts = acts || trxi_part_of(step->solver, model->length_dofs[k]) == part;
        if (acts) controls[count++] = i;
    }
    return count;
}

trx_status trx_step_jac_islands(trx_sim *sim, double *A, double *B, int *count, const trx_island **islands)
{
    trx_status status = sim ? begin(sim) : TRX_ERR_ARGUMENT;
    if (status < 0) return status;
    if (!A || (!B && sim->in.model->nu > 0) || !count || !islands)
        return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "no place for the derivatives of the islands");
    const trx_model *model = sim->in.model;
    const int nv = model->nv, parts = trxi_parts(&sim->solver);
    int *controls = sim->deriv.part_controls, *dofs = sim->deriv.part_dofs, *activations = sim->deriv.part_activations;
    double *dv_du = solve_all(sim);
    for (int i = 0; i < parts; i++) {
        const int n = trxi_part_size(&sim->solver, i), nu = find_controls(&sim->solved, i, controls);
        const int *trees, ntree = trxi_part_groups(&sim->solver, i, &trees);
        for (int k = 0, d = 0; k < ntree; k++) {
            const trxi_tree *tree = &model->trees[trees[k]];
            for (int j = tree->v; j < tree->v + tree->nv; j++) dofs[d++] = j;
        }
        int na = 0;
        for (int k = 0; k < nu; k++)
            if (model->actuators[controls[k]].a >= 0) activations[na++] = model->actuators[controls[k]].a;
        const blocks of = {A, B, n, na, true};
        const int ld = 2 * n + na;
        place_state(sim, i, A, ld, n, true);
        clear_activation_rows(&of);
        for (int k = 0, row = 0; k < nu; k++) {
            const bool has = model->actuators[controls[k]].a >= 0;
            place(&sim->solved, &sim->deriv, i, 1, (columns){dv_du + (ptrdiff_t)controls[k] * nv, nv, false},
                  (columns){B + (ptrdiff_t)k * ld, ld, true}, n);
            if (na > 0) place_activation(sim, i, controls[k], dv_du, &of, k, has ? row++ : -1);
        }
        sim->deriv.parts[i] = (trx_island){n, nu, na, dofs, controls, activations, A, B};
        A += (ptrdiff_t)ld * ld, dofs += n, controls += nu, activations += na;
        if (B) B += (ptrdiff_t)ld * nu;
    }
    *count = parts;
    *islands = sim->deriv.parts;
    return TRX_OK;
}
