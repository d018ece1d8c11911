// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The path of a spatial tendon: sites, pulleys, and, between two sites, spheres or cylinders around which the path wraps.
// The length of the path at the reference configuration is the reference of equalities, and the rest length of a spring without
// springlength.

#include "import/mjcf/mjcf.h"

#include "dynamics/wrap.h"

#include <math.h>
#include <string.h>

// an element of the path, with its pose in the world of the file
typedef struct step {
    trx_tendon_point point;
    trx_pose world;
    double side[3];
} step;

// a site of the file as body and point; the world of the file is at the pose of the import
static bool read_site(const trxi_mjcf_element *e, const char *key, int *body, double at[3], trx_pose *world)
{
    trxi_mjcf *reader = e->reader;
    const int index = trxi_mjcf_refer(e, key, TRXI_MJCF_SITE);
    if (index < 0) return false;
    const trxi_mjcf_site *site = TRXI_MJCF_AT(reader->sites, trxi_mjcf_site, index);
    const trx_pose carrier = trxi_mjcf_world(reader, site->body);
    *body = site->body < 0 ? -1 : TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, site->body)->draft;
    trxi_copy3(site->pose.p, at);
    if (site->body < 0) trxi_pose_point(&trxi_draft_options(reader->draft)->pose, site->pose.p, at);
    *world = trxi_pose_mul(&carrier, &site->pose);
    return true;
}

static bool read_geom(const trxi_mjcf_element *e, step *to)
{
    trxi_mjcf *reader = e->reader;
    trx_pose side;
    const int index = trxi_mjcf_required(e, "geom") ? trxi_mjcf_refer(e, "geom", TRXI_MJCF_GEOM) : -1;
    if (index < 0) return false;
    const trxi_mjcf_geom *geom = index == TRXI_MJCF_LEFT_OUT ? NULL : TRXI_MJCF_AT(reader->geoms, trxi_mjcf_geom, index);
    const trx_geometry_def *def = geom ? trxi_draft_geometry_at(reader->draft, geom->body, geom->index) : NULL;
    if (!def || (def->shape.type != TRX_SHAPE_SPHERE && def->shape.type != TRX_SHAPE_CYLINDER)) {
        trxi_mjcf_error(e, e->node->source, "geom", "a tendon wraps around spheres and cylinders; this geom is neither");
        return false;
    }
    const trx_pose carrier = trxi_mjcf_world(reader, geom->owner);
    to->point.type = def->shape.type == TRX_SHAPE_SPHERE ? TRX_TENDON_SPHERE : TRX_TENDON_CYLINDER;
    to->point.body = geom->body;
    to->point.pose = def->pose;
    to->point.radius = def->shape.radius;
    to->world = trxi_pose_mul(&carrier, &def->pose);
    to->point.has_side = trxi_mjcf_text(e, "sidesite", NULL) != NULL;
    if (!to->point.has_side) return true;
    if (!read_site(e, "sidesite", &to->point.side_body, to->point.side, &side)) return false;
    trxi_copy3(side.p, to->side);
    return true;
}

static bool read_step(trxi_mjcf *reader, trxi_xml_node *node, step *to)
{
    trxi_mjcf_element e = trxi_mjcf_plain(reader, node);
    *to = (step){.point = {.pose = trx_pose_identity(), .body = -1, .side_body = -1}, .world = trx_pose_identity()};
    if (strcmp(node->name, "site") == 0)
        return trxi_mjcf_required(&e, "site") && read_site(&e, "site", &to->point.body, to->point.pose.p, &to->world);
    if (strcmp(node->name, "geom") == 0) return read_geom(&e, to);
    to->point.type = TRX_TENDON_PULLEY;
    to->point.divisor = trxi_mjcf_number(&e, "divisor", 1);
    if (to->point.divisor > 0) return true;
    trxi_mjcf_error(&e, node->source, "divisor", "divisor of this pulley is %g; it must be positive", to->point.divisor);
    return false;
}

static double span_length(const step *from, const step *around, const step *to)
{
    double x[6], side[3], R[9], arm[3];
    trxi_wrap wrap;
    if (!around) {
        trxi_copy3(from->world.p, x);
        trxi_copy3(to->world.p, x + 3);
        trxi_wrap_straight(x, &wrap);
        return wrap.length;
    }
    const double *points[] = {from->world.p, to->world.p, around->side};
    double *out[] = {x, x + 3, side};
    trxi_quat_to_matrix(around->world.quat, R);
    for (int i = 0; i < 3; i++) {
        trxi_sub3(points[i], around->world.p, arm);
        trxi_mulv3_t(R, arm, out[i]);
    }
    trxi_wrap_around(around->point.type, around->point.radius, x, around->point.has_side ? side : NULL, &wrap);
    return wrap.length;
}

// whether each branch begins and ends with a site, and each geom lies between two; reports what is wrong
static bool check_order(const trxi_mjcf_element *e, const step *steps, int count)
{
    for (int i = 0, sites = 0; i <= count; i++) {
        const bool end = i == count || steps[i].point.type == TRX_TENDON_PULLEY;
        const bool site = !end && steps[i].point.type == TRX_TENDON_SITE;
        const bool after = i > 0 && steps[i - 1].point.type == TRX_TENDON_SITE;
        const bool leading = end && i == 0 && count > 0;
        if ((end && !leading && (sites < 2 || !after)) || (!end && !site && !after)) {
            trxi_error_at(e->reader->context, e->node->source,
                          "each branch of a spatial tendon begins and ends with a site and has two; a geom lies between two sites");
            return false;
        }
        sites = end ? 0 : sites + site;
    }
    return true;
}

bool trxi_mjcf_read_path(const trxi_mjcf_element *e, trxi_mjcf_tendon *tendon, trx_tendon_def *def)
{
    trxi_draft *draft = e->reader->draft;
    step *steps = TRXI_DRAFT_TAKE(draft, step, e->node->count + 1);
    trx_tendon_point *points = TRXI_DRAFT_TAKE(draft, trx_tendon_point, e->node->count + 1);
    int count = 0;
    if (!steps || !points) return false;
    for (int i = 0; i < e->node->count; i++) {
        const char *name = e->node->items[i]->name;
        if (strcmp(name, "site") != 0 && strcmp(name, "geom") != 0 && strcmp(name, "pulley") != 0) continue;
        if (!read_step(e->reader, e->node->items[i], &steps[count])) return false;
        points[count] = steps[count].point;
        count++;
    }
    if (!check_order(e, steps, count)) return false;
    double scale = 1;
    for (int i = 0; i + 1 < count; i++) {
        const step *next = &steps[i + 1];
        if (points[i].type == TRX_TENDON_PULLEY) scale = 1 / points[i].divisor;
        if (points[i].type != TRX_TENDON_SITE || next->point.type == TRX_TENDON_PULLEY) continue;
        const bool straight = next->point.type == TRX_TENDON_SITE;
        tendon->reference += scale * span_length(&steps[i], straight ? NULL : next, straight ? next : next + 1);
    }
    def->points = points;
    def->npoint = count;
    return true;
}
