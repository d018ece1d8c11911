// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Inertias of a draft: given or summed over geometry, and checked at the end, when all bodies are known. An inertia
// has two possible errors: no solid can have it, or its body can move without moving mass, which makes M singular.
// The second error is checked for each joint, with the sum of all bodies beyond it,
//
//     I_o = R I R^T + m (|d|^2 1 - d d^T),     d: from the parent's origin o to the centre of mass (theory 2).
//
// The check is exact if no joint moves a part of these bodies. Otherwise the check asks only for some mass, and the model checks
// the cases that depend on the configuration.

#include "geometry/mesh.h"
#include "geometry/shape.h"
#include "import/draft_state.h"
#include "import/pose.h"
#include "import/repair_inertia.h"
#include "math/tensor.h"

#include <math.h>
#include <string.h>

static const double LARGE_CHANGE = 0.01; // of the moments of a body, reported as a warning [1]

// the bodies beyond a joint: mass, centre of mass, and moments about it, in the axes of one frame
typedef struct moved {
    trx_body_inertia sum;
    bool articulated; // a joint moves some of these bodies
    bool weighed;     // the model computes the mass of a part, from the masses of its geometry
} moved;

// a += b; b is given in a frame whose pose in a's frame is `pose`
static void add_inertia(trx_body_inertia *a, const trx_body_inertia *b, const trx_pose *pose)
{
    double R[9], com[3], d[3];
    trx_body_inertia sum = {.mass = a->mass + b->mass};
    trxi_quat_to_matrix(pose->quat, R);
    trxi_pose_point(pose, b->com, com);
    for (int i = 0; i < 3; i++)
        sum.com[i] = sum.mass != 0 ? (a->mass * a->com[i] + b->mass * com[i]) / sum.mass : a->com[i];
    trxi_sub3(a->com, sum.com, d);
    trxi_tensor_add(a->tensor, NULL, a->mass, d, sum.tensor);
    trxi_sub3(com, sum.com, d);
    trxi_tensor_add(b->tensor, R, b->mass, d, sum.tensor);
    *a = sum;
}

void trxi_draft_inertia(trxi_draft *draft, int body, trx_source source, double mass, const double com[3],
                        const double tensor[6])
{
    trx_body_def *def = trxi_draft_body_at(draft, body);
    def->has_inertia = true;
    def->inertia_source = source;
    def->inertia.mass = mass;
    memcpy(def->inertia.com, com, sizeof def->inertia.com);
    memcpy(def->inertia.tensor, tensor, sizeof def->inertia.tensor);
}

// a uniform solid about its own centre of mass, in the frame of its body; false (reported) when it has no mass
// properties
static bool solid(trxi_draft *draft, const trx_geometry_def *geometry, double mass, trx_body_inertia *out)
{
    trx_body_inertia own = {.mass = mass};
    *out = (trx_body_inertia){0};
    if (mass == 0) return true;
    double volume = trxi_shape_volume(&geometry->shape);
    if (!(volume > 0) || !isfinite(volume)) {
        trxi_error_at(draft->context, geometry->source,
                      "this %s has no volume to spread %g kg over: give its body an inertia",
                      trx_shape_name(geometry->shape.type), mass);
        return false;
    }
    if (geometry->shape.type == TRX_SHAPE_MESH) {
        trxi_mesh_integrals integrals;
        trxi_mesh_integrate(geometry->shape.mesh, &integrals);
        if (!integrals.closed)
            trxi_draft_tally(draft, TRX_NOTE_ASSUMED, geometry->source, "inertia of ", "mesh that is not closed",
                             "meshes that are not closed", ": the solid with its holes covered was weighed");
    }
    trxi_shape_inertia(&geometry->shape, mass, own.com, own.tensor);
    add_inertia(out, &own, &geometry->pose);
    return true;
}

