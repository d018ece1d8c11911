// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Mass, centre of mass and inertia: given for a body or summed over its geometries' uniform solids, validated, and
// summed into the links.
//
// A tensor belongs to a distribution of positive mass when its principal moments satisfy I1 + I2 >= I3 (which
// implies that none is negative). Moments move between frames by the parallel axis theorem,
//
//     I_about(o) = R I R^T + m (|d|^2 1 - d d^T),     d: from o to the centre of mass

#include "geometry/shape.h"
#include "math/rotation.h"
#include "math/tensor.h"
#include "model/build.h"
#include "model/parameters.h"

#include <string.h>

static void check_tensor(trx_context *context, const trx_body_def *body)
{
    double moments[3];
    trxi_tensor_principal(body->inertia.tensor, moments, NULL);
    if (trxi_moments_possible(moments)) return;
    if (moments[0] < 0)
        trxi_error_at(context, body->inertia_source,
                      "body '%s': the inertia tensor has a negative principal moment (%.6g, %.6g, %.6g kg m^2); it "
                      "is taken about the centre of mass: check signs and products of inertia",
                      body->name, moments[0], moments[1], moments[2]);
    else
        trxi_error_at(context, body->inertia_source,
                      "body '%s': no solid has the principal moments %.6g, %.6g, %.6g kg m^2: the two smaller ones "
                      "must add up to at least the largest",
                      body->name, moments[0], moments[1], moments[2]);
}

static void check_body_inertia(trx_context *context, const trx_body_def *body)
{
    const trx_body_inertia *in = &body->inertia;
    bool finite = isfinite(in->mass);
    for (int i = 0; i < 3; i++) finite &= isfinite(in->com[i]) != 0;
    for (int i = 0; i < 6; i++) finite &= isfinite(in->tensor[i]) != 0;
    if (!finite)
        trxi_error_at(context, body->inertia_source, "body '%s': the inertia is not finite", body->name);
    else if (in->mass < 0)
        trxi_error_at(context, body->inertia_source, "body '%s': mass is %g kg; it must not be negative", body->name,
                      in->mass);
    else
        check_tensor(context, body);
}

static void check_geometry_mass(trx_context *context, const trx_body_def *body, const trx_geometry_def *geom)
{
    bool mass = !isnan(geom->mass), density = !isnan(geom->density);
    if (!mass && !density) return;
    if (mass && density)
        trxi_error_at(context, geom->source, "give either mass or density of a geometry of body '%s', not both",
                      body->name);
    else if (body->has_inertia)
        trxi_error_at(context, body->inertia_source,
                      "body '%s' has an inertia and a geometry with %s; give one of the two", body->name,
                      mass ? "mass" : "density");
    else if (geom->shape.type == TRX_SHAPE_HALFSPACE || geom->shape.type == TRX_SHAPE_HEIGHT_FIELD)
        trxi_error_at(context, geom->source, "a %s has no finite mass: remove %s and give body '%s' an inertia",
                      trx_shape_name(geom->shape.type), mass ? "mass" : "density", body->name);
    else if (!(mass ? geom->mass >= 0 && isfinite(geom->mass) : geom->density >= 0 && isfinite(geom->density)))
        trxi_error_at(context, geom->source, "%s of a geometry of body '%s' is %g; it must not be negative",
                      mass ? "mass" : "density", body->name, mass ? geom->mass : geom->density);
}

void trxi_validate_inertia(trxi_build *build)
{
    for (int i = 0; i < build->def->nbody; i++) {
        const trx_body_def *body = &build->def->bodies[i];
        if (body->has_inertia) check_body_inertia(build->context, body);
        for (int k = 0; k < body->ngeometry; k++) check_geometry_mass(build->context, body, &body->geometry[k]);
    }
}

static double solid_mass(const trx_geometry_def *geom)
{
    if (!isnan(geom->mass)) return geom->mass;
    return isnan(geom->density) ? 0 : geom->density * trxi_shape_volume(&geom->shape);
}

// centre of mass in the body frame, tensor about it in the axes R of the shape
static void solid_inertia(const trx_geometry_def *geom, double mass, double R[9], double com[3], double tensor[6])
{
    double quat[4], local[3];
    memcpy(quat, geom->pose.quat, sizeof quat);
    trxi_quat_normalize(quat);
    trxi_quat_to_matrix(quat, R);
    trxi_shape_inertia(&geom->shape, mass, local, tensor);
    trxi_mulv3(R, local, com);
    trxi_add3(com, geom->pose.p, com);
}

