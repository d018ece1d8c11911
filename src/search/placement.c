// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Placements by sampling (theory 9). Each sample draws a pair that may touch, a point on the surface of the passive side and a
// point on the surface of the placed side. The score of a sample is the share of the wanted motion that the contact cannot give.
// Beginning with the best sample, inverse kinematics brings the two points together with a gap. Configurations without clearance
// are dropped. Placements that push at nearly the same point as a better placement are dropped too. Pairs of samples give
// placements with two contacts, for motions that one contact cannot give.

#include "search/placement.h"

#include "base/random.h"
#include "math/rotation.h"
#include "search/clearance.h"
#include "search/surface.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SINGLES = 160, TRIES = 4, NEARER = 4, MOST_CONFIGURED = 80, REDRAWS = 4 };
static const double GAP = 1.3;       // gap of a placement, in clearances [1]
static const double OFF_GAP = 0.29;  // largest difference from this gap, in clearances [1]
// largest increase of the miss from sample to configuration, for one and two contacts. With two contacts it may be large: the
// nearest points are then at corners of pads that will lie flat
static const double STRAY[TRXI_MOST_TOUCHES] = {0.15, 0.8};
static const double APART = 0.25;    // distance of different placements, as a share of the size of the passive shape [1]
static const double SAME_SIDE = 0.9; // cosine of the angle between normals of the same side
static const double OPPOSITE = -0.7;  // cosine of the angle between normals of touches that face each other
static const double WORTH = 0.8;     // two contacts must reduce the best miss of one contact to this share [1]

// a sample: points on both sides of some pairs
typedef struct sample {
    int count;
    int geoms[TRXI_MOST_TOUCHES];
    int passive[TRXI_MOST_TOUCHES]; // geometries
    trxi_touch touches[TRXI_MOST_TOUCHES];
    trxi_surface_point placed[TRXI_MOST_TOUCHES]; // in the frame of the placed shape
    double size;                                  // of the passive shape [m]
    double miss;
    int index;
} sample;

// ---- samples ----

static void to_world(trxi_scout *scout, const trxi_geom *geom, const trxi_surface_point *point, double p[3], double n[3])
{
    double R[9], local[3];
    trx_placement body;
    trx_kinematics_body(scout->kin, geom->body, &body, NULL);
    trxi_quat_to_matrix(geom->pose.quat, R);
    trxi_mulv3(R, point->p, local);
    trxi_add3(local, geom->pose.p, local);
    trxi_mulv3(R, point->n, n);
    trxi_quat_to_matrix(body.pose.quat, R);
    trxi_mulv3(R, local, p);
    trxi_add3(p, body.pose.p, p);
    trxi_mulv3(R, n, local);
    trxi_copy3(local, n);
}

// draws contact number `slot` of a sample
static void draw_touch(trxi_scout *scout, uint64_t seed, uint64_t index, sample *s, int slot)
{
    const trxi_search_task *task = scout->task;
    const trx_model *model = task->model;
    const int pick = (int)(trxi_random_uniform(seed, 4 * index) * task->ntouch);
    const trxi_pair pair = trxi_model_pair(model, task->touches[pick]);
    const bool passive_a = trxi_task_is_passive(model, pair.geom_a);
    const int passive = passive_a ? pair.geom_a : pair.geom_b, placed = passive_a ? pair.geom_b : pair.geom_a;
    trxi_touch *touch = &s->touches[slot];
    const trxi_surface_point on_passive = trxi_surface_sample(&model->geoms[passive].shape, seed + 1, index);
    to_world(scout, &model->geoms[passive], &on_passive, touch->p, touch->n);
    touch->body = model->geoms[passive].body;
    touch->friction = pair.law->friction;
    touch->stiffness = pair.law->stiffness;
    s->geoms[slot] = placed;
    s->passive[slot] = passive;
    s->placed[slot] = trxi_surface_sample(&model->geoms[placed].shape, seed + 2, index);
    s->size = fmin(2 * model->geoms[passive].radius, 1);
}

