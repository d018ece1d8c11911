// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Creation and destruction of a simulator, its memory, settings and contact laws, and the columns of the two sides of a pair
// (theory 1). sim.h lists the results of a step.

#include "step/sim.h"

#include "math/rotation.h"
#include "model/pair_law.h"
#include "step/reserve.h"

#include <stdio.h>
#include <string.h>

trx_sim_settings trx_sim_settings_default(void)
{
    return (trx_sim_settings){
        .size = sizeof(trx_sim_settings),
        .time_step = 0.01,
        .stiction_tolerance = 1e-4,
        .tolerance = 1e-6,
        .margin = NAN,
        .max_iterations = 100,
        .near_rigid = 1,
        .friction_regularization = 1e-3,
        .joint_stiction_tolerance = 1e-3,
        .theta = 0.5,
        .theta_vq = 0.5,
        .max_sweeps = 2000,
        .compliance = 1e-8,
        .kappa = 1e-6,
    };
}

static trx_status check_scheme(trx_context *context, const trx_sim_settings *s)
{
    if ((int)s->scheme < 0 || s->scheme > TRX_THETA)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "there is no scheme %d", (int)s->scheme);
    if ((int)s->spin < 0 || s->spin > TRX_SPIN_MOMENTUM)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "there is no spin %d", (int)s->spin);
    bool within = s->theta >= 0 && s->theta <= 1 && s->theta_vq >= 0 && s->theta_vq <= 1;
    if (s->scheme == TRX_THETA && !within)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "theta is %g and theta_vq %g: both must be from 0 to 1", s->theta,
                         s->theta_vq);
    bool middle = s->scheme == TRX_MIDPOINT || (s->scheme == TRX_THETA && s->theta > 0 && s->theta_vq > 0);
    if (s->contact_midpoint && !middle)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "contact_midpoint serves the scheme midpoint, and theta with theta and "
                                                    "theta_vq above 0: in the others contacts act at the end of the step");
    if (s->spin == TRX_SPIN_MOMENTUM && s->scheme != TRX_SYMPLECTIC)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "spin by momentum serves the symplectic scheme: the others solve for "
                                                    "the spin with everything else");
    return TRX_OK;
}

static trx_status check_contact_model(trx_context *context, const trx_sim_settings *s)
{
    if ((int)s->contact_model < 0 || s->contact_model > TRX_CONTACT_RAISIM)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "there is no contact model %d", (int)s->contact_model);
    if ((int)s->contact_solver < 0 || s->contact_solver > TRX_SOLVER_PGS)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "there is no contact solver %d", (int)s->contact_solver);
    if (!trxi_contact_model_solver(s->contact_model, s->contact_solver))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "the solver %s does not serve the contact model %s",
                         s->contact_solver == TRX_SOLVER_PGS ? "pgs" : "newton", trx_contact_model_name(s->contact_model));
    if (s->max_sweeps < 1) return trxi_fail(context, TRX_ERR_ARGUMENT, "max_sweeps must be at least 1");
    return TRX_OK;
}

static trx_status check_settings(trx_context *context, const trx_sim_settings *s)
{
    if (!s) return trxi_fail(context, TRX_ERR_ARGUMENT, "no settings given");
    trx_status status = trxi_check_size(context, s->size, sizeof *s, "trx_sim_settings_default");
    if (status < 0) return status;
    const struct {
        const char *name;
        double value;
        bool zero_allowed;
    } fields[] = {{"time_step", s->time_step, false},
                  {"stiction_tolerance", s->stiction_tolerance, false},
                  {"tolerance", s->tolerance, true},
                  {"near_rigid", s->near_rigid, false},
                  {"friction_regularization", s->friction_regularization, false},
                  {"joint_stiction_tolerance", s->joint_stiction_tolerance, false},
                  {"compliance", s->compliance, false},
                  {"kappa", s->kappa, false}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        bool positive = fields[i].zero_allowed ? fields[i].value >= 0 : fields[i].value > 0;
        if (!positive || !isfinite(fields[i].value))
            return trxi_fail(context, TRX_ERR_ARGUMENT, "%s is %g: it must be positive and finite", fields[i].name,
                             fields[i].value);
    }
    if ((int)s->line_search < 0 || s->line_search > TRX_LINE_SEARCH_BACKTRACKING)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "there is no line search %d", (int)s->line_search);
    if (s->max_iterations < 1) return trxi_fail(context, TRX_ERR_ARGUMENT, "max_iterations must be at least 1");
    if (!isnan(s->margin) && !(s->margin >= 0 && isfinite(s->margin)))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "margin is %g: it must be finite and not negative", s->margin);
    if ((status = check_contact_model(context, s)) < 0) return status;
    return check_scheme(context, s);
}