static trx_body_inertia body_inertia(const trx_body_def *body)
{
    if (body->has_inertia) return body->inertia;

    // centre of mass first, because the moments are about it
    trx_body_inertia sum = {0};
    for (int k = 0; k < body->ngeometry; k++) {
        double R[9], com[3], tensor[6], mass = solid_mass(&body->geometry[k]);
        if (mass == 0) continue;
        solid_inertia(&body->geometry[k], mass, R, com, tensor);
        sum.mass += mass;
        trxi_axpy3(mass, com, sum.com);
    }
    if (sum.mass > 0) trxi_scale3(1 / sum.mass, sum.com, sum.com);

    for (int k = 0; k < body->ngeometry; k++) {
        const trx_geometry_def *geom = &body->geometry[k];
        double mass = solid_mass(geom), R[9], com[3], d[3], tensor[6];
        if (mass == 0) continue;
        solid_inertia(geom, mass, R, com, tensor);
        trxi_sub3(com, sum.com, d);
        trxi_tensor_add(tensor, R, mass, d, sum.tensor);
    }
    return sum;
}

static void body_com_in_link(const trxi_body *body, const trx_body_inertia *inertia, double com[3])
{
    trxi_mulv3(body->R_LB, inertia->com, com);
    trxi_add3(com, body->p_LB, com);
}

// masses and first moments, summed into com
static void add_mass(trx_model *m, trxi_body *body, const trx_body_inertia *inertia)
{
    body->mass = inertia->mass;
    m->mass += inertia->mass;
    if (body->link < 0) return;

    trxi_link *link = &m->links[body->link];
    double com[3];
    body_com_in_link(body, inertia, com);
    link->mass += inertia->mass;
    trxi_axpy3(inertia->mass, com, link->com);
    if (body->gravity) {
        link->gravity_mass += inertia->mass;
        trxi_axpy3(inertia->mass, com, link->gravity_moment);
    }
}

// the first link from the root of a tree that has inertia or not exactly one child (the links before it: slides in series)
static int reference_link(const trx_model *m, const trxi_tree *tree)
{
    int last = tree->first_link + tree->nlink - 1, reference = tree->first_link;
    while (reference < last && m->links[reference].massless) {
        int children = 0;
        for (int i = reference + 1; i <= last; i++) children += m->links[i].parent == reference;
        if (children != 1) break;
        reference++;
    }
    return reference;
}

static void finish_links(trx_model *m)
{
    for (int i = 0; i < m->nlink; i++) {
        trxi_link *link = &m->links[i];
        link->massless = link->mass == 0;
        for (int k = 0; k < 6; k++) link->massless &= link->inertia[k] == 0;
    }
    for (int t = 0; t < m->ntree; t++) m->trees[t].reference = reference_link(m, &m->trees[t]);
}

void trxi_model_sum_inertia(trx_model *m)
{
    m->mass = 0;
    for (int i = 0; i < m->nlink; i++) {
        trxi_link *link = &m->links[i];
        link->mass = link->gravity_mass = 0;
        trxi_zero3(link->com);
        trxi_zero3(link->gravity_moment);
        for (int k = 0; k < 6; k++) link->inertia[k] = 0;
    }
    for (int i = 0; i < m->nbody; i++) add_mass(m, &m->bodies[i], &m->inertias[i]);
    for (int i = 0; i < m->nlink; i++)
        if (m->links[i].mass > 0) trxi_scale3(1 / m->links[i].mass, m->links[i].com, m->links[i].com);

    // moments about the link's centre of mass
    for (int i = 0; i < m->nbody; i++) {
        const trxi_body *body = &m->bodies[i];
        if (body->link < 0) continue;
        trxi_link *link = &m->links[body->link];
        const trx_body_inertia *inertia = &m->inertias[i];
        double com[3], d[3];
        body_com_in_link(body, inertia, com);
        trxi_sub3(com, link->com, d);
        trxi_tensor_add(inertia->tensor, body->R_LB, inertia->mass, d, link->inertia);
    }
    finish_links(m);
}

trx_status trxi_build_inertia(trxi_build *build)
{
    trx_model *m = &build->model;
    m->inertias = TRXI_POOL(build->pool, trx_body_inertia, m->nbody);
    if (!m->inertias) return TRX_ERR_MEMORY;
    for (int i = 0; i < m->nbody; i++) m->inertias[i] = body_inertia(&build->def->bodies[i]);
    trxi_model_sum_inertia(m);
    for (int i = 0; i < m->ngeom; i++) m->geoms[i].radius = trxi_shape_bounding_radius(&m->geoms[i].shape);
    return TRX_OK;
}
