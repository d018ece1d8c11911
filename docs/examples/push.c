// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pushes a box 15 cm across a table with an actuated ball, planned from C.
//
//     cc push.c $(pkg-config --cflags --libs tractrix) -o push && ./push
//
// The model is made of definitions, the task is a sum of weighted squares, and stages of softer contact lead the
// optimizer to the physical one: it starts 3 cm away from the box and has to discover the contact.

#include <stdio.h>
#include <tractrix/tractrix.h>

enum { GROUND, BOX, PUSHER, STEPS = 50 };

// a box of 0.5 kg on the ground, and a ball of 0.3 kg that moves along x, y and z
static trx_status make_model(trx_context *context, trx_model **model)
{
    trx_material_def materials[] = {trx_material_def_default(), trx_material_def_default()};
    materials[0].name = "table", materials[0].stiffness = 2e4, materials[0].dissipation = 5;
    materials[0].friction = 0.3;
    materials[1].name = "tip", materials[1].stiffness = 2e4, materials[1].dissipation = 1;

    trx_geometry_def plane = trx_geometry_def_default(), cube = plane, ball = plane;
    plane.shape.type = TRX_SHAPE_HALFSPACE;
    cube.shape = (trx_shape){.type = TRX_SHAPE_BOX, .size = {0.1, 0.1, 0.1}}, cube.mass = 0.5;
    ball.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.02}, ball.mass = 0.3, ball.material = 1;

    trx_joint_def free_joint = trx_joint_def_default(), slides[3];
    free_joint.name = "box", free_joint.type = TRX_JOINT_FREE;
    const char *names[] = {"px", "py", "pz"};
    trx_actuator_def motors[3];
    for (int i = 0; i < 3; i++) {
        slides[i] = trx_joint_def_default();
        slides[i].name = names[i], slides[i].type = TRX_JOINT_SLIDE, slides[i].damping = 2;
        for (int j = 0; j < 3; j++) slides[i].axis[j] = i == j;
        motors[i] = trx_actuator_def_default();
        motors[i].body = PUSHER, motors[i].joint = i, motors[i].lower = -20, motors[i].upper = 20;
    }

    trx_body_def bodies[] = {trx_body_def_default(), trx_body_def_default(), trx_body_def_default()};
    bodies[GROUND].name = "ground", bodies[GROUND].geometry = &plane, bodies[GROUND].ngeometry = 1;
    bodies[BOX].name = "box", bodies[BOX].geometry = &cube, bodies[BOX].ngeometry = 1;
    bodies[BOX].joints = &free_joint, bodies[BOX].njoint = 1;
    bodies[PUSHER].name = "pusher", bodies[PUSHER].geometry = &ball, bodies[PUSHER].ngeometry = 1;
    bodies[PUSHER].joints = slides, bodies[PUSHER].njoint = 3, bodies[PUSHER].gravity = false;

    trx_pair_selector apart = {.a = {PUSHER, -1}, .b = {GROUND, -1}};
    trx_model_def def = trx_model_def_default();
    def.materials = materials, def.nmaterial = 2;
    def.bodies = bodies, def.nbody = 3;
    def.actuators = motors, def.nactuator = 3;
    def.exclude = &apart, def.nexclude = 1;
    return trx_model_create(context, &def, model);
}

static trx_status plan_push(trx_context *context, const trx_model *model, bool *met)
{
    // start: box at rest on the ground, pusher 3 cm behind it
    double x0[10 + 9] = {[2] = 0.05, [3] = 1, [7] = -0.1, [9] = 0.05};
    double goal[] = {0.15, 0, 0.05}, goal_weight[] = {100, 100, 0}, turn_weight[] = {10, 10, 10};
    double v_weight[9], u_weight[3] = {0.001, 0.001, 0.001};
    for (int i = 0; i < 9; i++) v_weight[i] = 0.01;
    trx_cost_term terms[] = {
        {.name = "box.position", .quantity = TRX_BODY_POSITION, .index = trx_model_find_body(model, "box"),
         .target = goal, .weight = goal_weight, .time = TRX_END, .tolerance = 0.005},
        {.name = "box.orientation", .quantity = TRX_BODY_ORIENTATION, .index = trx_model_find_body(model, "box"),
         .weight = turn_weight, .time = TRX_END},
        {.name = "velocity", .quantity = TRX_VELOCITY, .weight = v_weight, .time = TRX_ALL},
        {.name = "control", .quantity = TRX_CONTROL, .weight = u_weight, .time = TRX_RUNNING},
    };
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = STEPS, problem.x0 = x0;
    problem.sim.time_step = 0.02;
    problem.terms = terms, problem.nterm = sizeof terms / sizeof *terms;
    trx_plan_settings settings = trx_plan_settings_default();

    trx_plan *plan = NULL;
    trx_status status = trx_plan_create(context, &problem, &settings, &plan);
    if (status >= 0) status = trx_plan_solve(plan, NULL, NULL);
    if (status >= 0) {
        trx_plan_info info = trx_plan_get_info(plan);
        const double *end = trx_plan_states(plan) + (size_t)STEPS * (10 + 9);
        *met = info.physical.goals[0].met;
        printf("%s: %d iterations, %.3f s, cost %.4f\n", trx_status_text(info.status), info.iterations, info.seconds,
               info.cost);
        printf("the box ends at (%.4f, %.4f, %.4f) m, %.1f mm from its goal: %s\n", end[0], end[1], end[2],
               1e3 * info.physical.goals[0].error, *met ? "met" : "missed");
    }
    trx_plan_destroy(plan);
    return status;
}

int main(void)
{
    trx_context *context;
    if (trx_context_create(NULL, &context) < 0) return 1;
    trx_model *model = NULL;
    bool met = false;
    trx_status status = make_model(context, &model);
    if (status >= 0) status = plan_push(context, model, &met);
    if (status < 0) fprintf(stderr, "%s: %s\n", trx_status_text(status), trx_context_message(context));
    trx_model_destroy(model);
    trx_context_destroy(context);
    return status >= 0 && met ? 0 : 1;
}
