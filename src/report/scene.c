// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// scene.json: input of the player (docs/run_folder.md). Bodies with their geometry and meshes, the pose of every
// body at every frame, goals that are poses of bodies, limits of joints and controls, forces of drives and of joint
// limits. A frame is a knot that is shown (frames.h); `every` is the distance of frames. Poses are rounded to 1e-9
// m and vertices to 1e-5 m, which shortens the file without visible effect; trajectory.csv has all digits.

#include "report/run.h"

#include "formats/json.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
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

// `whole`: the name of the geometry whose part this is, NULL: none
static void write_geometry(trxi_json *json, const trx_geom_info *geom, int mesh, const char *whole)
{
    const trx_shape *shape = &geom->shape;
    trxi_json_begin_object(json);
    trxi_json_put_string(json, "name", geom->name);
    trxi_json_put_string(json, "shape", trx_shape_name(shape->type));
    if (shape->type == TRX_SHAPE_BOX || shape->type == TRX_SHAPE_ELLIPSOID)
        trxi_json_put_numbers(json, "size", shape->size, 3);
    if (mesh >= 0) trxi_json_put_int(json, "mesh", mesh);
    if (shape->rounding > 0) trxi_json_put_number(json, "rounding", shape->rounding);
    bool round_shape = shape->type == TRX_SHAPE_SPHERE || shape->type == TRX_SHAPE_CAPSULE;
    if (round_shape || shape->type == TRX_SHAPE_CYLINDER) trxi_json_put_number(json, "radius", shape->radius);
    if (shape->type == TRX_SHAPE_CAPSULE || shape->type == TRX_SHAPE_CYLINDER)
        trxi_json_put_number(json, "length", shape->length);
    trxi_json_key(json, "pose");
    put_xyz_quat(json, &geom->pose);
    if (geom->has_color) trxi_json_put_numbers(json, "color", geom->color, 4);
    trxi_json_put_bool(json, "collide", geom->collide);
    if (whole) trxi_json_put_string(json, "part_of", whole);
    trxi_json_end_object(json);
}

static void write_bodies(trxi_json *json, const trx_run *run)
{
    trxi_json_put_array(json, "bodies");
    for (int b = 0; trxi_json_next_object(json, b, run->size.nbody); b++) {
        trx_body_info body = trx_model_body(run->model, b);
        trxi_json_put_string(json, "name", body.name);
        trxi_json_put_string(json, "parent", body.parent < 0 ? "world" : trx_model_body_name(run->model, body.parent));
        trxi_json_put_array(json, "geometry");
        for (int g = body.first_geom; g < body.first_geom + body.ngeom; g++) {
            trx_geom_info geom = trx_model_geom(run->model, g);
            write_geometry(json, &geom, run->model->geoms[g].mesh, trx_model_geom_name(run->model, geom.part_of));
        }
        trxi_json_end_array(json);
    }
}

// vertices and triangles, each as one list
static void write_meshes(trxi_json *json, const trx_run *run)
{
    trxi_json_put_array(json, "meshes");
    for (int i = 0; trxi_json_next_object(json, i, run->model->nmesh); i++) {
        const trx_mesh *mesh = &run->model->meshes[i].mesh;
        trxi_json_put_array(json, "vertices");
        for (int k = 0; k < 3 * mesh->nvertex; k++) trxi_json_number(json, round(mesh->vertices[k] * 1e5) / 1e5);
        trxi_json_end_array(json);
        trxi_json_put_array(json, "triangles");
        for (int k = 0; k < 3 * mesh->ntriangle; k++) trxi_json_int(json, mesh->triangles[k]);
        trxi_json_end_array(json);
    }
}

static void put_limits(trxi_json *json, const char *prefix, const char *name, double lower, double upper)
{
    if (!isfinite(lower) && !isfinite(upper)) return;
    const double ends[2] = {lower, upper};
    char key[512];
    snprintf(key, sizeof key, "%s%.500s", prefix, name);
    trxi_json_put_numbers(json, key, ends, 2);
}

// by column of trajectory.csv: [lower, upper], null without a limit
static void write_limits(trxi_json *json, const trx_run *run)
{
    trxi_json_put_object(json, "limits");
    for (int i = 0; i < run->size.njoint; i++) {
        trx_joint_info joint = trx_model_joint(run->model, i);
        put_limits(json, "", joint.name, joint.lower, joint.upper);
    }
    for (int i = 0; i < run->size.nu; i++) {
        trx_actuator_info actuator = trx_model_actuator(run->model, i);
        put_limits(json, "u.", actuator.name, actuator.lower, actuator.upper);
    }
    trxi_json_end_object(json);
}