trxi_solver_settings trxi_sim_solver_settings(const trx_sim *sim, double tolerance)
{
    const trx_sim_settings *s = &sim->settings;
    return (trxi_solver_settings){.tolerance = tolerance,
                                  .max_iterations = s->max_iterations,
                                  .backtracking = s->line_search == TRX_LINE_SEARCH_BACKTRACKING,
                                  .max_sweeps = s->max_sweeps,
                                  .solve = trxi_contact_model_solver(s->contact_model, s->contact_solver)};
}

static void use_settings(trx_sim *sim, const trx_sim_settings *s)
{
    const double named[] = {[TRX_SYMPLECTIC] = 1, [TRX_IMPLICIT] = 1, [TRX_MIDPOINT] = 0.5};
    bool free = s->scheme == TRX_THETA;
    sim->settings = *s;
    sim->contact_model = trxi_contact_model_of(s->contact_model);
    sim->two_stage = s->scheme != TRX_SYMPLECTIC;
    sim->th = free ? s->theta : named[s->scheme];
    sim->th_vq = free ? s->theta_vq : named[s->scheme];
}

// number of dofs that the two paths share; these dofs come first on both paths
static int shared_prefix(const trx_model *model, int link_a, int link_b)
{
    if (link_a < 0 || link_b < 0) return 0;
    const trxi_link *a = &model->links[link_a], *b = &model->links[link_b];
    int n = 0;
    while (n < a->path_length && n < b->path_length &&
           model->path[a->path_start + n] == model->path[b->path_start + n])
        n++;
    return n;
}

static void set_side(const trx_model *model, int link, int skip, double sign, trxi_pair_side *side)
{
    side->link = link, side->sign = sign;
    side->count = link < 0 ? 0 : model->links[link].path_length - skip;
    side->dofs = link < 0 ? NULL : model->path + model->links[link].path_start + skip;
}

// beyond the shared prefix the two paths lie in disjoint ranges of dofs: the lower range comes first
void trxi_sim_pair_columns(const trx_model *model, int link_a, int link_b, int *cols, trxi_pair_columns *out)
{
    const int shared = shared_prefix(model, link_a, link_b);
    trxi_pair_side *a = &out->a, *b = &out->b;
    set_side(model, link_a, shared, -1, a);
    set_side(model, link_b, shared, 1, b);
    out->ncol = a->count + b->count;
    const bool b_first = a->count && b->count && b->dofs[0] < a->dofs[0];
    a->offset = b_first ? b->count : 0;
    b->offset = b_first ? 0 : a->count;
    for (int i = 0; cols && i < a->count; i++) cols[a->offset + i] = a->dofs[i];
    for (int i = 0; cols && i < b->count; i++) cols[b->offset + i] = b->dofs[i];
}

typedef struct dims {
    int constraint_cols; // sum of columns over constraints
    trxi_solver_size solver;
    int scalars;   // most rows with one impulse, and
    int scalar_cols; // most columns of them together
    int max_cols;  // most columns of a pair of links
} dims;

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// rows with one impulse: both limits of a joint, constraints, drives, dry friction
static void measure_scalars(const trx_model *model, dims *d)
{
    d->scalars = 2 * model->nlimit + model->ndrive + model->nfriction;
    d->scalar_cols = 2 * model->nlimit + model->nfriction + model->nfactor;
    for (int i = 0; i < model->nconstraint; i++) {
        const trxi_constraint *c = &model->constraints[i];
        trxi_pair_columns columns = {.ncol = 2};
        if (c->type != TRX_CONSTRAINT_COUPLER) trxi_sim_pair_columns(model, c->link_a, c->link_b, NULL, &columns);
        d->constraint_cols += columns.ncol;
        d->scalars += c->nrow;
        d->scalar_cols += c->nrow * columns.ncol;
    }
}

static dims measure(const trx_model *model)
{
    dims d = {0};
    measure_scalars(model, &d);
    for (int t = 0; t < model->ntree; t++) trxi_solver_size_add(&d.solver, model->trees[t].nv);
    int path = 0; // longest
    for (int l = 0; l < model->nlink; l++) path = larger(path, model->links[l].path_length);
    d.max_cols = 2 * path < model->nv ? 2 * path : model->nv;
    return d;
}

