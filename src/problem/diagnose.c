// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Warnings about a problem that runs, but perhaps not as intended. Each warning is one function of the problem at the
// start state. Only the check of constraints takes a step.
//
// - A pair overlaps by more than 1 mm at the start: the first steps will throw it apart.
// - A joint is beyond its limits at the start, with the same effect.
// - A constraint is open at the start, with the same effect.
// - Masses of two bodies that may touch differ by more than 1e4: the contact problem has a bad condition number.
// - The step is longer than the period 2 pi sqrt(m/k) of a pair (m the reduced mass of its bodies): a collision ends
//   within one step, and the integrator determines its bounce.
// - An actuator cannot keep the start state at rest (equation (2.1) at rest, without contacts and constraints).
// - A drive is stiffer than the step resolves (theory 4).
// - A cost term is constant: no weight, nothing to measure, or a body that cannot move.
// - (a note) Geometries that may touch something take the default material: the first one, and the number of others.

#include "dynamics/lengths.h"
#include "dynamics/mass_matrix.h"
#include "math/constants.h"
#include "math/dense.h"
#include "problem/problem.h"
#include "dynamics/distance.h"

#include <math.h>
#include <stdio.h>

static const double PENETRATION = 1e-3; // [m]
static const double MASS_RATIO = 1e4;

enum { OTHERS_SIZE = 64 };

// " (and so for 7 other pairs)": `count` things have the finding, and the message names the worst of them
static const char *others(int count, const char *word, const char *thing, char text[OTHERS_SIZE])
{
    text[0] = '\0';
    if (count > 1) snprintf(text, OTHERS_SIZE, " (and so %s %d other %s%s)", word, count - 1, thing, count == 2 ? "" : "s");
    return text;
}

// the later place of both sides
static trx_source pair_source(const trx_model *model, const trxi_pair *pair)
{
    const trx_source a = model->geoms[pair->geom_a].source, b = model->geoms[pair->geom_b].source;
    return trxi_source_after(a, b) ? a : b;
}

// index of the include of a geometry, -1: the file itself
static int include_of(const trx_problem *problem, int geom)
{
    const trx_model *model = problem->model;
    const trxi_named *body = trxi_names_find(&problem->scene.names, model->bodies[model->geoms[geom].body].name, TRXI_BODY);
    for (int k = 0; body && k < problem->scene.ninclude; k++)
        if (trxi_scene_in_group(&problem->scene, (trxi_side){k, -1, -1}, body->body)) return k;
    return -1;
}

// overlaps inside one robot, of which there may be many
typedef struct inside {
    int pair, count;
    double phi; // the deepest
} inside;

static void warn_inside(const trx_problem *problem, const trxi_include *include, const inside *found)
{
    const trx_model *model = problem->model;
    if (found->count == 0) return;
    const trxi_pair pair = trxi_model_pair(model, found->pair);
    trxi_warn_at(problem->context, include->source,
                 "%d pair%s inside \"%s\" overlap%s at the start, \"%s\" and \"%s\" by %.3g m: let them not meet "
                 "(contact.pairs.exclude: [[%s, %s]]), or start otherwise",
                 found->count, found->count == 1 ? "" : "s", include->name, found->count == 1 ? "s" : "",
                 model->geoms[pair.geom_a].name, model->geoms[pair.geom_b].name, -found->phi, include->name, include->name);
}

// a robot that overlaps the ground of its own file needs another pose
static bool on_ground(const trx_model *model, const trxi_pair *pair)
{
    return model->geoms[pair->geom_a].shape.type == TRX_SHAPE_HALFSPACE;
}

