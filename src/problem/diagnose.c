// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Warnings about a problem that will run, but perhaps not as meant. Each is one function over the model at the
// start state; none simulates.
//
// - A pair overlaps by more than 1 mm at the start: the first steps will throw it apart.
// - A joint is beyond its limits at the start: likewise.
// - Masses of two bodies that may meet differ by more than 1e4: the contact problem is badly conditioned.
// - The step is longer than the period 2 pi sqrt(m/k) of a pair (m the reduced mass of its bodies): a collision is over
//   within one step, and its bounce is that of the integrator.
// - An actuator cannot hold the start state still (theory 2.1 at rest, contacts aside).
// - A cost term never changes: no weight, nothing to measure, or a body that cannot move.
// - (a note) A geometry that may touch something takes the default material.

#include "dynamics/kinematics.h"
#include "problem/problem.h"
#include "trajopt/gaps.h"

#include <math.h>

static const double PENETRATION = 1e-3; // [m]
static const double MASS_RATIO = 1e4;

static trx_source later(trx_source a, trx_source b)
{
    return trxi_source_after(a, b) ? a : b;
}

static trx_source pair_source(const trx_model *model, const trxi_pair *pair)
{
    return later(model->geoms[pair->geom_a].source, model->geoms[pair->geom_b].source);
}

static trx_status diagnose_penetration(const trx_problem *problem)
{
    const trx_model *model = problem->model;
    trxi_kinematics kin;
    trxi_arena arena = {0};
    trxi_kinematics_layout(&arena, model, &kin);
    char *memory = trxi_allocate(problem->context, arena.used);
    if (!memory) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = memory};
    trxi_kinematics_layout(&arena, model, &kin);
    trxi_kinematics_compute(model, problem->start, &kin);
    for (int i = 0; i < model->npair; i++) {
        const trxi_pair *pair = &model->pairs[i];
        double phi = trxi_pair_closest(model, &kin, i).phi;
        if (phi < -PENETRATION)
            trxi_warn_at(problem->context, pair_source(model, pair),
                         "\"%s\" and \"%s\" overlap by %.3g m at the start: move one of them in start:",
                         model->geoms[pair->geom_a].name, model->geoms[pair->geom_b].name, -phi);
    }
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

// mass that a side brings into a contact; infinite for what is fixed to the world
static double side_mass(const trx_model *model, int geom)
{
    return model->geoms[geom].link < 0 ? INFINITY : model->bodies[model->geoms[geom].body].mass;
}

static void diagnose_pairs(const trx_problem *problem)
{
    const trx_model *model = problem->model;
    const double pi = 3.141592653589793;
    for (int i = 0; i < model->npair; i++) {
        const trxi_pair *pair = &model->pairs[i];
        const char *a = model->geoms[pair->geom_a].name, *b = model->geoms[pair->geom_b].name;
        double m_a = side_mass(model, pair->geom_a), m_b = side_mass(model, pair->geom_b);
        double light = fmin(m_a, m_b), heavy = fmax(m_a, m_b);
        if (!(light > 0) || isinf(light)) continue;
        if (!isinf(heavy) && heavy > MASS_RATIO * light)
            trxi_warn_at(problem->context, pair_source(model, pair),
                         "\"%s\" and \"%s\" may meet, and one is %.3g times heavier: expect many iterations; bring the "
                         "masses closer",
                         a, b, heavy / light);

        double mass = isinf(heavy) ? light : light * heavy / (light + heavy), k = pair->law.stiffness;
        double period = 2 * pi * sqrt(mass / k);
        if (problem->sim.time_step > period)
            trxi_warn_at(problem->context, pair_source(model, pair),
                         "the time step of %g s is longer than the period 2 pi sqrt(m/k) = %.3g s of \"%s\" on \"%s\": "
                         "impacts are not resolved; lower the step, or the stiffness below %.2g N/m",
                         problem->sim.time_step, period, a, b, mass * pow(2 * pi / problem->sim.time_step, 2));
    }
}

static trx_status diagnose_actuators(const trx_problem *problem)
{
    const trx_model *model = problem->model;
    double *u = trxi_allocate(problem->context, (size_t)(model->nu + 1) * sizeof *u);
    if (!u) return TRX_ERR_MEMORY;
    trx_status status = trxi_holding_controls(problem, u);
    for (int j = 0; status == TRX_OK && j < model->nu; j++) {
        const trxi_actuator *actuator = &model->actuators[j];
        if (u[j] < actuator->lower || u[j] > actuator->upper)
            trxi_warn_at(problem->context, actuator->source,
                         "actuator \"%s\" needs %.4g to hold the start still (contacts aside), outside its limits "
                         "[%g, %g]",
                         actuator->name, u[j], actuator->lower, actuator->upper);
    }
    trxi_release(problem->context, u);
    return status;
}

// why a term has no effect, NULL when it has
static const char *without_effect(const trx_model *model, const trx_cost_term *term)
{
    int count = trx_cost_term_dimension(model, term);
    if (count == 0) return term->quantity == TRX_CONTROL ? "the model has no actuators" : "the model has no joints";
    double sum = 0;
    for (int i = 0; i < count; i++) sum += term->weight[i];
    if (sum == 0) return "all its weights are 0";
    bool fixed_body = term->quantity <= TRX_BODY_SPIN && model->bodies[term->index].link < 0;
    bool fixed_frame = term->quantity >= TRX_FRAME_POSITION && term->quantity <= TRX_FRAME_SPIN &&
                       model->frames[term->index].link < 0;
    return fixed_body || fixed_frame ? "it is fixed to the world" : NULL;
}

static void diagnose_cost(const trx_problem *problem)
{
    for (int i = 0; i < problem->nterm; i++) {
        const char *why = without_effect(problem->model, &problem->terms[i]);
        if (why)
            trxi_warn_at(problem->context, problem->terms[i].source, "the cost term of %s has no effect: %s",
                         problem->terms[i].name, why);
    }
}

static bool may_touch(const trx_model *model, int geom)
{
    for (int i = 0; i < model->npair; i++)
        if (model->pairs[i].geom_a == geom || model->pairs[i].geom_b == geom) return true;
    return false;
}

static void note_default_material(const trx_problem *problem)
{
    const trx_model *model = problem->model;
    for (int i = 0; i < model->ngeom && problem->scene.default_material_used; i++) {
        const trx_material_def *material = &model->materials[model->geoms[i].material];
        bool by_default = material->source.line == 0;
        if (by_default && may_touch(model, i))
            trxi_note_at(problem->context, model->geoms[i].source,
                         "\"%s\" takes the default material: stiffness %g N/m, dissipation %g s/m, friction %g",
                         model->geoms[i].name, material->stiffness, material->dissipation, material->friction);
    }
}

trx_status trx_problem_diagnose(trx_problem *problem)
{
    if (!problem) return TRX_ERR_ARGUMENT;
    trx_status status = diagnose_penetration(problem);
    if (status < 0) return status;
    diagnose_limits(problem);
    diagnose_pairs(problem);
    if ((status = diagnose_actuators(problem)) < 0) return status;
    diagnose_cost(problem);
    note_default_material(problem);
    return TRX_OK;
}
