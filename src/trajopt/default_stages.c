// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Stages for a problem without stages (theory 8). An open contact has a gradient only if its law acts at a distance,
// f = k s log(1 + e^(-phi/s)), and a plan is physical only if the last stage is stiff. Between the two:
//
//     reach     s = gap/3, gap/6, ...   until s_c            k = F/s       the force at touch stays F
//     knee      s_c = F/k_c                                  k_c = m (w_c/dt)^2
//     stiffen   s = s_c sqrt(k_c/k)                          k = 5 k_c, 25 k_c, ...   until the model's stiffness
//     physical
//
// F = 0.2 m_B g is a fraction of the weight of the pushed body: large enough for a gradient, too small to throw the
// body. m is the reduced mass of both sides along the normal and w_c = 0.65 rad: up to k_c one time step resolves a
// contact oscillation. The stiction tolerance is 0.05 g dt until the knee, then a third of the previous one in each
// stage, so that the gradient of a sticking box does not vanish at once. For the push of theory 8 (0.3 kg against 0.5
// kg, 20 ms, gap 12 cm) this gives s = 40, 20, 10, 5, 2.2, 1 mm and k = 24, 49, 98, 198, 990, 4950 N/m, as found by
// manual tuning.
//
// Only trees without an actuator have to be reached: the gap is the largest, over these trees, of the distance to the closest
// actuated geometry. Without such a tree (a robot and its obstacles) nothing has to be reached: a force at a distance would only
// keep the robot away from a wall that it may want to use, so the stages begin at the knee.

#include "dynamics/distance.h"

#include "dynamics/mass_matrix.h"
#include "math/dense.h"
#include "trajopt/plan.h"

#include <math.h>
#include <string.h>

static const double FORCE_FRACTION = 0.2;   // F / (m_B g)
static const double KNEE_FREQUENCY = 0.65;  // dt sqrt(k_c/m) [rad]
static const double SLIP_FRACTION = 0.05;   // stiction tolerance / (g dt)
static const double FIRST_SMOOTHING = 1.0 / 3;
static const double STIFFEN = 5;

// scales of the stages
typedef struct scales {
    bool found;
    double gap;         // [m]
    double mass_pushed; // [kg]
    double mass;        // reduced mass of both sides [kg]
    trx_pair_law law;   // law of the pair
} scales;

typedef struct scratch {
    trxi_kinematics kin;
    trxi_inertia *composite;
    double *L;      // Cholesky factor of the mass matrix (nv x nv)
    double *column; // nv
} scratch;

static void scratch_layout(trxi_arena *arena, const trx_model *model, scratch *work)
{
    trxi_kinematics_layout(arena, model, &work->kin);
    work->composite = TRXI_TAKE(arena, trxi_inertia, model->nlink);
    work->L = TRXI_TAKE(arena, double, model->nv * model->nv);
    work->column = TRXI_TAKE(arena, double, model->nv);
}

// d^T J M^-1 J^T d at the point p of a link: the effect of a unit impulse along d [1/kg]
static double mobility(const trx_model *model, scratch *work, int link, const double p[3], const double d[3])
{
    if (link < 0) return 0;
    const trxi_link *l = &model->links[link];
    double arm[3];
    trxi_sub3(p, work->kin.c + 3 * l->tree, arm);
    memset(work->column, 0, (size_t)model->nv * sizeof(double));
    for (int i = 0; i < l->path_length; i++) {
        int dof = model->path[l->path_start + i];
        const double *S = work->kin.S + 6 * dof;
        double velocity[3];
        trxi_velocity_at(S, arm, velocity);
        work->column[dof] = trxi_dot3(velocity, d);
    }
    trxi_lower_solve(model->nv, work->L, model->nv, 1, work->column, model->nv);
    return trxi_dot(model->nv, work->column, work->column);
}

// mobility along the normal; at least a tenth of the mean over directions, because a normal through a joint's axis has none
static double normal_mobility(const trx_model *model, scratch *work, int link, const double p[3], const double n[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const double axis[3] = {i == 0, i == 1, i == 2};
        sum += mobility(model, work, link, p, axis);
    }
    return fmax(mobility(model, work, link, p, n), 0.1 * sum / 3);
}

static bool is_pushed(const trx_model *model, int link)
{
    return link >= 0 && !model->trees[model->links[link].tree].actuated;
}

// computes the scales of one pair at the start
static scales scales_of_pair(const trx_model *model, scratch *work, int index)
{
    const trxi_pair pair = trxi_model_pair(model, index);
    trxi_contact_point at = trxi_pair_closest(model, &work->kin, index);
    if (!isfinite(at.phi)) return (scales){.found = false};
    double b[3];
    trxi_copy3(at.a, b);
    trxi_axpy3(at.phi, at.n, b);
    double mobility_a = normal_mobility(model, work, pair.link_a, at.a, at.n);
    double mobility_b = normal_mobility(model, work, pair.link_b, b, at.n);
    if (!(mobility_a + mobility_b > 0)) return (scales){.found = false};

    // without a pushed body the reduced mass stands for its mass: beside a fixed obstacle, the mass of the other side
    double pushed = is_pushed(model, pair.link_a) ? mobility_a : is_pushed(model, pair.link_b) ? mobility_b : 0;
    if (!(pushed > 0)) pushed = mobility_a + mobility_b;
    return (scales){true, at.phi, 1 / pushed, 1 / (mobility_a + mobility_b), *pair.law};
}