// the sum of uniform solids
static bool solids(trxi_draft *draft, const trx_geometry_def *geometry, const double *masses, int count,
                   trx_body_inertia *out)
{
    const trx_pose identity = trx_pose_identity();
    *out = (trx_body_inertia){0};
    for (int i = 0; i < count; i++) {
        trx_body_inertia one;
        if (!solid(draft, &geometry[i], masses[i], &one)) return false;
        add_inertia(out, &one, &identity);
    }
    return true;
}

void trxi_draft_inertia_of_geometry(trxi_draft *draft, int body, trx_source source, const trx_geometry_def *geometry,
                                    const double *masses, int count)
{
    trx_body_inertia sum;
    if (solids(draft, geometry, masses, count, &sum))
        trxi_draft_inertia(draft, body, source, sum.mass, sum.com, sum.tensor);
}

// ---- repair ----

// whether this geometry takes part in the distribution of the mass
static bool is_solid(const trx_geometry_def *geometry, bool collide)
{
    if (geometry->collide != collide || geometry->shape.type == TRX_SHAPE_HALFSPACE) return false;
    double volume = trxi_shape_volume(&geometry->shape);
    return volume > 0 && isfinite(volume);
}

// distributes the mass of the file over the geometry that collides, else over drawn geometry
static bool from_geometry(trxi_draft *draft, const trxi_draft_body_item *body, trx_body_inertia *inertia)
{
    int count = body->geometry.count;
    trx_geometry_def *chosen = count ? TRXI_DRAFT_TAKE(draft, trx_geometry_def, count) : NULL;
    double *masses = count ? TRXI_DRAFT_TAKE(draft, double, count) : NULL, volume = 0;
    if (!chosen || !masses || !(inertia->mass > 0)) return false;

    int n = 0;
    for (int collide = 1; collide >= 0 && n == 0; collide--)
        for (int i = 0; i < count; i++)
            if (is_solid(body->geometry.items[i], collide)) chosen[n++] = *(trx_geometry_def *)body->geometry.items[i];
    for (int i = 0; i < n; i++) volume += masses[i] = trxi_shape_volume(&chosen[i].shape);
    for (int i = 0; i < n; i++) masses[i] *= inertia->mass / volume;
    return n > 0 && solids(draft, chosen, masses, n, inertia);
}

void trxi_draft_spread_mass(trxi_draft *draft, int body)
{
    trxi_draft_body_item *item = draft->bodies.items[body];
    trx_body_inertia spread = item->def.inertia;
    if (from_geometry(draft, item, &spread)) memcpy(item->def.inertia.tensor, spread.tensor, sizeof spread.tensor);
}

// repairs mass and moments without geometry. `massless`: the moments are possible but too small for the joints, so they are raised,
// except by `balance`, which keeps the sum of the moments
static bool by_moments(trxi_draft *draft, trx_body_inertia *inertia, bool massless)
{
    double moments[3], R[9];
    trxi_tensor_principal(inertia->tensor, moments, R);
    if (draft->options.repair == TRX_REPAIR_NEAREST && !massless)
        trxi_nearest_moments(moments);
    else if (draft->options.repair != TRX_REPAIR_BALANCE)
        trxi_bound_inertia(&inertia->mass, moments);
    else if (!trxi_balance_moments(moments))
        return false;
    trxi_tensor_from_principal(moments, R, inertia->tensor);
    return inertia->mass >= 0;
}

// length of the change of the moments / length of the old moments [1]; 1 if the old moments are 0
static double change_of(const double old[3], const double new[3])
{
    double d[3], length = trxi_norm3(old);
    trxi_sub3(new, old, d);
    return length > 0 ? trxi_norm3(d) / length : 1;
}

// counts the bodies with a large change, and keeps the body with the largest change, for one warning about all of them
static void count_large_change(trxi_draft *draft, const trxi_draft_body_item *body, double change)
{
    if (draft->options.repair != TRX_REPAIR_NEAREST || change <= LARGE_CHANGE) return;
    if (draft->large_changes++ == 0 || change > draft->largest_change) {
        draft->largest_change = change;
        draft->most_changed = &body->def;
    }
}