static int by_miss(const void *a, const void *b)
{
    const sample *s = a, *t = b;
    if (s->miss != t->miss) return s->miss < t->miss ? -1 : 1;
    return s->index - t->index;
}

static int draw_singles(trxi_scout *scout, trxi_demand *demand, uint64_t seed, sample *samples)
{
    for (int i = 0; i < SINGLES; i++) {
        sample *s = &samples[i];
        *s = (sample){.count = 1, .index = i};
        for (uint64_t j = 0; j < REDRAWS; j++) {
            draw_touch(scout, seed, REDRAWS * (uint64_t)i + j, s, 0);
            if (!trxi_demand_is_covered(demand, &s->touches[0])) break;
        }
        s->miss = trxi_demand_is_covered(demand, &s->touches[0]) ? 1 : trxi_demand_miss(scout, demand, s->touches, 1);
    }
    return SINGLES;
}

// distance of a touch from the line through another touch along its normal; INFINITY unless both face each other on one body
static double off_line(const trxi_touch *from, const trxi_touch *to)
{
    double gap[3];
    if (from->body != to->body || trxi_dot3(from->n, to->n) > OPPOSITE) return INFINITY;
    trxi_sub3(to->p, from->p, gap);
    trxi_axpy3(-trxi_dot3(gap, from->n), from->n, gap);
    return trxi_norm3(gap);
}

// finds the sample of another placed geometry that faces a sample best; -1: none
static int find_partner(const sample *singles, int first)
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < SINGLES; i++) {
        if (singles[i].geoms[0] == singles[first].geoms[0]) continue;
        const double off = off_line(&singles[first].touches[0], &singles[i].touches[0]);
        if (off < least) least = off, best = i;
    }
    return best;
}

// makes samples of two contacts: each sample with the sample that faces it best
static int draw_doubles(trxi_scout *scout, trxi_demand *demand, const sample *singles, sample *samples)
{
    int count = 0;
    for (int i = 0; i < SINGLES; i++) {
        const int partner = find_partner(singles, i);
        if (partner < 0) continue;
        const sample *b = &singles[partner];
        sample *s = &samples[count++];
        *s = singles[i];
        s->count = 2;
        s->index = SINGLES + i;
        s->geoms[1] = b->geoms[0];
        s->passive[1] = b->passive[0];
        s->touches[1] = b->touches[0];
        s->placed[1] = b->placed[0];
        s->miss = trxi_demand_miss(scout, demand, s->touches, 2);
    }
    return count;
}

// ---- configurations ----

static trxi_aim aim_of(const trxi_search_task *task, const sample *s, int slot)
{
    const trxi_geom *geom = &task->model->geoms[s->geoms[slot]];
    const trxi_touch *touch = &s->touches[slot];
    const bool round = geom->shape.type == TRX_SHAPE_SPHERE;
    trxi_aim aim = {.body = geom->body, .turned = !round};
    double R[9], local[3] = {0};
    trxi_quat_to_matrix(geom->pose.quat, R);
    if (!round) trxi_mulv3(R, s->placed[slot].p, local);
    trxi_add3(local, geom->pose.p, aim.p);
    trxi_mulv3(R, s->placed[slot].n, aim.n);
    trxi_copy3(touch->p, aim.to);
    trxi_axpy3(GAP * task->clearance + (round ? geom->shape.radius : 0), touch->n, aim.to);
    trxi_copy3(touch->n, aim.against);
    return aim;
}

// start of the inverse kinematics: first the state, in later attempts the state with random changes of the placed dofs
static void start_at(const trxi_search_task *task, const double *x, uint64_t seed, uint64_t index, int attempt, double *q)
{
    const trx_model *model = task->model;
    memcpy(q, x, (size_t)model->nq * sizeof *q);
    for (int i = 0; i < task->ndof && attempt > 0; i++) {
        const trxi_link *link = &model->links[model->dof_link[task->dofs[i]]];
        double *at = &q[task->coordinates[i]];
        const double change = trxi_random_normal(seed + 4, (index * TRIES + (uint64_t)attempt) * 64 + (uint64_t)i);
        const double scale = link->type == TRXI_HINGE ? 0.7 : 0.1;
        *at = fmin(fmax(*at + scale * change, task->lower[i]), task->upper[i]);
    }
}

