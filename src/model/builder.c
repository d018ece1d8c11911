// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// trx_model_create: definitions in, one constant block out.
//
// The model is compiled in a pool, stage by stage (build.h). Then its sizes are known: one block is measured, carved
// and filled, with a copy of every text, and the pool is released. A model is therefore one allocation and does not
// need the context any more.

#include "model/build.h"
#include "model/parameters.h"

#include <string.h>

// arrays of a model: field, element type, field with the number of elements
#define MODEL_ARRAYS(X)                                                                             \
    X(links, trxi_link, nlink)                                                                      \
    X(bodies, trxi_body, nbody)                                                                     \
    X(joints, trxi_joint, njoint)                                                                   \
    X(geoms, trxi_geom, ngeom)                                                                      \
    X(frames, trxi_frame, nframe)                                                                   \
    X(pairs.runs, trxi_pair_run, pairs.nrun)                                                        \
    X(pairs.rows, int, pairs.nrow)                                                                  \
    X(pair_kinds, trxi_pair_kind, npair_kind)                                                       \
    X(trees, trxi_tree, ntree)                                                                      \
    X(actuators, trxi_actuator, nu)                                                                 \
    X(materials, trx_material_def, nmaterial)                                                       \
    X(constraints, trxi_constraint, nconstraint)                                                    \
    X(prescribed, trxi_prescribed_body, nprescribed)                                                                   \
    X(loads, trxi_load, nload)                                                                      \
    X(drags, trxi_drag, ndrag)                                                                      \
    X(tables, double, ntable)                                                                       \
    X(meshes, trxi_model_mesh, nmesh)                                                               \
    X(lengths, trxi_length, nlength)                                                                \
    X(length_dofs, int, nlength_dof)                                                                \
    X(length_factors, double, nlength_dof)                                                          \
    X(spans, trxi_length_span, nspan)                                                               \
    X(springs, trxi_tendon_spring, nspring)                                                         \
    X(inertias, trx_body_inertia, nbody)                                                            \
    X(path, int, npath)                                                                             \
    X(dof_link, int, nv)                                                                            \
    X(dof_tree, int, nv)                                                                            \
    X(column, ptrdiff_t, nv)                                                                        \
    X(limits, int, nlimit)                                                                          \
    X(damping, double, nv)                                                                          \
    X(stiffness, double, nv)                                                                        \
    X(armature, double, nv)                                                                         \
    X(friction, double, nv)                                                                         \
    X(rest, double, nv)                                                                             \
    X(q_names, const char *, nq)                                                                    \
    X(v_names, const char *, nv)                                                                    \
    X(a_names, const char *, na)

// texts are measured with base NULL, then copied
typedef struct texts {
    char *base;
    size_t used;
} texts;

static void keep(texts *all, const char **text)
{
    if (!*text) return;
    size_t bytes = strlen(*text) + 1;
    if (all->base) *text = memcpy(all->base + all->used, *text, bytes);
    all->used += bytes;
}

static void keep_all(texts *all, trx_model *m)
{
    for (int i = 0; i < m->nbody; i++) keep(all, &m->bodies[i].name), keep(all, &m->bodies[i].source.file);
    for (int i = 0; i < m->njoint; i++) keep(all, &m->joints[i].name), keep(all, &m->joints[i].source.file);
    for (int i = 0; i < m->ngeom; i++) keep(all, &m->geoms[i].name), keep(all, &m->geoms[i].source.file);
    for (int i = 0; i < m->nu; i++) keep(all, &m->actuators[i].name), keep(all, &m->actuators[i].source.file);
    for (int i = 0; i < m->nmaterial; i++) keep(all, &m->materials[i].name), keep(all, &m->materials[i].source.file);
    for (int i = 0; i < m->nconstraint; i++)
        keep(all, &m->constraints[i].name), keep(all, &m->constraints[i].source.file);
    for (int i = 0; i < m->nlength; i++) keep(all, &m->lengths[i].name), keep(all, &m->lengths[i].source.file);
    for (int i = 0; i < m->nload; i++) keep(all, &m->loads[i].source.file);
    for (int i = 0; i < m->nmesh; i++) keep(all, &m->meshes[i].mesh.name);
    for (int i = 0; i < m->nframe; i++) keep(all, &m->frames[i].name);
    for (int i = 0; i < m->nq; i++) keep(all, &m->q_names[i]);
    for (int i = 0; i < m->nv; i++) keep(all, &m->v_names[i]);
    for (int i = 0; i < m->na; i++) keep(all, &m->a_names[i]);
}

// places the arrays of `m`, whose sizes are set, and `bytes` of text; trxi_mesh_views fills the pointers of meshes
static char *layout(trxi_arena *arena, trx_model *m, size_t bytes)
{
#define X(field, type, count) m->field = TRXI_TAKE(arena, type, m->count);
    MODEL_ARRAYS(X)
#undef X
    m->mesh_numbers = TRXI_TAKE(arena, double, m->nmesh_number);
    m->mesh_indices = TRXI_TAKE(arena, int, m->nmesh_index);
    return TRXI_TAKE(arena, char, bytes);
}

static void copy_arrays(const trx_model *from, trx_model *to)
{
#define X(field, type, count)                                                                       \
    if (from->count > 0) memcpy(to->field, from->field, (size_t)from->count * sizeof *from->field);
    MODEL_ARRAYS(X)
#undef X
}

