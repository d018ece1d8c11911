// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Lengths and forces of muscles that a file leaves to its reader. MuJoCo's muscles have ends of their range of lengths,
// absolute and relative to the optimal length; both give the optimal length and the tendon length:
//
//     L_0 = (range_1 - range_0)/(relative_1 - relative_0)        tendon length = range_0 - relative_0 L_0
//
// A range that is not given is the smallest and the largest length within the ranges of the joints: projected gradient from the
// reference configuration, with a step that doubles after success and halves after failure. MuJoCo pulls at the joints in a
// simulation instead, and its soft limits give way, so its range is a little longer. A force that is not given is
// scale/|M^-1 J^T| at the reference configuration.

#include "dynamics/kinematics.h"
#include "dynamics/lengths.h"
#include "dynamics/mass_matrix.h"
#include "import/draft_state.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 4000 };
static const double FIRST_STEP = 0.1, LAST_STEP = 1e-9; // of the joints [rad or m]
static const double FARTHEST = 1e4;                     // of a length that has no end [m or rad]

void trxi_draft_muscle(trxi_draft *draft, int actuator, const trxi_draft_lengths *of)
{
    trxi_draft_muscle_item *item = trxi_draft_push(draft, &draft->muscles, sizeof *item);
    item->actuator = actuator, item->of = *of;
}

// a model of the moving parts, with a muscle at a configuration
typedef struct bench {
    trx_model *model;
    trxi_kinematics kin;
    trxi_lengths lengths;
    trxi_inertia *composite;
    double *M, *row;        // blocks by tree; nv
    double *q, *trial, *dq; // nq, nq, nv
    void *memory;
} bench;

static void layout(trxi_arena *arena, const trx_model *model, bench *b)
{
    trxi_kinematics_layout(arena, model, &b->kin);
    trxi_lengths_layout(arena, model, &b->lengths);
    b->composite = TRXI_TAKE(arena, trxi_inertia, model->nlink);
    b->M = TRXI_TAKE(arena, double, model->nblock);
    b->row = TRXI_TAKE(arena, double, model->nv);
    b->q = TRXI_TAKE(arena, double, model->nq);
    b->trial = TRXI_TAKE(arena, double, model->nq);
    b->dq = TRXI_TAKE(arena, double, model->nv);
}

static double length_at(bench *b, const trxi_actuator *a, const double *q)
{
    trxi_kinematics_compute(b->model, q, &b->kin);
    trxi_lengths_compute(b->model, &b->kin, q, &b->lengths);
    return a->gear * b->lengths.value[a->length];
}

// reference configuration: joints with one degree of freedom at their reference, the other joints as in q0
static void start(bench *b, const double *q0)
{
    memcpy(b->q, q0, (size_t)b->model->nq * sizeof *q0);
    for (int j = 0; j < b->model->njoint; j++) {
        const trxi_joint *joint = &b->model->joints[j];
        if (joint->nq == 1) b->q[joint->q] = joint->reference;
    }
}

static void clamp(const trx_model *model, double *q)
{
    for (int j = 0; j < model->njoint; j++) {
        const trxi_joint *joint = &model->joints[j];
        if (joint->nq == 1) q[joint->q] = fmin(fmax(q[joint->q], joint->lower), joint->upper);
    }
}

// the end of the range in the direction `side`; INFINITY when there is none
static double find_end(bench *b, const trxi_actuator *a, int side, const double *q0)
{
    start(b, q0);
    clamp(b->model, b->q);
    double best = length_at(b, a, b->q), step = FIRST_STEP;
    for (int i = 0; i < MOST_STEPS && step > LAST_STEP; i++) {
        const trxi_length_view of = trxi_length_at(b->model, &b->lengths, a->length);
        double steepest = 0;
        for (int k = 0; k < of.ncol; k++) steepest = fmax(steepest, fabs(of.J[k]));
        const double along = side * (a->gear < 0 ? -1 : 1) * step;
        memset(b->dq, 0, (size_t)b->model->nv * sizeof *b->dq);
        for (int k = 0; k < of.ncol && steepest > 0; k++) b->dq[of.cols[k]] = along * of.J[k] / steepest;
        trx_model_integrate(b->model, b->q, b->dq, b->trial);
        clamp(b->model, b->trial);
        const double next = length_at(b, a, b->trial);
        const bool better = side * (next - best) > 0;
        step *= better ? 2 : 0.5;
        if (better) best = next, memcpy(b->q, b->trial, (size_t)b->model->nq * sizeof *b->q);
        else length_at(b, a, b->q);
        if (!(fabs(best) < FARTHEST)) return INFINITY;
    }
    return best;
}

// |M^-1 J^T| at the reference configuration; 0 without a positive mass
static double acceleration(bench *b, const trxi_actuator *a, const double *q0)
{
    const trx_model *model = b->model;
    start(b, q0);
    length_at(b, a, b->q);
    trxi_mass_blocks(model, &b->kin, b->composite, b->M);
    const trxi_length_view of = trxi_length_at(model, &b->lengths, a->length);
    memset(b->row, 0, (size_t)model->nv * sizeof *b->row);
    for (int k = 0; k < of.ncol; k++) b->row[of.cols[k]] = a->gear * of.J[k];
    for (int t = 0; t < model->ntree; t++) {
        const trxi_tree *tree = &model->trees[t];
        if (trxi_cholesky(tree->nv, b->M + tree->block, tree->nv) >= 0) return 0;
        trxi_cholesky_solve(tree->nv, b->M + tree->block, tree->nv, 1, b->row + tree->v, tree->nv);
    }
    return sqrt(trxi_dot(model->nv, b->row, b->row));
}