static void layout(trxi_arena *arena, const trx_model *model, const dims *d, trx_sim *sim)
{
    const int nv = model->nv;
    sim->q0 = TRXI_TAKE(arena, double, model->nq);
    sim->v0 = TRXI_TAKE(arena, double, nv);
    sim->u = TRXI_TAKE(arena, double, model->nu);
    sim->q1 = TRXI_TAKE(arena, double, model->nq);
    sim->displacement = TRXI_TAKE(arena, double, nv);
    sim->v_warm = TRXI_TAKE(arena, double, nv);

    trxi_kinematics_layout(arena, model, &sim->smooth.kin);
    trxi_rnea_layout(arena, model, &sim->smooth.rnea);
    sim->smooth.composite = TRXI_TAKE(arena, trxi_inertia, model->nlink);
    sim->smooth.M = TRXI_TAKE(arena, double, model->nblock);
    sim->smooth.A = TRXI_TAKE(arena, double, model->nblock);
    sim->smooth.LA = TRXI_TAKE(arena, double, model->nblock);
    sim->smooth.spring = TRXI_TAKE(arena, double, nv);
    sim->smooth.bias = TRXI_TAKE(arena, double, nv);
    sim->smooth.p0 = TRXI_TAKE(arena, double, nv);
    sim->smooth.v_free = TRXI_TAKE(arena, double, nv);
    sim->smooth.V1 = TRXI_TAKE(arena, double, 6 * model->nlink);

    sim->geometry.prescribed = TRXI_TAKE(arena, trxi_prescribed_motion, model->nprescribed);
    sim->geometry.shapes = TRXI_TAKE(arena, trxi_placed_shape, model->ngeom);
    sim->geometry.R = TRXI_TAKE(arena, double, 9 * model->ngeom);
    sim->geometry.p = TRXI_TAKE(arena, double, 3 * model->ngeom);
    sim->geometry.radii = TRXI_TAKE(arena, double, model->ngeom);
    sim->geometry.travel = TRXI_TAKE(arena, double, model->ngeom);
    trxi_pair_filter_layout(arena, model->ngeom, &sim->geometry.filter);

    sim->rows.max_scalars = d->scalars;
    sim->rows.scalar_cols = TRXI_TAKE(arena, int, d->scalar_cols);
    sim->rows.scalar_J = TRXI_TAKE(arena, double, d->scalar_cols);
    sim->rows.constraint_rows = TRXI_TAKE(arena, trxi_constraint_rows, 2 * model->nconstraint);
    sim->rows.gaps = TRXI_TAKE(arena, double, 6 * model->nconstraint);
    sim->rows.constraint_columns = TRXI_TAKE(arena, trxi_pair_columns, model->nconstraint);
    sim->rows.constraint_cols = TRXI_TAKE(arena, int, d->constraint_cols);
    trxi_stage_layout(arena, model, &sim->stage);
    trxi_solver_layout(arena, &d->solver, &sim->solver);
    sim->rows.W_scratch = TRXI_TAKE(arena, double, 3 * nv);

    sim->deriv.products = TRXI_TAKE(arena, double, TRXI_PRODUCTS * nv);
    sim->deriv.end_maps = TRXI_TAKE(arena, trxi_end_maps, model->nlink);
    sim->deriv.parts = TRXI_TAKE(arena, trx_island, model->ntree);
    sim->deriv.part_dofs = TRXI_TAKE(arena, int, nv);
    sim->deriv.part_controls = TRXI_TAKE(arena, int, model->nfactor);
    sim->deriv.response = TRXI_TAKE(arena, double, model->nu);
    sim->deriv.accel = TRXI_TAKE(arena, double, nv);
    sim->deriv.row_scratch = TRXI_TAKE(arena, double, 4 * d->max_cols);
    sim->deriv.y_scratch = TRXI_TAKE(arena, double, 8 * nv + 16 * model->nlink);
}