// `laws`: room for this many more pairs with laws of their own
static trx_status freeze(trx_context *context, const trx_model *draft, int laws, trx_model **model)
{
    trx_model measured = *draft;
    measured.pairs.nrun += 2 * laws, measured.npair_kind += laws;
    const trx_model roomy = measured;
    texts all = {0};
    keep_all(&all, &measured);

    trxi_arena arena = {0};
    TRXI_TAKE(&arena, trx_model, 1);
    layout(&arena, &measured, all.used);
    arena.base = trxi_allocate(context, arena.used);
    if (!arena.base) return TRX_ERR_MEMORY;

    arena.used = 0;
    trx_model *made = TRXI_TAKE(&arena, trx_model, 1);
    *made = roomy;
    made->allocator = *trxi_allocator(context);
    all = (texts){.base = layout(&arena, made, all.used)};
    made->pairs.nrun = draft->pairs.nrun, made->npair_kind = draft->npair_kind;
    copy_arrays(draft, made);
    keep_all(&all, made);
    trxi_mesh_views(draft, made);
    *model = made;
    return TRX_OK;
}

trx_status trxi_model_copy(trx_context *context, const trx_model *model, int laws, trx_model **copy)
{
    *copy = NULL;
    return freeze(context, model, laws, copy);
}

static trx_status copy_materials(trxi_build *build)
{
    trx_model *m = &build->model;
    m->nmaterial = build->def->nmaterial;
    m->materials = TRXI_POOL(build->pool, trx_material_def, m->nmaterial);
    if (!m->materials) return TRX_ERR_MEMORY;
    for (int i = 0; i < m->nmaterial; i++) m->materials[i] = build->def->materials[i];
    for (int i = 0; i < 3; i++) m->gravity[i] = build->def->gravity[i];
    return TRX_OK;
}

static trx_status compile(trxi_build *build)
{
    trx_status status = trxi_validate(build);
    if (status < 0 || (status = copy_materials(build)) < 0) return status;
    if ((status = trxi_build_parts(build)) < 0) return status;
    if ((status = trxi_build_links(build)) < 0) return status;
    if ((status = trxi_build_meshes(build)) < 0) return status;
    if ((status = trxi_build_inertia(build)) < 0) return status;
    if ((status = trxi_build_lengths(build)) < 0) return status;
    if ((status = trxi_build_actuators(build)) < 0) return status;
    build->model.nstate = build->model.nq + build->model.nv + build->model.na;
    build->model.ntangent = 2 * build->model.nv + build->model.na;
    if ((status = trxi_build_constraints(build)) < 0) return status;
    if ((status = trxi_build_motion(build)) < 0) return status;
    if ((status = trxi_build_loads(build)) < 0) return status;
    if ((status = trxi_build_drags(build)) < 0) return status;
    if ((status = trxi_build_names(build)) < 0) return status;
    return trxi_build_pairs(build);
}

// counts and pointers that may be wrong in definitions made in code
static trx_status check_arrays(trx_context *context, const trx_model_def *def)
{
    bool usable = def->nbody >= 0 && def->nmaterial >= 0 && def->nactuator >= 0 && def->nexclude >= 0 &&
                  def->nonly >= 0 && def->noverride >= 0 && def->nconstraint >= 0 &&
                  def->nload >= 0 && (def->nload == 0 || def->loads) && def->ntendon >= 0 && (def->ntendon == 0 || def->tendons) &&
                  (def->nconstraint == 0 || def->constraints) && (def->nbody == 0 || def->bodies) &&
                  (def->nmaterial == 0 || def->materials) && (def->nactuator == 0 || def->actuators) &&
                  (def->nexclude == 0 || def->exclude) && (def->nonly == 0 || def->only) &&
                  (def->noverride == 0 || def->overrides);
    for (int i = 0; usable && i < def->nbody; i++) {
        const trx_body_def *body = &def->bodies[i];
        usable = body->njoint >= 0 && body->ngeometry >= 0 && body->nframe >= 0 &&
                 (body->njoint == 0 || body->joints) && (body->ngeometry == 0 || body->geometry) &&
                 (body->nframe == 0 || body->frames);
    }
    for (int i = 0; usable && i < def->ntendon; i++) {
        const trx_tendon_def *tendon = &def->tendons[i];
        usable = tendon->njoint >= 0 && tendon->npoint >= 0 && (tendon->njoint == 0 || tendon->joints) &&
                 (tendon->npoint == 0 || tendon->points);
    }
    return usable ? TRX_OK : trxi_fail(context, TRX_ERR_ARGUMENT, "a count is negative or its array is NULL");
}

trx_status trx_model_create(trx_context *context, const trx_model_def *def, trx_model **model)
{
    if (!context || !model) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    *model = NULL;
    if (!def) return trxi_fail(context, TRX_ERR_ARGUMENT, "no model definition");
    trx_status status = trxi_check_size(context, def->size, sizeof *def, "trx_model_def_default");
    if (status < 0 || (status = check_arrays(context, def)) < 0) return status;

    trxi_build build = {.context = context, .def = def, .pool = trxi_pool_create(context)};
    if (!build.pool) return TRX_ERR_MEMORY;
    status = compile(&build);
    if (status == TRX_OK) status = freeze(context, &build.model, 0, model);
    trxi_pool_destroy(build.pool);
    return status;
}

void trx_model_destroy(trx_model *model)
{
    if (!model) return;
    trx_allocator allocator = model->allocator;
    trxi_release_with(&allocator, model);
}