static void warn_overlaps(const trx_problem *problem, const trxi_kinematics *kin, inside *robots)
{
    const trx_model *model = problem->model;
    for (int i = 0; i < model->npair; i++) {
        double phi = trxi_pair_closest(model, kin, i).phi;
        if (!(phi < -PENETRATION)) continue;
        const trxi_pair pair = trxi_model_pair(model, i);
        int a = include_of(problem, pair.geom_a), b = include_of(problem, pair.geom_b);
        if (a < 0 || a != b || on_ground(model, &pair))
            trxi_warn_at(problem->context, pair_source(model, &pair),
                         "\"%s\" and \"%s\" overlap by %.3g m at the start: move one of them in start:",
                         model->geoms[pair.geom_a].name, model->geoms[pair.geom_b].name, -phi);
        else if (robots[a].count++ == 0 || phi < robots[a].phi)
            robots[a].pair = i, robots[a].phi = phi;
    }
    for (int k = 0; k < problem->scene.ninclude; k++) warn_inside(problem, &problem->scene.includes[k], &robots[k]);
}

static trx_status diagnose_penetration(const trx_problem *problem)
{
    const trx_model *model = problem->model;
    trxi_kinematics kin;
    trxi_arena arena = {0};
    trxi_kinematics_layout(&arena, model, &kin);
    TRXI_TAKE(&arena, inside, problem->scene.ninclude);
    char *memory = trxi_allocate(problem->context, arena.used);
    if (!memory) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = memory};
    trxi_kinematics_layout(&arena, model, &kin);
    inside *robots = TRXI_TAKE(&arena, inside, problem->scene.ninclude);
    trxi_kinematics_compute(model, problem->start, &kin);
    warn_overlaps(problem, &kin, robots);
    trxi_release(problem->context, memory);
    return TRX_OK;
}

static void diagnose_limits(const trx_problem *problem)
{
    const trx_model *model = problem->model;
    for (int i = 0; i < model->nlimit; i++) {
        const trxi_joint *joint = &model->joints[model->limits[i]];
        double q = problem->start[joint->q];
        if (q < joint->lower || q > joint->upper)
            trxi_warn_at(problem->context, joint->source,
                         "joint \"%s\" starts at %.6g, outside its limits [%g, %g]: set it in start:", joint->name, q,
                         joint->lower, joint->upper);
    }
}

// constraints that are open at the start, which the first steps would close violently
static trx_status diagnose_constraints(const trx_problem *problem)
{
    static const double allowed = 1e-3; // [m or rad]
    const trx_model *model = problem->model;
    if (model->nconstraint == 0) return TRX_OK;
    trx_sim *sim;
    trx_status status = trx_sim_create(problem->context, model, &problem->sim, &sim);
    if (status < 0) return status;

    // a failing step is reported later, when it is taken
    bool stepped = trx_step(sim, problem->start, NULL, NULL) >= 0;
    const trxi_constraint *worst = NULL;
    double widest = allowed;
    int count = 0;
    for (int i = 0; i < model->nconstraint && stepped; i++) {
        const trxi_constraint *c = &model->constraints[i];
        double gap[6], most = 0;
        if (trx_sim_constraint(sim, i, gap, NULL) < 0) continue;
        for (int k = 0; k < c->nrow; k++) most = fmax(most, c->type == TRX_CONSTRAINT_TENDON ? -gap[k] : fabs(gap[k]));
        count += most > allowed;
        if (most > widest) worst = c, widest = most;
    }
    char text[OTHERS_SIZE];
    if (worst)
        trxi_warn_at(problem->context, worst->source,
                     "%s \"%s\" is open by %.3g m or rad at the start%s: the first steps will slam it shut; start with "
                     "its two sides together",
                     trx_constraint_type_name(worst->type), worst->name, widest,
                     others(count, count == 2 ? "is" : "are", "constraint", text));
    trx_sim_destroy(sim);
    return TRX_OK;
}

// mass of a side of a contact; infinite for bodies fixed to the world
static double side_mass(const trx_model *model, int geom)
{
    return model->geoms[geom].link < 0 ? INFINITY : model->bodies[model->geoms[geom].body].mass;
}

// the worst pair of a kind, and the number of such pairs
typedef struct worst_pair {
    trxi_pair pair;
    double value;
    int count;
} worst_pair;