// one value per frame except the last, from a table with `stride` columns, rounded to 1e-6
static void put_series(trxi_json *json, const trx_run *run, const char *name, const double *column, int stride)
{
    trxi_json_put_string(json, "name", name);
    trxi_json_put_array(json, "values");
    for (int k = 0; k + 1 < run->frames.count; k++)
        trxi_json_number(json, round(column[(size_t)k * (size_t)stride] * 1e6) / 1e6);
    trxi_json_end_array(json);
}

// forces of actuators with gains kp or kd
static void write_drives(trxi_json *json, const trx_run *run)
{
    trxi_json_put_array(json, "drives");
    for (int i = 0; i < run->size.nu; i++) {
        trx_actuator_info actuator = trx_model_actuator(run->model, i);
        if (actuator.kp == 0 && actuator.kd == 0) continue;
        const double effort[2] = {actuator.effort_lower, actuator.effort_upper};
        trxi_json_begin_object(json);
        put_series(json, run, actuator.name, run->frames.drive_force + i, run->size.nu);
        if (isfinite(effort[0]) || isfinite(effort[1])) trxi_json_put_numbers(json, "effort", effort, 2);
        trxi_json_end_object(json);
    }
    trxi_json_end_array(json);
}

// forces of the limits that a joint reached
static void write_limit_forces(trxi_json *json, const trx_run *run)
{
    trxi_json_put_array(json, "limit_forces");
    for (int i = 0; i < run->size.njoint; i++) {
        const double *column = run->frames.limit_force + i;
        bool any = false;
        for (int k = 0; k + 1 < run->frames.count; k++) any = any || column[(size_t)k * (size_t)run->size.njoint] != 0;
        if (!any) continue;
        trxi_json_begin_object(json);
        put_series(json, run, trx_model_joint_name(run->model, i), column, run->size.njoint);
        trxi_json_end_object(json);
    }
    trxi_json_end_array(json);
}

static void write_poses(trxi_json *json, const trx_run *run, trx_pose *poses)
{
    size_t nx = (size_t)run->size.nstate;
    trxi_json_put_array(json, "poses");
    for (int k = 0; k < run->frames.count; k++) {
        double time = run->frames.knots[k] * run->time_step;
        trx_model_body_poses_at(run->model, run->frames.x + nx * (size_t)k, time, poses);
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

static const double *last_weight(const trx_cost_term *term, int steps)
{
    int knot = term->time == TRX_RUNNING ? steps - 1 : steps;
    return term->weight + (size_t)term->weight_stride * (size_t)knot;
}

static bool is_pose_goal(const trx_cost_term *term, int body, trx_quantity quantity)
{
    bool aims = term->tolerance > 0 || term->time != TRX_RUNNING;
    return aims && term->quantity == quantity && term->index == body;
}

// target position and orientation of one body; components without weight are null
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
        const double *target = last_target(position, problem->steps), *weight = last_weight(position, problem->steps);
        double xyz[3];
        for (int i = 0; i < 3; i++) xyz[i] = weight[i] > 0 ? (target ? target[i] : 0) : NAN;
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
    trxi_json_put_array(json, "goals");
    trx_plan_problem problem = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    if (run->ngoal > 0 && trx_problem_plan(run->problem, &problem, &settings) >= 0)
        for (int b = 0; b < run->size.nbody; b++) write_goal(json, run, &problem, b);
    trxi_json_end_array(json);
}

trx_status trxi_write_scene(const trx_run *run, trxi_text *out)
{
    trx_pose *poses = TRXI_POOL(run->pool, trx_pose, run->size.nbody + 1);
    double *t = TRXI_POOL(run->pool, double, run->frames.count + 1);
    if (!poses || !t) return TRX_ERR_MEMORY;
    for (int k = 0; k < run->frames.count; k++) t[k] = rounded(run->frames.knots[k] * run->time_step);
    double gravity[3];
    trx_model_gravity(run->model, gravity);

    trxi_json json = trxi_json_create(out, 1);
    trxi_json_begin_object(&json);
    trxi_json_put_string(&json, "title", trx_problem_title(run->problem));
    trxi_json_put_numbers(&json, "gravity", gravity, 3);
    write_bodies(&json, run);
    write_meshes(&json, run);
    write_goals(&json, run);
    write_limits(&json, run);
    write_drives(&json, run);
    write_limit_forces(&json, run);
    trxi_json_put_int(&json, "every", run->frames.every);
    trxi_json_put_numbers(&json, "times", t, run->frames.count);
    write_poses(&json, run, poses);
    if (run->loop.horizons.count > 0) {
        trxi_json_key(&json, "horizons");
        trxi_horizons_write(&run->loop.horizons, &json);
    }
    trxi_json_end_object(&json);
    trxi_text_char(out, '\n');
    return out->status;
}