static void set_lengths(trxi_draft *draft, bench *b, trxi_draft_muscle_item *item, const double *q0)
{
    trx_actuator_def *def = trxi_draft_actuator_at(draft, item->actuator);
    double *range = item->of.range, *relative = item->of.relative;
    const bool given = range[0] < range[1];
    const trxi_actuator *a = b ? &b->model->actuators[item->actuator] : NULL;
    if (!given && a) {
        for (int side = 0; side < 2; side++) range[side] = find_end(b, a, 2 * side - 1, q0);
        if (!(range[0] < range[1]) || !isfinite(range[0]) || !isfinite(range[1])) {
            trxi_error_at(draft->context, def->source,
                          "this muscle has no range of lengths by the ranges of its joints: write lengthrange");
            return;
        }
        trxi_draft_note(draft, TRX_NOTE_REPLACED, def->source,
                        "a muscle without lengthrange: [%.4g, %.4g] by the ranges of its joints; MuJoCo's search passes soft "
                        "limits", range[0], range[1]);
    }
    def->muscle.optimal_length = (range[1] - range[0]) / (relative[1] - relative[0]);
    def->muscle.tendon_length = range[0] - relative[0] * def->muscle.optimal_length;
}

static void set_force(trxi_draft *draft, bench *b, const trxi_draft_muscle_item *item, const double *q0)
{
    static const double least = 1e-15; // as MuJoCo's
    trx_actuator_def *def = trxi_draft_actuator_at(draft, item->actuator);
    if (def->gain < 0) def->gain = item->of.scale / fmax(acceleration(b, &b->model->actuators[item->actuator], q0), least);
}

// the bodies and joints of the model, without geometries, contacts and constraints
static trx_status make(trxi_draft *draft, const trx_model_def *def, trx_context *context, bench *b)
{
    trx_model_def bare = *def;
    trx_body_def *bodies = TRXI_DRAFT_TAKE(draft, trx_body_def, def->nbody);
    trx_actuator_def *actuators = TRXI_DRAFT_TAKE(draft, trx_actuator_def, draft->actuators.count);
    if (!bodies || !actuators) return TRX_ERR_MEMORY;
    for (int i = 0; i < def->nbody; i++) bodies[i] = def->bodies[i], bodies[i].ngeometry = bodies[i].nframe = 0;
    for (int i = 0; i < draft->actuators.count; i++) {
        const trx_actuator_def *from = trxi_draft_actuator_at(draft, i);
        actuators[i] = trx_actuator_def_default();
        actuators[i].name = from->name;
        actuators[i].body = from->body, actuators[i].joint = from->joint, actuators[i].tendon = from->tendon;
        actuators[i].gear = from->gear, actuators[i].source = from->source;
    }
    bare.bodies = bodies, bare.actuators = actuators, bare.nactuator = draft->actuators.count;
    bare.nconstraint = bare.nexclude = bare.noverride = bare.nonly = 0;
    trx_status status = trx_model_create(context, &bare, &b->model);
    if (status < 0) return status;
    trxi_arena arena = {0};
    layout(&arena, b->model, b);
    b->memory = trxi_allocate(context, arena.used);
    arena = (trxi_arena){.base = b->memory};
    if (b->memory) layout(&arena, b->model, b);
    return b->memory ? TRX_OK : TRX_ERR_MEMORY;
}

static bool is_open(trxi_draft *draft, const trxi_draft_muscle_item *item)
{
    return !(item->of.range[0] < item->of.range[1]) || trxi_draft_actuator_at(draft, item->actuator)->gain < 0;
}

// with a context of its own, because errors of the model are reported by the caller that makes the whole model
static void finish_open(trxi_draft *draft, const trx_model_def *def, const double *q0)
{
    bench b = {.model = NULL};
    trx_context *context = NULL;
    trx_context_settings settings = trx_context_settings_default();
    settings.allocator = *trxi_allocator(draft->context);
    trx_status status = trx_context_create(&settings, &context);
    if (status >= 0) status = make(draft, def, context, &b);
    if (status == TRX_ERR_MEMORY) draft->memory = false;
    for (int i = 0; i < draft->muscles.count && draft->memory; i++) {
        trxi_draft_muscle_item *item = draft->muscles.items[i];
        if (status >= 0) set_lengths(draft, &b, item, q0), set_force(draft, &b, item, q0);
        else if (is_open(draft, item))
            trxi_error_at(draft->context, trxi_draft_actuator_at(draft, item->actuator)->source,
                          "the lengths of this muscle need a model: %s", trx_context_message(context));
    }
    if (b.memory) trxi_release(context, b.memory);
    trx_model_destroy(b.model);
    if (context) trx_context_destroy(context);
}

void trxi_draft_finish_muscles(trxi_draft *draft, const trx_model_def *def, const double *q0)
{
    bool open = false;
    for (int i = 0; i < draft->muscles.count; i++) open = open || is_open(draft, draft->muscles.items[i]);
    if (open) finish_open(draft, def, q0);
    else
        for (int i = 0; i < draft->muscles.count; i++) set_lengths(draft, NULL, draft->muscles.items[i], q0);
}