static void compare_pair(worst_pair *worst, const trxi_pair *pair, double value)
{
    if (worst->count++ && !(value > worst->value)) return;
    worst->pair = *pair;
    worst->value = value;
}

static void diagnose_pairs(const trx_problem *problem)
{
    const trx_model *model = problem->model;
    const double dt = problem->sim.time_step;
    worst_pair unequal = {0}, stiff = {0};
    char text[OTHERS_SIZE];
    for (int i = 0; i < model->npair; i++) {
        const trxi_pair pair = trxi_model_pair(model, i);
        double m_a = side_mass(model, pair.geom_a), m_b = side_mass(model, pair.geom_b);
        double light = fmin(m_a, m_b), heavy = fmax(m_a, m_b);
        if (!(light > 0) || isinf(light)) continue;
        if (!isinf(heavy) && heavy > MASS_RATIO * light) compare_pair(&unequal, &pair, heavy / light);
        double mass = isinf(heavy) ? light : light * heavy / (light + heavy);
        double frequency = sqrt(pair.law->stiffness / mass) / (2 * TRXI_PI);
        if (dt * frequency > 1) compare_pair(&stiff, &pair, frequency);
    }
    if (unequal.count) {
        const trxi_pair *pair = &unequal.pair;
        trxi_warn_at(problem->context, pair_source(model, pair),
                     "\"%s\" and \"%s\" may meet, and one is %.3g times heavier%s: expect many iterations; bring the "
                     "masses closer",
                     model->geoms[pair->geom_a].name, model->geoms[pair->geom_b].name, unequal.value,
                     others(unequal.count, "for", "pair", text));
    }
    if (stiff.count) {
        const trxi_pair *pair = &stiff.pair;
        double resolved = pair->law->stiffness / pow(dt * stiff.value, 2);
        trxi_warn_at(problem->context, pair_source(model, pair),
                     "the time step of %g s is longer than the period 2 pi sqrt(m/k) = %.3g s of \"%s\" on \"%s\"%s: "
                     "impacts are not resolved; lower the step, or the stiffness below %.2g N/m",
                     dt, 1 / stiff.value, model->geoms[pair->geom_a].name, model->geoms[pair->geom_b].name,
                     others(stiff.count, "for", "pair", text), resolved);
    }
}

// the worst of the actuators whose value is outside its limits, and their number
typedef struct outside {
    const trxi_actuator *worst;
    double value, lower, upper, by;
    int count;
} outside;

static void compare_value(outside *found, const trxi_actuator *actuator, double value, double lower, double upper)
{
    const double by = fmax(lower - value, value - upper);
    if (!(by > 0)) return;
    if (found->count++ == 0 || by > found->by) *found = (outside){actuator, value, lower, upper, by, found->count};
}

static void warn_actuators(const trx_problem *problem, const double *u, const double *f)
{
    outside control = {0}, effort = {0};
    char text[OTHERS_SIZE];
    for (int j = 0; j < problem->model->nu; j++) {
        const trxi_actuator *a = &problem->model->actuators[j];
        compare_value(&control, a, u[j], a->lower, a->upper);
        if (!a->motor) compare_value(&effort, a, f[j], a->effort_lower, a->effort_upper);
    }
    if (control.count > 0)
        trxi_warn_at(problem->context, control.worst->source,
                     "actuator \"%s\" needs %.4g to hold the start still (contacts aside), outside its limits [%g, %g]%s",
                     control.worst->name, control.value, control.lower, control.upper,
                     others(control.count, "for", "actuator", text));
    if (effort.count > 0)
        trxi_warn_at(problem->context, effort.worst->source,
                     "drive \"%s\" needs an effort of %.4g to hold the start still (contacts aside), outside [%g, %g]%s",
                     effort.worst->name, effort.value, effort.lower, effort.upper,
                     others(effort.count, "for", "drive", text));
}