static void layout_matrices(trxi_arena *arena, ptrdiff_t count, bool two_stage, trx_sim *sim)
{
    const size_t n = (size_t)count, nv = (size_t)sim->model->nv, nu = (size_t)sim->model->nu;
    sim->deriv.rq = TRXI_TAKE(arena, double, n);
    sim->deriv.rv = TRXI_TAKE(arena, double, n);
    sim->deriv.dv = TRXI_TAKE(arena, double, 2 * n + nv * nu);
    if (two_stage) trxi_stage_layout_matrices(arena, n, &sim->stage);
    sim->deriv.matrix_room = count;
    sim->deriv.two_stage_room = two_stage;
}

// enlarges the matrices; their contents are lost
static trx_status allocate_matrices(trx_sim *sim, ptrdiff_t count, bool two_stage)
{
    if (count <= sim->deriv.matrix_room && (sim->deriv.two_stage_room || !two_stage)) return TRX_OK;
    trx_sim grown = *sim;
    trxi_arena arena = {0};
    layout_matrices(&arena, count, two_stage, &grown);
    grown.deriv.matrix_block = trxi_allocate(sim->context, arena.used);
    if (!grown.deriv.matrix_block) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = grown.deriv.matrix_block};
    layout_matrices(&arena, count, two_stage, &grown);
    trxi_release(sim->context, sim->deriv.matrix_block);
    *sim = grown;
    return TRX_OK;
}

trx_status trxi_sim_reserve_matrices(trx_sim *sim, ptrdiff_t count)
{
    const ptrdiff_t most = (ptrdiff_t)sim->model->nv * sim->model->nv;
    if (count > sim->deriv.matrix_room) count = 2 * count < most ? 2 * count : most;
    return allocate_matrices(sim, count > sim->deriv.matrix_room ? count : sim->deriv.matrix_room, sim->two_stage);
}

trx_status trxi_sim_reserve_derivatives(trx_sim *sim)
{
    return allocate_matrices(sim, (ptrdiff_t)sim->model->nv * sim->model->nv, true);
}

void trxi_sim_collide(trx_sim *sim, const trxi_meeting *meeting, bool derivatives)
{
    const trxi_placed_shape *shapes = sim->geometry.shapes;
    trxi_collide(&shapes[meeting->geom_a], &shapes[meeting->geom_b], meeting->margin, derivatives, sim->geometry.points);
}

// the settings may enlarge the reach of laws, never reduce it
static void use_reach(trx_sim *sim)
{
    trxi_pair_laws_set_least_reach(&sim->laws, isnan(sim->settings.margin) ? 0 : sim->settings.margin);
    trxi_pair_filter_set_reach(&sim->geometry.filter, sim->laws.reach);
}

void trxi_sim_read_geometry(trx_sim *sim)
{
    const trx_model *model = sim->model;
    for (int g = 0; g < model->ngeom; g++) {
        const trxi_geom *geom = &model->geoms[g];
        memcpy(sim->geometry.R + 9 * g, geom->R_LG, sizeof geom->R_LG);
        memcpy(sim->geometry.p + 3 * g, geom->p_LG, sizeof geom->p_LG);
        sim->geometry.radii[g] = geom->radius;
        sim->geometry.shapes[g] = (trxi_placed_shape){&geom->shape, sim->geometry.R + 9 * g, sim->geometry.p + 3 * g};
    }
    trxi_pair_filter_prepare(&sim->geometry.filter, sim->geometry.shapes, sim->geometry.radii);
}

// data that are the same in every step: columns of constraints, fixed geometry
static void prepare(trx_sim *sim)
{
    const trx_model *model = sim->model;
    int first = 0;
    for (int i = 0; i < model->nconstraint; i++) {
        const trxi_constraint *c = &model->constraints[i];
        if (c->type == TRX_CONSTRAINT_COUPLER) continue;
        trxi_pair_columns *columns = &sim->rows.constraint_columns[i];
        trxi_sim_pair_columns(model, c->link_a, c->link_b, sim->rows.constraint_cols + first, columns);
        columns->first = first;
        first += columns->ncol;
    }
    use_reach(sim);
    trxi_sim_read_geometry(sim);
}

static trx_status open_pairs(trx_sim *sim)
{
    trx_status status = trxi_pair_laws_open(sim->context, sim->model, &sim->laws);
    return status < 0 ? status : trxi_pair_filter_open(sim->context, &sim->laws.table, &sim->geometry.filter);
}

// first room for contacts; a model with fewer possible points never needs more
static trx_status reserve_first_points(trx_sim *sim)
{
    static const int first_points = 1024;
    const trx_model *model = sim->model;
    const int points = larger(1, model->max_points < first_points ? model->max_points : first_points);
    return trxi_sim_reserve_points(sim, points, points * sim->deriv.max_cols);
}

