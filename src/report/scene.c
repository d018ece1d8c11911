// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// scene.json: what the player draws (docs/run_folder.md). Bodies with their geometry, the pose of every body at
// every knot, and the goals that are poses of bodies. Poses are rounded to 1e-9, which halves the file and cannot be
// seen; trajectory.csv has all digits.

#include "report/run.h"

#include "formats/json.h"

#include <math.h>
#include <string.h>

static double rounded(double x)
{
    return fabs(x) < 1e5 ? round(x * 1e9) / 1e9 : x;
}

static void put_xyz_quat(trxi_json *json, const trx_pose *pose)
{
    trxi_json_begin_object(json);
    trxi_json_put_numbers(json, "xyz", pose->p, 3);
    trxi_json_put_numbers(json, "quat", pose->quat, 4);
    trxi_json_end_object(json);
}

static void write_geometry(trxi_json *json, const trx_geom_info *geom)
{
    const trx_shape *shape = &geom->shape;
    trxi_json_begin_object(json);
    trxi_json_put_string(json, "name", geom->name);
    trxi_json_put_string(json, "shape", trx_shape_name(shape->type));
    if (shape->type == TRX_SHAPE_BOX) trxi_json_put_numbers(json, "size", shape->size, 3);
    bool round_shape = shape->type == TRX_SHAPE_SPHERE || shape->type == TRX_SHAPE_CAPSULE;
    if (round_shape || shape->type == TRX_SHAPE_CYLINDER) trxi_json_put_number(json, "radius", shape->radius);
    if (shape->type == TRX_SHAPE_CAPSULE || shape->type == TRX_SHAPE_CYLINDER)
        trxi_json_put_number(json, "length", shape->length);
    trxi_json_key(json, "pose");
    put_xyz_quat(json, &geom->pose);
    if (geom->has_color) trxi_json_put_numbers(json, "color", geom->color, 4);
    trxi_json_put_bool(json, "collide", geom->collide);
    trxi_json_end_object(json);
}

static void write_bodies(trxi_json *json, const trx_run *run)
{
    trxi_json_key(json, "bodies");
    trxi_json_begin_array(json);
    for (int b = 0; b < run->size.nbody; b++) {
        trx_body_info body = trx_model_body(run->model, b);
        trxi_json_begin_object(json);
        trxi_json_put_string(json, "name", body.name);
        trxi_json_put_string(json, "parent", body.parent < 0 ? "world" : trx_model_body_name(run->model, body.parent));
        trxi_json_key(json, "geometry");
        trxi_json_begin_array(json);
        for (int g = body.first_geom; g < body.first_geom + body.ngeom; g++) {
            trx_geom_info geom = trx_model_geom(run->model, g);
            write_geometry(json, &geom);
        }
        trxi_json_end_array(json);
        trxi_json_end_object(json);
    }
    trxi_json_end_array(json);
}

static void write_poses(trxi_json *json, const trx_run *run, trx_pose *poses)
{
    size_t nx = (size_t)(run->size.nq + run->size.nv);
    trxi_json_key(json, "poses");
    trxi_json_begin_array(json);
    for (int k = 0; k <= run->steps; k++) {
        trx_model_body_poses(run->model, run->x + nx * (size_t)k, poses);
        trxi_json_begin_array(json);
        for (int b = 0; b < run->size.nbody; b++) {
            const double *p = poses[b].p, *quat = poses[b].quat;
            double row[7] = {p[0], p[1], p[2], quat[0], quat[1], quat[2], quat[3]};
            for (int i = 0; i < 7; i++) row[i] = rounded(row[i]);
            trxi_json_numbers(json, row, 7);
        }
        trxi_json_end_array(json);
    }
    trxi_json_end_array(json);
}

// the target of a term at the last knot; NULL stands for zero or identity
static const double *last_target(const trx_cost_term *term, int steps)
{
    if (!term->target || term->target_stride == 0) return term->target;
    int knot = term->time == TRX_RUNNING ? steps - 1 : steps;
    return term->target + (size_t)term->target_stride * (size_t)knot;
}

static bool is_pose_goal(const trx_cost_term *term, int body, trx_quantity quantity)
{
    bool aims = term->tolerance > 0 || term->time != TRX_RUNNING;
    return aims && term->quantity == quantity && term->index == body;
}

// position and orientation asked of one body, together; a component without weight is null
static void write_goal(trxi_json *json, const trx_run *run, const trx_plan_problem *problem, int body)
{
    const trx_cost_term *position = NULL, *orientation = NULL;
    for (int i = 0; i < problem->nterm; i++) {
        if (is_pose_goal(&problem->terms[i], body, TRX_BODY_POSITION)) position = &problem->terms[i];
        if (is_pose_goal(&problem->terms[i], body, TRX_BODY_ORIENTATION)) orientation = &problem->terms[i];
    }
    if (!position && !orientation) return;

    trxi_json_begin_object(json);
    trxi_json_put_string(json, "body", trx_model_body_name(run->model, body));
    if (position) {
        const double *target = last_target(position, problem->steps);
        double xyz[3];
        for (int i = 0; i < 3; i++) xyz[i] = position->weight[i] > 0 ? (target ? target[i] : 0) : NAN;
        trxi_json_put_numbers(json, "xyz", xyz, 3);
    }
    if (orientation) {
        const double identity[4] = {1, 0, 0, 0}, *target = last_target(orientation, problem->steps);
        trxi_json_put_numbers(json, "quat", target ? target : identity, 4);
    }
    trxi_json_end_object(json);
}

static void write_goals(trxi_json *json, const trx_run *run)
{
    trxi_json_key(json, "goals");
    trxi_json_begin_array(json);
    trx_plan_problem problem = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    if (run->ngoal > 0 && trx_problem_plan(run->problem, &problem, &settings) >= 0)
        for (int b = 0; b < run->size.nbody; b++) write_goal(json, run, &problem, b);
    trxi_json_end_array(json);
}

trx_status trxi_write_scene(const trx_run *run, trxi_text *out)
{
    trx_pose *poses = TRXI_POOL(run->pool, trx_pose, run->size.nbody + 1);
    double *t = TRXI_POOL(run->pool, double, run->steps + 1);
    if (!poses || !t) return TRX_ERR_MEMORY;
    for (int k = 0; k <= run->steps; k++) t[k] = rounded(k * run->time_step);
    double gravity[3];
    trx_model_gravity(run->model, gravity);

    trxi_json json = trxi_json_create(out, 1);
    trxi_json_begin_object(&json);
    trxi_json_put_string(&json, "title", trx_problem_title(run->problem));
    trxi_json_put_numbers(&json, "gravity", gravity, 3);
    write_bodies(&json, run);
    write_goals(&json, run);
    trxi_json_put_numbers(&json, "times", t, run->steps + 1);
    write_poses(&json, run, poses);
    trxi_json_end_object(&json);
    trxi_text_char(out, '\n');
    return out->status;
}