static trx_status diagnose_actuators(const trx_problem *problem)
{
    const trx_model *model = problem->model;
    double *u = trxi_allocate(problem->context, 2 * (size_t)(model->nu + 1) * sizeof *u);
    if (!u) return TRX_ERR_MEMORY;
    double *f = u + model->nu;
    trx_status status = trxi_holding_controls(problem, u);
    if (status == TRX_OK) status = trxi_holding_forces(problem, f);
    if (status == TRX_OK) warn_actuators(problem, u, f);
    trxi_release(problem->context, u);
    return status;
}

// ---- drives ----

typedef struct drive_work {
    trxi_kinematics kin;
    trxi_lengths lengths;
    trxi_inertia *composite;
    double *A; // nv x nv: M + dt D + dt^2 K, then its factor
    double *x; // nv
} drive_work;

static void layout_drives(trxi_arena *arena, const trx_model *model, drive_work *work)
{
    trxi_kinematics_layout(arena, model, &work->kin);
    trxi_lengths_layout(arena, model, &work->lengths);
    work->composite = TRXI_TAKE(arena, trxi_inertia, model->nlink);
    work->A = TRXI_TAKE(arena, double, model->nv * model->nv);
    work->x = TRXI_TAKE(arena, double, model->nv);
}

// gains are too stiff where 1/(dt (dt kp + kd)) < beta^2 w/(4 pi^2), w = c^T A^-1 c of the drive's factors (theory
// 4); returns the largest value of dt kp + kd that the step resolves
static double most_gain(const trx_problem *problem, const trxi_actuator *actuator, const drive_work *work)
{
    const trx_model *model = problem->model;
    const double beta = problem->sim.near_rigid;
    int nv = model->nv;
    for (int i = 0; i < nv; i++) work->x[i] = 0;
    const trxi_length_view of = trxi_length_at(model, &work->lengths, actuator->length);
    for (int k = 0; k < of.ncol; k++) work->x[of.cols[k]] += actuator->gear * of.J[k];
    trxi_lower_solve(nv, work->A, nv, 1, work->x, nv);
    return 4 * TRXI_PI * TRXI_PI / (beta * beta * trxi_dot(nv, work->x, work->x) * problem->sim.time_step);
}

// the worst of the drives that are too stiff, and their number
static void warn_drives(const trx_problem *problem, const drive_work *work)
{
    const trx_model *model = problem->model;
    const trxi_actuator *worst = NULL;
    const double dt = problem->sim.time_step;
    double worst_gain = 0, worst_most = 1;
    int count = 0;
    for (int j = 0; j < model->nu; j++) {
        const trxi_actuator *actuator = &model->actuators[j];
        double gain = dt * actuator->kp + actuator->kd;
        double most = actuator->drive ? most_gain(problem, actuator, work) : INFINITY;
        if (!(gain > most)) continue;
        if (count++ == 0 || gain / most > worst_gain / worst_most) worst = actuator, worst_gain = gain, worst_most = most;
    }
    char text[OTHERS_SIZE];
    if (count > 0)
        trxi_warn_at(problem->context, worst->source,
                     "drive \"%s\" is too stiff for the time step of %g s%s: step kp + kd = %.3g is above %.3g: lower kp and "
                     "kd, or the step, or give the joint an armature",
                     worst->name, dt, others(count, count == 2 ? "is" : "are", "drive", text), worst_gain, worst_most);
}

static trx_status diagnose_drives(const trx_problem *problem)
{
    const trx_model *model = problem->model;
    const double dt = problem->sim.time_step;
    drive_work work;
    trxi_arena arena = {0};
    if (model->ndrive == 0) return TRX_OK;
    layout_drives(&arena, model, &work);
    char *memory = trxi_allocate(problem->context, arena.used);
    if (!memory) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = memory};
    layout_drives(&arena, model, &work);
    trxi_kinematics_compute(model, problem->start, &work.kin);
    trxi_lengths_compute(model, &work.kin, problem->start, &work.lengths);
    trxi_mass_matrix(model, &work.kin, work.composite, work.A, model->nv);
    for (int i = 0; i < model->nv; i++)
        work.A[i * (model->nv + 1)] += dt * (model->damping[i] + dt * model->stiffness[i]);
    if (trxi_cholesky(model->nv, work.A, model->nv) < 0) warn_drives(problem, &work);
    trxi_release(problem->context, memory);
    return TRX_OK;
}