static void make_aims(const trxi_search_task *task, const sample *s, trxi_aim *aims)
{
    for (int i = 0; i < s->count; i++) aims[i] = aim_of(task, s, i);
}

// transforms a point and a normal from the world to the frame of a shape
static trxi_surface_point to_shape(trxi_scout *scout, const trxi_geom *geom, const double p[3], const double n[3])
{
    double R[9], local[3];
    trx_placement body;
    trxi_surface_point out;
    trx_kinematics_body(scout->kin, geom->body, &body, NULL);
    trxi_quat_to_matrix(body.pose.quat, R);
    trxi_sub3(p, body.pose.p, local);
    trxi_mulv3_t(R, local, out.p);
    trxi_mulv3_t(R, n, out.n);
    trxi_quat_to_matrix(geom->pose.quat, R);
    trxi_sub3(out.p, geom->pose.p, local);
    trxi_mulv3_t(R, local, out.p);
    trxi_copy3(out.n, local);
    trxi_mulv3_t(R, local, out.n);
    return out;
}

// moves both points of each touch to the nearest points of the shapes at the state of the kinematics; returns the largest
// difference of a distance from the wanted gap
static double follow_nearest(trxi_scout *scout, sample *s)
{
    double most = 0;
    for (int i = 0; i < s->count; i++) {
        trx_separation at;
        if (trx_kinematics_distance(scout->kin, s->passive[i], s->geoms[i], &at, NULL) < 0) return INFINITY;
        trxi_copy3(at.point_a, s->touches[i].p);
        trxi_copy3(at.normal, s->touches[i].n);
        double against[3];
        trxi_scale3(-1, at.normal, against);
        s->placed[i] = to_shape(scout, &scout->task->model->geoms[s->geoms[i]], at.point_b, against);
        most = fmax(most, fabs(at.distance - GAP * scout->task->clearance));
    }
    return most;
}

// brings the sample's points together, from one start. The points move to the nearest points of the shapes, so a nearby point
// replaces a point that the placed shape cannot reach with clearance
static bool come_near(trxi_scout *scout, sample *s, double time, double *q)
{
    const double tolerance = OFF_GAP * scout->task->clearance;
    trxi_aim aims[TRXI_MOST_TOUCHES];
    for (int i = 0; i < NEARER; i++) {
        make_aims(scout->task, s, aims);
        trxi_reach_aims(scout, aims, s->count, q, time);
        if (!trxi_clearance_gain(scout, q, time)) return false;
        if (trx_kinematics_update(scout->kin, q, NULL, time) < 0) return false;
        const double off = follow_nearest(scout, s);
        if (off < tolerance) return true;
    }
    return false;
}

// finds a configuration for a sample; the touches of the sample become the touches of the configuration
static bool configure(trxi_scout *scout, sample *s, const double *x, double time, uint64_t seed, double *q)
{
    const sample drawn = *s;
    for (int attempt = 0; attempt < TRIES; attempt++) {
        *s = drawn;
        for (int i = 0; i < s->count && attempt > 0; i++) {
            const uint64_t index = (uint64_t)(TRIES * (TRXI_MOST_TOUCHES * s->index + i) + attempt);
            s->placed[i] = trxi_surface_sample(&scout->task->model->geoms[s->geoms[i]].shape, seed + 5, index);
        }
        start_at(scout->task, x, seed, (uint64_t)s->index, attempt, q);
        if (come_near(scout, s, time, q) && trxi_clearance(scout, q, time) >= 0) return true;
    }
    return false;
}

// ---- choice ----

