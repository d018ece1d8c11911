// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Meshes of the definitions become part of the model: each once, with its hull, the contact shape (theory 1). A
// geometry that collides is placed at the centre of its hull; its `pose` remains the pose of the mesh. The mesh of a height
// field is its contact shape.

#include "geometry/mesh.h"
#include "model/build.h"

#include <math.h>
#include <string.h>

// index of the mesh in the model, appended when it is new
static int find_mesh(trxi_build *build, const trx_mesh *mesh)
{
    trx_model *m = &build->model;
    for (int i = 0; i < m->nmesh; i++) {
        const trx_mesh *known = &m->meshes[i].mesh;
        bool same = known->vertices == mesh->vertices && known->triangles == mesh->triangles;
        if (same && known->nvertex == mesh->nvertex && known->ntriangle == mesh->ntriangle) return i;
    }
    m->meshes[m->nmesh] = (trxi_model_mesh){.mesh = *mesh, .fill = NAN};
    m->nmesh_number += 3 * mesh->nvertex;
    m->nmesh_index += 3 * mesh->ntriangle;
    return m->nmesh++;
}

static trx_status make_hull(trxi_build *build, const trxi_geom *geom)
{
    trx_model *m = &build->model;
    trxi_model_mesh *own = &m->meshes[geom->mesh];
    if (own->has_hull) return TRX_OK;
    const trxi_hull *hull;
    trx_status status = trxi_hull_create(build->context, build->pool, &own->mesh, &hull);
    if (status < 0) {
        if (status == TRX_ERR_INPUT)
            trxi_error_at(build->context, geom->source,
                          "the mesh %s of '%s' has no convex hull (its vertices lie in one plane, or are too few): give the "
                          "geometry another shape, or collide: false",
                          own->mesh.name ? own->mesh.name : "", m->bodies[geom->body].name);
        return status;
    }
    trxi_mesh_integrals solid;
    trxi_mesh_integrate(&own->mesh, &solid);
    own->fill = solid.closed ? fabs(solid.volume) / hull->volume : NAN;
    own->hull = *hull;
    own->has_hull = true;
    m->nmesh_number += 3 * hull->nvertex + 4 * hull->nface;
    m->nmesh_index += hull->nface + 1 + hull->nloop + hull->nvertex + 1 + hull->nneighbour;
    return TRX_OK;
}

void trxi_mesh_centre(trxi_geom *geom)
{
    if (geom->shape.type != TRX_SHAPE_MESH || !geom->collide) return;
    double shift[3];
    trxi_mulv3(geom->R_LG, geom->shape.hull->centre, shift);
    trxi_add3(geom->p_LG, shift, geom->p_LG);
}

trx_status trxi_build_meshes(trxi_build *build)
{
    trx_model *m = &build->model;
    m->meshes = TRXI_POOL(build->pool, trxi_model_mesh, m->ngeom);
    if (!m->meshes) return TRX_ERR_MEMORY;
    trx_status result = TRX_OK;
    for (int i = 0; i < m->ngeom; i++) {
        trxi_geom *geom = &m->geoms[i];
        if (geom->shape.type != TRX_SHAPE_MESH && geom->shape.type != TRX_SHAPE_HEIGHT_FIELD) continue;
        geom->mesh = find_mesh(build, geom->shape.mesh);
        geom->shape.mesh = &m->meshes[geom->mesh].mesh;
        if (!geom->collide || geom->shape.type != TRX_SHAPE_MESH) continue;
        trx_status status = make_hull(build, geom);
        if (status < 0 && status != TRX_ERR_INPUT) return status;
        if (status < 0) {
            result = status;
            continue;
        }
        geom->shape.hull = &m->meshes[geom->mesh].hull;
        trxi_mesh_centre(geom);
    }
    return result;
}

// copies `count` elements to `*place` and advances it
static const double *keep_numbers(double **place, const double *from, int count)
{
    double *kept = *place;
    memcpy(kept, from, (size_t)count * sizeof *kept);
    *place += count;
    return kept;
}

static const int *keep_indices(int **place, const int *from, int count)
{
    int *kept = *place;
    memcpy(kept, from, (size_t)count * sizeof *kept);
    *place += count;
    return kept;
}

void trxi_mesh_views(const trx_model *draft, trx_model *made)
{
    double *numbers = made->mesh_numbers;
    int *indices = made->mesh_indices;
    for (int i = 0; i < made->nmesh; i++) {
        const trxi_model_mesh *from = &draft->meshes[i];
        trxi_model_mesh *to = &made->meshes[i];
        to->mesh.vertices = keep_numbers(&numbers, from->mesh.vertices, 3 * from->mesh.nvertex);
        to->mesh.triangles = keep_indices(&indices, from->mesh.triangles, 3 * from->mesh.ntriangle);
        if (!from->has_hull) continue;
        const trxi_hull *hull = &from->hull;
        to->hull.vertices = keep_numbers(&numbers, hull->vertices, 3 * hull->nvertex);
        to->hull.faces = keep_numbers(&numbers, hull->faces, 4 * hull->nface);
        to->hull.face_start = keep_indices(&indices, hull->face_start, hull->nface + 1);
        to->hull.loops = keep_indices(&indices, hull->loops, hull->nloop);
        to->hull.neighbour_start = keep_indices(&indices, hull->neighbour_start, hull->nvertex + 1);
        to->hull.neighbours = keep_indices(&indices, hull->neighbours, hull->nneighbour);
    }
    for (int i = 0; i < made->ngeom; i++) {
        trxi_geom *geom = &made->geoms[i];
        if (geom->mesh < 0) continue;
        geom->shape.mesh = &made->meshes[geom->mesh].mesh;
        geom->shape.hull = made->meshes[geom->mesh].has_hull && geom->collide ? &made->meshes[geom->mesh].hull : NULL;
    }
}