// whether some component has a weight at some knot
static bool has_weight(const trx_cost_term *term, int count, int steps)
{
    double sum = 0;
    for (int k = 0; k <= (term->weight_stride > 0 ? steps : 0); k++)
        for (int i = 0; i < count; i++) sum += term->weight[(size_t)term->weight_stride * (size_t)k + (size_t)i];
    return sum > 0;
}

// reason why a term has no effect, NULL when it has one
static const char *without_effect(const trx_model *model, const trx_cost_term *term, int steps)
{
    int count = trx_cost_term_dimension(model, term);
    if (count == 0) return term->quantity == TRX_CONTROL ? "the model has no actuators" : "the model has no joints";
    if (!has_weight(term, count, steps)) return "all its weights are 0";
    if (term->quantity == TRX_DISTANCE) return NULL; // refused when nothing moves
    for (int i = 0; i < term->nbody; i++)
        if (model->bodies[term->bodies[i]].link >= 0) return NULL;
    if (term->nbody > 0) return "it is fixed to the world";
    bool fixed_body = term->quantity <= TRX_BODY_SPIN && model->bodies[term->index].link < 0;
    bool fixed_frame = term->quantity >= TRX_FRAME_POSITION && term->quantity <= TRX_FRAME_SPIN &&
                       model->frames[term->index].link < 0;
    return fixed_body || fixed_frame ? "it is fixed to the world" : NULL;
}

static void diagnose_cost(const trx_problem *problem)
{
    for (int i = 0; i < problem->nterm; i++) {
        const char *why = without_effect(problem->model, &problem->terms[i], problem->steps);
        if (why)
            trxi_warn_at(problem->context, problem->terms[i].source, "the cost term of %s has no effect: %s",
                         problem->terms[i].name, why);
    }
}

static void note_material(const trx_problem *problem, trx_source source, const char *name,
                          const trx_material_def *material, int others)
{
    char more[64] = "";
    if (others > 0) snprintf(more, sizeof more, "; so %s %d other%s", others > 1 ? "do" : "does", others, others > 1 ? "s" : "");
    trxi_note_at(problem->context, source,
                 "\"%s\" takes the default material: stiffness %g N/m, dissipation %g s/m, friction %g%s", name,
                 material->stiffness, material->dissipation, material->friction, more);
}

// geometries of the file together, each robot once
static void note_default_material(const trx_problem *problem)
{
    const trx_model *model = problem->model;
    int noted = -1, first = -1, others = 0;
    for (int i = 0; i < model->ngeom; i++) {
        const trx_material_def *material = &model->materials[model->geoms[i].material];
        if (material->source.line != 0 || !trxi_model_meets(model, i)) continue;
        int include = include_of(problem, i);
        if (include < 0 && first < 0) first = i;
        else if (include < 0) others++;
        else if (include != noted)
            note_material(problem, problem->scene.includes[include].source, problem->scene.includes[include].name, material, 0);
        noted = include < 0 ? noted : include;
    }
    if (first < 0) return;
    const trxi_geom *geom = &model->geoms[first];
    note_material(problem, geom->source, geom->name, &model->materials[geom->material], others);
}

trx_status trx_problem_diagnose(trx_problem *problem)
{
    if (!problem) return TRX_ERR_ARGUMENT;
    trxi_begin(problem->context);
    trx_status status = diagnose_penetration(problem);
    if (status < 0) return status;
    diagnose_limits(problem);
    if ((status = diagnose_constraints(problem)) < 0) return status;
    diagnose_pairs(problem);
    if ((status = diagnose_actuators(problem)) < 0) return status;
    if ((status = diagnose_drives(problem)) < 0) return status;
    diagnose_cost(problem);
    note_default_material(problem);
    return TRX_OK;
}