// the closest actuated pair of `tree`, or of any tree when tree is -1
static scales closest_pair(const trx_model *model, scratch *work, int tree)
{
    scales closest = {.found = false};
    for (int i = 0; i < model->npair; i++) {
        const trxi_pair pair = trxi_model_pair(model, i);
        bool touches = tree < 0 || trxi_link_tree(model, pair.link_a) == tree || trxi_link_tree(model, pair.link_b) == tree;
        if (!pair.actuated || !touches) continue;
        scales s = scales_of_pair(model, work, i);
        if (s.found && (!closest.found || s.gap < closest.gap)) closest = s;
    }
    return closest;
}

// finds the scales of the pair with the largest gap among the closest pairs of all pushed trees
static scales find_scales(const trx_model *model, scratch *work)
{
    scales chosen = {.found = false};
    for (int tree = 0; tree < model->ntree; tree++) {
        if (model->trees[tree].actuated) continue;
        scales s = closest_pair(model, work, tree);
        if (s.found && (!chosen.found || s.gap > chosen.gap)) chosen = s;
    }
    if (chosen.found) return chosen;

    // without a body to push, an actuated tree reaches obstacles by its own motion, and a law that acts at a distance
    // repels it
    chosen = closest_pair(model, work, -1);
    chosen.gap = 0;
    return chosen;
}

// acceleration that sets the scale of forces: gravity, or the acceleration that crosses the gap in a quarter of the
// horizon
static double acceleration_scale(const trx_plan_problem *problem, double gap)
{
    double gravity = trxi_norm3(problem->model->gravity);
    double quarter = 0.25 * problem->steps * problem->sim.time_step;
    return gravity > 0 ? gravity : 2 * fmax(gap, 0.01) / (quarter * quarter);
}

static trx_stage smoothed_stage(const scales *s, double smoothing, double stiffness, double stiction)
{
    trx_stage stage = trx_stage_default();
    if (s->law.approximation == TRX_SAP) stage.approximation = TRX_LAGGED;
    stage.force_law = TRX_SMOOTHED;
    stage.smoothing = smoothing;
    stage.stiffness = fmin(stiffness, s->law.stiffness);
    stage.stiction_tolerance = stiction;
    return stage;
}

// fills the stages before the physical one
static int make_stages(const trx_plan_problem *problem, const scales *s, trx_stage *stages, int capacity)
{
    double dt = problem->sim.time_step, acceleration = acceleration_scale(problem, s->gap);
    double force = FORCE_FRACTION * s->mass_pushed * acceleration;
    double knee = s->mass * KNEE_FREQUENCY * KNEE_FREQUENCY / (dt * dt);
    double stiction = SLIP_FRACTION * acceleration * dt, least_stiction = problem->sim.stiction_tolerance;
    int count = 0;

    // reach across the gap
    double smoothing = FIRST_SMOOTHING * s->gap;
    for (; smoothing > 1.5 * force / knee && count < capacity; smoothing *= 0.5)
        stages[count++] = smoothed_stage(s, smoothing, force / smoothing, fmax(stiction, least_stiction));

    // from the knee on, stiffen
    for (double k = knee; k < s->law.stiffness / 1.5 && count < capacity; k *= STIFFEN, stiction /= 3)
        stages[count++] = smoothed_stage(s, force / knee * sqrt(knee / k), k, fmax(stiction, least_stiction));
    return count;
}

int trx_plan_default_stages(trx_context *context, const trx_plan_problem *problem, trx_stage *stages, int capacity)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!stages || capacity < 1) return trxi_fail(context, TRX_ERR_ARGUMENT, "trx_plan_default_stages: no place for a stage");
    trx_plan_settings settings = trx_plan_settings_default();
    trx_status status = trxi_plan_check(context, problem, &settings);
    if (status < 0) return status;

    const trx_model *model = problem->model;
    scratch work;
    trxi_arena arena = {0};
    scratch_layout(&arena, model, &work);
    char *block = trxi_allocate(context, arena.used);
    if (!block) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = block};
    scratch_layout(&arena, model, &work);

    int count = 0;
    trxi_kinematics_compute(model, problem->x0, &work.kin);
    trxi_mass_matrix(model, &work.kin, work.composite, work.L, model->nv);
    if (trxi_cholesky(model->nv, work.L, model->nv) < 0) {
        scales s = find_scales(model, &work);
        if (s.found) count = make_stages(problem, &s, stages, capacity - 1);
    }
    stages[count++] = trxi_stage_physical();
    trxi_release(context, block);
    return count;
}