static void warn_of_changes(trxi_draft *draft)
{
    if (draft->large_changes == 0) return;
    trxi_warn_at(draft->context, draft->most_changed->inertia_source,
                 "%d %s an inertia that no solid has, changed by more than 1 %% (that of '%.100s' by %.3g %%): correct the file, "
                 "or choose another repair_inertia",
                 draft->large_changes, draft->large_changes == 1 ? "body has" : "bodies have", draft->most_changed->name,
                 100 * draft->largest_change);
}

// repairs the inertia of a body as the options say; false when the options forbid the repair or the repair is impossible
static bool repair(trxi_draft *draft, trxi_draft_body_item *body, bool massless)
{
    static const char *const words[] = {"", "bound", "balance", "from_geometry", "nearest"};
    trx_repair_inertia how = draft->options.repair;
    trx_body_inertia after = body->def.inertia;
    if (how == TRX_REPAIR_NONE) return false;
    if (!(how == TRX_REPAIR_FROM_GEOMETRY ? from_geometry(draft, body, &after) : by_moments(draft, &after, massless))) return false;

    double old[3], new[3];
    trxi_tensor_principal(body->def.inertia.tensor, old, NULL);
    trxi_tensor_principal(after.tensor, new, NULL);
    double change = change_of(old, new);
    trx_source source = body->def.has_inertia ? body->def.inertia_source : body->def.source;
    trxi_draft_note(draft, TRX_NOTE_REPAIRED, source,
                    "inertia of '%.100s': mass %g became %g kg, principal moments %.4g, %.4g, %.4g became %.4g, %.4g, "
                    "%.4g kg m^2, a change of %.3g %% (repair_inertia: %s)",
                    body->def.name, body->def.inertia.mass, after.mass, old[0], old[1], old[2], new[0], new[1], new[2],
                    100 * change, words[how]);
    if (!body->def.has_inertia) body->def.inertia_source = source;
    body->def.has_inertia = true;
    body->def.inertia = after;
    count_large_change(draft, body, change);
    return true;
}

// ---- impossible inertias ----

// the error of the inertia, NULL without an error
static const char *defect(const trx_body_inertia *inertia)
{
    double moments[3];
    trxi_tensor_principal(inertia->tensor, moments, NULL);
    if (inertia->mass < 0) return "the mass is negative";
    if (trxi_moments_possible(moments)) return NULL;
    return moments[0] < 0 ? "a principal moment is negative" : "the two smaller moments add up to less than the largest";
}

static void judge_possible(trxi_draft *draft, trxi_draft_body_item *body)
{
    const char *wrong = body->def.has_inertia ? defect(&body->def.inertia) : NULL;
    if (!wrong || (repair(draft, body, false) && !defect(&body->def.inertia))) return;
    double moments[3];
    trxi_tensor_principal(body->def.inertia.tensor, moments, NULL);
    trxi_error_at(draft->context, body->def.inertia_source,
                  "inertia of '%.100s': no solid has mass %g kg and principal moments %.6g, %.6g, %.6g kg m^2: %s; "
                  "correct it, or "
                  "write repair_inertia: bound%s",
                  body->def.name, body->def.inertia.mass, moments[0], moments[1], moments[2], wrong,
                  body->def.inertia.mass > 0 ? ", balance or from_geometry" : "");
}

// ---- bodies that move without mass ----

static bool is_weighed(const trxi_draft_body_item *body)
{
    for (int i = 0; i < body->geometry.count && !body->def.has_inertia; i++) {
        const trx_geometry_def *geometry = body->geometry.items[i];
        if (!isnan(geometry->mass) || !isnan(geometry->density)) return true;
    }
    return false;
}

// moment about an axis through `at`; least principal moment about that point when there is no axis
static double moment_about(const trx_body_inertia *sum, const double *axis, const double at[3])
{
    double d[3], n[3], moments[3], about[3], tensor[6] = {0};
    trxi_sub3(sum->com, at, d);
    trxi_tensor_add(sum->tensor, NULL, sum->mass, d, tensor);
    trxi_tensor_principal(tensor, moments, NULL);
    if (!axis || trxi_normalize3(axis, n) == 0) return moments[0];
    trxi_tensor_mulv(tensor, n, about);
    return trxi_dot3(n, about);
}