static bool is_same(const sample *s, const trxi_placement *p)
{
    if (s->count != p->count) return false;
    for (int i = 0; i < s->count; i++) {
        double gap[3];
        trxi_sub3(s->touches[i].p, p->touches[i].p, gap);
        if (s->geoms[i] != p->geoms[i] || trxi_norm3(gap) > APART * s->size) return false;
        if (trxi_dot3(s->touches[i].n, p->touches[i].n) < SAME_SIDE) return false;
    }
    return true;
}

static bool is_new(const sample *s, const trxi_placement *placements, int count)
{
    for (int i = 0; i < count; i++)
        if (is_same(s, &placements[i])) return false;
    return true;
}

// lists the configurations of the best samples, at most `wanted`
static int choose(trxi_scout *scout, trxi_pool *pool, trxi_demand *demand, const double *x, double time, uint64_t seed,
                  sample *samples, int count, int wanted, trxi_placement *placements)
{
    const trx_model *model = scout->task->model;
    double *motion = TRXI_POOL(pool, double, demand->n);
    int found = 0;
    if (!motion) return TRX_ERR_MEMORY;
    memcpy(motion, demand->motion, (size_t)demand->n * sizeof *motion);
    for (int i = 0, tried = 0; i < count && found < wanted && tried < MOST_CONFIGURED; i++) {
        sample s = samples[i];
        trxi_placement *p = &placements[found];
        if (!is_new(&s, placements, found)) continue;
        if (!p->q) p->q = TRXI_POOL(pool, double, model->nq);
        if (!p->q) return TRX_ERR_MEMORY;
        tried++;
        if (!configure(scout, &s, x, time, seed, p->q) || !is_new(&s, placements, found)) continue;

        // score the touches of the configuration
        if (trx_kinematics_update(scout->kin, x, x + model->nq, time) < 0) continue;
        p->miss = trxi_demand_miss(scout, demand, s.touches, s.count);
        assert(s.count >= 1 && s.count <= TRXI_MOST_TOUCHES);
        if (p->miss > samples[i].miss + STRAY[s.count - 1]) continue;
        p->count = s.count;
        make_aims(scout->task, &s, p->aims);
        for (int j = 0; j < s.count; j++) p->radii[j] = p->aims[j].turned ? 0 : model->geoms[s.geoms[j]].shape.radius;
        p->motion = motion;
        memcpy(p->geoms, s.geoms, sizeof p->geoms);
        memcpy(p->touches, s.touches, sizeof p->touches);
        found++;
    }
    return found;
}

static int by_final_miss(const void *a, const void *b)
{
    const trxi_placement *s = a, *t = b;
    return s->miss < t->miss ? -1 : s->miss > t->miss;
}

int trxi_placements_find(trxi_scout *scout, trxi_pool *pool, const double *x, double time, uint64_t seed, int wanted,
                         trxi_placement *placements)
{
    const trxi_search_task *task = scout->task;
    trxi_demand demand;
    sample *samples = TRXI_POOL(pool, sample, 2 * SINGLES);
    trx_status status = trxi_demand_create(pool, task, &demand);
    if (status < 0 || !samples) return TRX_ERR_MEMORY;
    const int asked = trxi_demand_compute(scout, x, time, &demand);
    if (asked <= 0) return asked;

    // single contacts, and the pairs that leave much less of the motion than every single contact
    int count = draw_singles(scout, &demand, seed, samples);
    double least = INFINITY;
    for (int i = 0; i < count; i++) least = fmin(least, samples[i].miss);
    sample *doubles = samples + count;
    const int pairs = draw_doubles(scout, &demand, samples, doubles);
    for (int i = 0; i < pairs; i++)
        if (doubles[i].miss < WORTH * least) samples[count++] = doubles[i];
    qsort(samples, (size_t)count, sizeof *samples, by_miss);

    const int found = choose(scout, pool, &demand, x, time, seed, samples, count, wanted, placements);
    if (found > 0) qsort(placements, (size_t)found, sizeof *placements, by_final_miss);
    return found;
}