trx_status trx_sim_create(trx_context *context, const trx_model *model, const trx_sim_settings *settings,
                          trx_sim **sim)
{
    if (!context || !sim) return TRX_ERR_ARGUMENT;
    *sim = NULL;
    if (!model) return trxi_fail(context, TRX_ERR_ARGUMENT, "no model given");
    trx_sim_settings chosen = settings ? *settings : trx_sim_settings_default();
    trx_status status = check_settings(context, &chosen);
    if (status < 0) return status;

    const dims d = measure(model);
    trx_sim measured = {0};
    trxi_arena arena = {0};
    layout(&arena, model, &d, &measured);
    trx_sim *made = trxi_allocate(context, sizeof *made);
    void *block = trxi_allocate(context, arena.used);
    if (!made || !block) {
        trxi_release(context, made);
        trxi_release(context, block);
        return TRX_ERR_MEMORY;
    }

    *made = (trx_sim){.context = context, .model = model, .given = model, .block = block};
    use_settings(made, &chosen);
    made->deriv.max_cols = d.max_cols;
    arena = (trxi_arena){.base = block};
    if ((status = open_pairs(made)) >= 0) {
        layout(&arena, model, &d, made);
        for (int t = 0; t < model->ntree; t++) trxi_solver_add_group(&made->solver, model->trees[t].nv);
        made->places = trxi_coupled(&made->solver);
        status = reserve_first_points(made);
    }
    if (status < 0) {
        trx_sim_destroy(made);
        return status;
    }
    prepare(made);
    *sim = made;
    return TRX_OK;
}

void trx_sim_destroy(trx_sim *sim)
{
    if (!sim) return;
    trx_context *context = sim->context;
    trxi_solver_close(&sim->solver);
    trx_model_destroy(sim->own);
    trxi_pair_filter_close(&sim->geometry.filter);
    trxi_pair_laws_close(&sim->laws);
    trxi_release(context, sim->deriv.matrix_block);
    trxi_release(context, sim->rows.point_block);
    trxi_release(context, sim->block);
    trxi_release(context, sim);
}

const trx_model *trx_sim_model(const trx_sim *sim)
{
    return sim->model;
}

trx_sim_settings trx_sim_get_settings(const trx_sim *sim)
{
    return sim->settings;
}

trx_status trx_sim_set_settings(trx_sim *sim, const trx_sim_settings *settings)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    trx_status status = check_settings(sim->context, settings);
    if (status < 0) return status;
    use_settings(sim, settings);
    sim->stepped = false;
    use_reach(sim);
    return TRX_OK;
}

double trx_sim_time(const trx_sim *sim)
{
    return sim->time;
}

trx_status trx_sim_set_time(trx_sim *sim, double time)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    if (!isfinite(time)) return trxi_fail(sim->context, TRX_ERR_ARGUMENT, "the time must be finite");
    sim->time = time;
    return TRX_OK;
}

trx_pair_law trx_sim_pair_law(const trx_sim *sim, int pair)
{
    bool known = pair >= 0 && pair < sim->model->npair;
    return known ? *trxi_pair_laws_get(&sim->laws, pair) : (trx_pair_law){.stiffness = 0};
}

trx_status trx_sim_set_pair_law(trx_sim *sim, int pair, const trx_pair_law *law)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    if (pair < 0 || pair >= sim->model->npair)
        return trxi_fail(sim->context, TRX_ERR_ARGUMENT, "there is no pair %d", pair);
    if (!law) return trxi_fail(sim->context, TRX_ERR_ARGUMENT, "pair %d: no law given", pair);
    char flaw[TRXI_LAW_FLAW];
    if (!trxi_pair_law_usable(law, flaw)) return trxi_fail(sim->context, TRX_ERR_ARGUMENT, "pair %d: %s", pair, flaw);
    trx_status status = trxi_pair_laws_set(&sim->laws, pair, law);
    if (status < 0) return status;
    sim->stepped = false;
    trxi_pair_filter_set_reach(&sim->geometry.filter, sim->laws.reach);
    return TRX_OK;
}

void trx_sim_warm_start(trx_sim *sim, const double *v)
{
    sim->warm = v != NULL;
    if (v) memcpy(sim->v_warm, v, (size_t)sim->model->nv * sizeof *v);
}