// whether a joint moves inertia in each of its directions
static bool resists(const trx_joint_def *joint, const moved *what)
{
    static const double z[3] = {0, 0, 1};
    const trx_body_inertia *sum = &what->sum;
    double trace = sum->tensor[0] + sum->tensor[1] + sum->tensor[2], least = 1e-14 * (trace + sum->mass);
    if (joint->armature > 0 || what->weighed) return true;
    if (what->articulated) return sum->mass > 0 || trace > 0;
    switch (joint->type) {
    case TRX_JOINT_SLIDE: return sum->mass > 0;
    case TRX_JOINT_HINGE: return moment_about(sum, joint->axis, joint->at) > least;
    case TRX_JOINT_BALL: return moment_about(sum, NULL, joint->at) > least;
    case TRX_JOINT_PLANAR: return sum->mass > 0 && moment_about(sum, z, sum->com) > least;
    case TRX_JOINT_FREE: return sum->mass > 0 && moment_about(sum, NULL, sum->com) > least;
    }
    return true;
}

// sums a body and its descendants; joints are at their references
static moved with_body(const moved *hanging, const trxi_draft_body_item *body)
{
    const trx_pose identity = trx_pose_identity();
    moved all = *hanging;
    if (body->def.has_inertia) add_inertia(&all.sum, &body->def.inertia, &identity);
    all.weighed |= is_weighed(body);
    return all;
}

static void hang(moved *parent, const moved *all, const trxi_draft_body_item *body)
{
    add_inertia(&parent->sum, &all->sum, &body->def.pose);
    parent->articulated |= all->articulated || body->joints.count > 0;
    parent->weighed |= all->weighed;
}

static bool all_resist(const trxi_draft_body_item *body, const moved *what)
{
    for (int k = 0; k < body->joints.count; k++)
        if (!resists(body->joints.items[k], what)) return false;
    return true;
}

static void report_massless(trxi_draft *draft, const trxi_draft_body_item *body, const trx_body_inertia *sum)
{
    double moments[3];
    trxi_tensor_principal(sum->tensor, moments, NULL);
    trxi_error_at(draft->context, body->def.has_inertia ? body->def.inertia_source : body->def.source,
                  "'%.100s' can move without moving inertia: with all that hangs on it, mass %g kg and principal moments "
                  "%.6g, %.6g, %.6g kg m^2; give it an inertia, fix it to its parent, or write repair_inertia: bound%s",
                  body->def.name, sum->mass, moments[0], moments[1], moments[2],
                  sum->mass > 0 ? " or from_geometry" : "");
}

void trxi_draft_judge_given_inertias(trxi_draft *draft)
{
    for (int i = 0; i < draft->bodies.count && draft->memory; i++) judge_possible(draft, draft->bodies.items[i]);
}

static void judge_massless(trxi_draft *draft)
{
    // children first, so that the descendants of a body are already known and repaired
    moved *hanging = TRXI_DRAFT_TAKE(draft, moved, draft->bodies.count + 1);
    for (int i = draft->bodies.count - 1; hanging && i >= 0; i--) {
        trxi_draft_body_item *body = draft->bodies.items[i];
        moved all = with_body(&hanging[i], body);
        if (!all_resist(body, &all)) {
            bool repaired = repair(draft, body, true);
            if (repaired) all = with_body(&hanging[i], body);
            if (!repaired || !all_resist(body, &all)) report_massless(draft, body, &all.sum);
        }
        if (body->def.parent >= 0) hang(&hanging[body->def.parent], &all, body);
    }
}

void trxi_draft_judge_inertias(trxi_draft *draft)
{
    int errors = trx_context_error_count(draft->context);
    trxi_draft_judge_given_inertias(draft);
    if (trx_context_error_count(draft->context) == errors) judge_massless(draft);
    warn_of_changes(draft);
}
