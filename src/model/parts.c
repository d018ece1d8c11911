// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Meshes that touch as convex parts (theory 1). The definitions are completed before they are compiled: a geometry with a
// mesh and `decompose` keeps its mass and is drawn, but no longer touches. Its parts, which touch and have no mass, follow
// after the geometries of its body; their names are its name, "#" and a number (part_name). Collision, derivatives and drawing
// therefore see only ordinary meshes. Rules for pairs that name the geometry hold for its parts (pairs.c).
//
// Each mesh is divided once for each of its settings, or read from the cache (part_cache.h).

#include "model/build.h"
#include "model/part_cache.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// a mesh with its parts
typedef struct divided {
    const trx_mesh *mesh;
    trx_decomposition settings;
    trxi_convex_parts parts;
    bool failed;
    struct divided *next;
} divided;

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_division(const divided *d, const trx_mesh *mesh, const trx_decomposition *s)
{
    return d->mesh->vertices == mesh->vertices && d->mesh->triangles == mesh->triangles &&
           d->mesh->nvertex == mesh->nvertex && d->mesh->ntriangle == mesh->ntriangle && d->settings.most == s->most &&
           same_number(d->settings.tolerance, s->tolerance) && same_number(d->settings.share, s->share);
}

static void report(trxi_build *build, const trx_geometry_def *geom, const char *body, const divided *d)
{
    const char *name = geom->name ? geom->name : body;
    if (d->parts.excess > d->parts.tolerance)
        trxi_warn_at(build->context, geom->source,
                     "'%s': %d convex parts reach %.3g m out of the mesh, more than the tolerance of %.3g m: allow more parts, "
                     "or a larger tolerance",
                     name, d->parts.npart, d->parts.excess, d->parts.tolerance);
}

// the parts of a geometry's mesh; an error of the mesh is recorded at the first geometry that has it
static trx_status divide(trxi_build *build, divided **all, const trx_geometry_def *geom, const char *body, divided **out)
{
    const trx_mesh *mesh = geom->shape.mesh;
    for (*out = *all; *out && !same_division(*out, mesh, &geom->decompose);) *out = (*out)->next;
    if (*out) return TRX_OK;
    divided *made = TRXI_POOL(build->pool, divided, 1);
    if (!made) return TRX_ERR_MEMORY;
    *made = (divided){.mesh = mesh, .settings = geom->decompose, .next = *all};
    *out = *all = made;
    const trx_status status = trxi_parts_of(build->context, build->pool, mesh, &geom->decompose, &made->parts);
    if (status == TRX_OK) report(build, geom, body, made);
    if (status != TRX_ERR_INPUT) return status;
    made->failed = true;
    char why[256];
    snprintf(why, sizeof why, "%s", trx_context_message(build->context));
    trxi_error_at(build->context, geom->source,
                  "the mesh %s of '%s' has no convex parts: %s: give the geometry another shape, or collide: false",
                  mesh->name ? mesh->name : "", geom->name ? geom->name : body, why);
    return TRX_OK;
}

static bool is_divided(const trx_geometry_def *geom)
{
    return geom->shape.type == TRX_SHAPE_MESH && geom->collide && geom->decompose.most > 0;
}

static trx_geometry_def part_of(const trx_geometry_def *geom, const trx_mesh *part, const char *name)
{
    trx_geometry_def out = *geom;
    out.name = name;
    out.shape.mesh = part;
    out.mass = out.density = NAN;
    out.decompose.most = 0;
    return out;
}

// NAME#N for a geometry NAME. BODY#K#N for a geometry K without a name, and for a geometry with the name of a body, because NAME#N
// is a geometry of that body
static const char *part_name(trxi_build *build, const trx_body_def *body, int k, int number)
{
    const char *name = body->geometry[k].name;
    bool shared = !name;
    for (int i = 0; i < build->def->nbody && !shared; i++) shared = strcmp(build->def->bodies[i].name, name) == 0;
    return shared ? trxi_pool_printf(build->pool, "%s#%d#%d", body->name, k + 1, number)
                  : trxi_pool_printf(build->pool, "%s#%d", name, number);
}

// the body's geometries and then the parts of those that are divided
static trx_status expand_body(trxi_build *build, divided **all, trx_body_def *body, int index)
{
    int count = body->ngeometry;
    divided **parts = TRXI_POOL(build->pool, divided *, body->ngeometry);
    if (!parts) return TRX_ERR_MEMORY;
    for (int k = 0; k < body->ngeometry; k++) {
        if (!is_divided(&body->geometry[k])) continue;
        const trx_status status = divide(build, all, &body->geometry[k], body->name, &parts[k]);
        if (status < 0) return status;
        count += parts[k]->parts.npart;
    }
    if (count == body->ngeometry) return TRX_OK;
    trx_geometry_def *geometry = TRXI_POOL(build->pool, trx_geometry_def, count);
    int *part_index = TRXI_POOL(build->pool, int, count), next = body->ngeometry;
    if (!geometry || !part_index) return TRX_ERR_MEMORY;
    memcpy(geometry, body->geometry, (size_t)body->ngeometry * sizeof *geometry);
    for (int k = 0; k < body->ngeometry; k++) {
        part_index[k] = -1;
        if (!parts[k]) continue;
        const trx_geometry_def *whole = &body->geometry[k];
        geometry[k].collide = parts[k]->failed;
        for (int i = 0; i < parts[k]->parts.npart; i++) {
            const char *name = part_name(build, body, k, i + 1);
            if (!name) return TRX_ERR_MEMORY;
            part_index[next] = k;
            geometry[next++] = part_of(whole, &parts[k]->parts.parts[i], name);
        }
    }
    body->geometry = geometry, body->ngeometry = count;
    build->part_of[index] = part_index;
    return TRX_OK;
}

trx_status trxi_build_parts(trxi_build *build)
{
    bool any = false;
    for (int i = 0; i < build->def->nbody; i++)
        for (int k = 0; k < build->def->bodies[i].ngeometry; k++) any = any || is_divided(&build->def->bodies[i].geometry[k]);
    if (!any) return TRX_OK;
    trx_body_def *bodies = TRXI_POOL(build->pool, trx_body_def, build->def->nbody);
    build->part_of = TRXI_POOL(build->pool, const int *, build->def->nbody);
    if (!bodies || !build->part_of) return TRX_ERR_MEMORY;
    memcpy(bodies, build->def->bodies, (size_t)build->def->nbody * sizeof *bodies);
    const int before = trx_context_error_count(build->context);
    divided *all = NULL;
    for (int i = 0; i < build->def->nbody; i++) {
        const trx_status status = expand_body(build, &all, &bodies[i], i);
        if (status < 0) return status;
    }
    build->expanded = *build->def;
    build->expanded.bodies = bodies;
    build->def = &build->expanded;
    return trx_context_error_count(build->context) > before ? TRX_ERR_INPUT : TRX_OK;
}
