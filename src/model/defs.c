// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Default values of the definitions (of activations and muscles: in their own files), and the names of the choices in
// the problem file.

#include "model/pair_law.h"

#include <math.h>

trx_pose trx_pose_identity(void)
{
    return (trx_pose){{0, 0, 0}, {1, 0, 0, 0}};
}

trx_joint_def trx_joint_def_default(void)
{
    return (trx_joint_def){.type = TRX_JOINT_HINGE, .axis = {0, 0, 1}, .lower = -INFINITY, .upper = INFINITY,
                           .velocity_limit = INFINITY};
}

trx_geometry_def trx_geometry_def_default(void)
{
    return (trx_geometry_def){
        .shape = {.type = TRX_SHAPE_SPHERE},
        .pose = trx_pose_identity(),
        .mass = NAN,
        .density = NAN,
        .collide = true,
        .decompose = trx_decomposition_default(),
        .collision_type = 1,
        .collision_mask = 1,
    };
}

trx_body_def trx_body_def_default(void)
{
    return (trx_body_def){.parent = -1, .pose = trx_pose_identity(), .gravity = true, .drag.pose = trx_pose_identity()};
}

trx_material_def trx_material_def_default(void)
{
    return (trx_material_def){
        .name = "default", .stiffness = 1e5, .dissipation = 10, .relaxation_time = 0.005, .friction = 0.5};
}

trx_actuator_def trx_actuator_def_default(void)
{
    return (trx_actuator_def){
        .body = -1,
        .joint = -1,
        .tendon = -1,
        .gear = 1,
        .gain = 1,
        .effort_lower = -INFINITY,
        .effort_upper = INFINITY,
        .lower = -INFINITY,
        .upper = INFINITY,
        .activation = trx_activation_def_default(),
        .muscle = trx_muscle_def_default(),
    };
}

trx_constraint_def trx_constraint_def_default(void)
{
    return (trx_constraint_def){
        .body_a = -1,
        .body_b = -1,
        .joint_a = -1,
        .joint_b = -1,
        .polynomial = {0, 1},
        .pose_a = trx_pose_identity(),
        .pose_b = trx_pose_identity(),
        .tendon = -1,
        .tendon_b = -1,
        .stiffness = INFINITY,
    };
}

trx_tendon_def trx_tendon_def_default(void)
{
    return (trx_tendon_def){.name = ""};
}

trx_load_def trx_load_def_default(void)
{
    return (trx_load_def){.body = -1, .axis = {0, 0, 1}, .stop = INFINITY};
}

const char *trx_load_wave_name(trx_load_wave wave)
{
    static const char *const names[] = {"constant", "sine", "ramp", "rotate", "file"};
    return (int)wave >= 0 && wave <= TRX_LOAD_TABLE ? names[wave] : "";
}

const char *trx_constraint_type_name(trx_constraint_type type)
{
    static const char *const names[] = {"coupler", "ball", "weld", "distance", "tendon"};
    return (int)type >= 0 && type <= TRX_CONSTRAINT_TENDON ? names[type] : "";
}

trx_pair_override trx_pair_override_default(void)
{
    trx_pair_override override = {
        .pair = {.a = {-1, -1}, .b = {-1, -1}}, .approximation = -1, .force_law = -1, .axis = {NAN, NAN, NAN}};
    for (int i = 0; i < TRXI_LAW_NUMBERS; i++) *trxi_number_of_override(&override, i) = NAN;
    return override;
}

trx_model_def trx_model_def_default(void)
{
    return (trx_model_def){
        .size = sizeof(trx_model_def),
        .gravity = {0, 0, -9.81},
        .approximation = TRX_LAGGED,
        .force_law = TRX_HUNT_CROSSLEY,
    };
}

const char *trx_approximation_name(trx_approximation approximation)
{
    static const char *const names[] = {"lagged", "lagged_regularized", "similar", "similar_regularized", "sap"};
    return (int)approximation >= 0 && approximation <= TRX_SAP ? names[approximation] : "";
}

const char *trx_force_law_name(trx_force_law law)
{
    static const char *const names[] = {"hunt_crossley", "kelvin_voigt", "smoothed", "hertz", "log_barrier", "ipc", "user"};
    return (int)law >= 0 && law <= TRX_USER_LAW ? names[law] : "";
}
