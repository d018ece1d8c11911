// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Every problem of problems/ against the outcome it states. The tolerances are written here again, and the test does
// not rely on the report of the plan: the controls of the plan drive a simulator with the physical settings, and the last state,
// the controls and all contact distances of this replay are compared with the table below. A file without a line in the
// table fails, and a file that does not begin with a comment of the required form. Nothing here depends on a time.
//
// Two tests guard the first test: the contact of the push tasks is as hard as the tolerances assume, and each task is far
// from its goal before it is planned. A last test moves the start of push_box by a millimetre.

#include "problems/along_plan.h"
#include "support/support.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/tractrix.h>

#define PI 3.141592653589793

enum { MAX_ENDS = 4, MAX_NAME = 200 };

// a coordinate or velocity at the last knot
typedef struct end {
    const char *name;
    double target, tolerance; // [unit of the coordinate]
} end;

typedef struct outcome {
    const char *name; // of the file in problems/, without .yaml
    bool push;        // a box pushed to `goal`: within 5 mm and 0.02 rad, penetration below 1 mm
    double goal[3];   // x, y [m], yaw [rad]
    end ends[MAX_ENDS];
} outcome;

static const double POSITION = 0.005, YAW = 0.02, TILT = 0.02, PENETRATION = 1e-3;

static const outcome OUTCOMES[] = {
    {.name = "push_box", .push = true, .goal = {0.15, 0, 0}},
    {.name = "push_box_side", .push = true, .goal = {0, 0.1, 0}},
    {.name = "push_box_turn", .push = true, .goal = {0.1, 0.05, 0.6}},
    {.name = "push_box_far", .push = true, .goal = {0.15, 0, 0}},
    {.name = "push_t", .ends = {{"tx", 0, 0.005}, {"ty", 0, 0.005}, {"yaw", 0, 0.05}}},
    {.name = "block_push",
     .ends = {{"block.x", 0.5, 0.02},
              {"block.y", 0.5, 0.02},
              {"block.qw", 0.948683, 0.02},
              {"block.qz", -0.316228, 0.025}}},
    {.name = "airhockey", .ends = {{"x", 0.3, 0.05}, {"y", 1, 0.05}, {"yaw", 1, 0.1}}},
    {.name = "box_pushing", .ends = {{"x", 0.5, 0.02}, {"y", 1, 0.02}, {"yaw", -PI / 4, 0.05}}},
    {.name = "planar_hand", .ends = {{"y", 0.3, 0.01}, {"z", 0.25, 0.01}, {"roll", 0.5, 0.05}}},
    {.name = "pendulum", .ends = {{"theta", PI, 0.01}, {"theta.v", 0, 0.01}}},
    {.name = "acrobot",
     .ends = {{"shoulder", PI, 0.05}, {"elbow", 0, 0.05}, {"shoulder.v", 0, 0.1}, {"elbow.v", 0, 0.1}}},
    {.name = "cart_pole", .ends = {{"x", 0, 0.01}, {"theta", PI, 0.02}, {"x.v", 0, 0.1}, {"theta.v", 0, 0.1}}},
    {.name = "cart_pole_with_wall", .ends = {{"x", 0, 0.02}, {"theta", PI, 0.03}}},
    {.name = "spinner", .ends = {{"s", 2, 0.05}}},
    {.name = "gen3_ball_side", .ends = {{"ball.x", 0.6, 0.007}, {"ball.y", 0.15, 0.007}, {"ball.vy", 0, 0.1}}},
    {.name = "gen3_ball_forward", .ends = {{"ball.x", 0.8, 0.007}, {"ball.y", 0, 0.007}, {"ball.vx", 0, 0.1}}},
    {.name = "gen3_ball_lift", .ends = {{"ball.z", 0.3, 0.01}, {"ball.vz", 0, 0.1}}},
    {.name = "panda_ball_forward", .ends = {{"ball.x", 0.8, 0.007}, {"ball.y", 0, 0.007}, {"ball.vx", 0, 0.1}}},
    {.name = "jaco_ball", .ends = {{"ball.x", 0.6, 0.007}, {"ball.y", 0, 0.007}, {"ball.vy", 0, 0.1}}},
    {.name = "hopper",
     .ends = {{"hopper/base_x", 0.5, 0.02}, {"hopper/base_y", 0.6124, 0.02}, {"hopper/base_yaw", 0.3, 0.1}}},
    {.name = "mini_cheetah",
     .ends = {{"cheetah/body.x", 0.2, 0.02},
              {"cheetah/body.y", 0, 0.02},
              {"cheetah/body.z", 0.2945, 0.02},
              {"cheetah/body.qw", 1, 0.005}}},
    {.name = "allegro_ball",
     .ends = {{"ball.x", -0.06, 0.01}, {"ball.y", 0, 0.01}, {"ball.qw", 0.70711, 0.04}, {"ball.qz", -0.70711, 0.04}}},
};
enum { COUNT = sizeof OUTCOMES / sizeof *OUTCOMES };

// a loaded problem and its plan
typedef struct planned {
    trx_context *context;
    trx_problem *problem;
    trx_plan *plan;
    const trx_model *model;
    trx_model_size size;
    int steps;
} planned;

static planned load(const char *name, const char *const *set, int nset)
{
    planned p = {0};
    char path[MAX_NAME];
    snprintf(path, sizeof path, "problems/%s.yaml", name);
    trx_problem_options options = trx_problem_options_default();
    options.set = set;
    options.nset = nset;
    ck_assert_int_eq(trx_context_create(NULL, &p.context), TRX_OK);
    trx_status status = trx_problem_load(p.context, path, &options, &p.problem);
    ck_assert_msg(status == TRX_OK, "%s: %s", path, trx_context_message(p.context));
    p.model = trx_problem_model(p.problem);
    p.size = trx_model_get_size(p.model);
    p.steps = trx_problem_steps(p.problem);
    return p;
}

static planned solve(const char *name, const char *const *set, int nset)
{
    planned p = load(name, set, nset);
    trx_plan_problem problem = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    ck_assert_int_eq(trx_problem_plan(p.problem, &problem, &settings), TRX_OK);
    ck_assert_int_eq(trx_plan_create(p.context, &problem, &settings, &p.plan), TRX_OK);
    trx_status status = trx_plan_solve(p.plan, NULL, NULL);
    ck_assert_msg(status == TRX_OK || status == TRX_STALLED, "%s: %s: %s", name, trx_status_text(status),
                  trx_plan_get_info(p.plan).message);
    return p;
}

static void release(planned *p)
{
    trx_plan_destroy(p->plan);
    trx_problem_destroy(p->problem);
    trx_context_destroy(p->context);
}

static int find_number(const planned *p, const char *name)
{
    for (int i = 0; i < p->size.nq; i++)
        if (strcmp(trx_model_q_name(p->model, i), name) == 0) return i;
    for (int i = 0; i < p->size.nv; i++)
        if (strcmp(trx_model_v_name(p->model, i), name) == 0) return p->size.nq + i;
    ck_abort_msg("no coordinate %s", name);
    return -1;
}

// where the physical model goes under the plan's controls: the last state, and the largest -phi of all knots
static void replay(const planned *p, double *x, double *penetration)
{
    // the tolerance of the plan: contact amplifies errors of a looser solve
    trx_sim_settings settings = trx_problem_sim_settings(p->problem);
    settings.tolerance = fmin(settings.tolerance, 1e-10);
    trx_sim *sim;
    ck_assert_int_eq(trx_sim_create(p->context, p->model, &settings, &sim), TRX_OK);
    memcpy(x, trx_problem_start(p->problem), (size_t)(p->size.nq + p->size.nv) * sizeof *x);
    *penetration = 0;
    for (int k = 0; k <= p->steps; k++) {
        // the last step only measures the distances at the last knot
        const double *u = k < p->steps ? trx_plan_controls(p->plan) + (size_t)k * (size_t)p->size.nu : NULL;
        ck_assert_int_ge(trx_step(sim, x, u, k < p->steps ? x : NULL), TRX_OK);
        const trx_contact *contacts;
        int count = trx_sim_contacts(sim, &contacts);
        for (int i = 0; i < count; i++) *penetration = fmax(*penetration, -contacts[i].distance);
    }
    trx_sim_destroy(sim);
}

static void assert_controls_within_limits(const planned *p)
{
    const double *u = trx_plan_controls(p->plan);
    for (int k = 0; k < p->steps; k++)
        for (int i = 0; i < p->size.nu; i++, u++) {
            trx_actuator_info actuator = trx_model_actuator(p->model, i);
            ck_assert_msg(*u >= actuator.lower && *u <= actuator.upper, "%s = %g at knot %d", actuator.name, *u, k);
        }
}

// distance from the goal, and how far the box leans and is turned away from it
static void box_errors(const planned *p, const outcome *o, const double *x, double *position, double *yaw, double *tilt)
{
    const double *box = x + find_number(p, "box.x"), *quat = x + find_number(p, "box.qw");
    double w = quat[0], i = quat[1], j = quat[2], k = quat[3];
    *position = hypot(box[0] - o->goal[0], box[1] - o->goal[1]);
    *yaw = fabs(remainder(atan2(2 * (w * k + i * j), 1 - 2 * (j * j + k * k)) - o->goal[2], 2 * PI));
    *tilt = acos(fmin(1 - 2 * (i * i + j * j), 1));
}

static void assert_outcome(const planned *p, const outcome *o)
{
    double x[64], penetration;
    ck_assert_int_le(p->size.nq + p->size.nv, 64);
    replay(p, x, &penetration);
    for (const end *e = o->ends; e < o->ends + MAX_ENDS && e->name; e++)
        assert_close(x[find_number(p, e->name)], e->target, e->tolerance);
    if (!o->push) return;
    double position, yaw, tilt;
    box_errors(p, o, x, &position, &yaw, &tilt);
    assert_below(position, POSITION);
    assert_below(yaw, YAW);
    assert_below(tilt, TILT);
    assert_below(penetration, PENETRATION);
}

// A and B at every knot of the plan that is not at a kink, and how many are
static void assert_derivatives(const planned *p, const outcome *o)
{
    along_plan at = derivatives_along_plan(p->context, p->model, trx_problem_sim_settings(p->problem), p->steps,
                                           trx_plan_states(p->plan), trx_plan_controls(p->plan));
    printf("%s: derivatives at %d knots within %.1e (A), %.1e (B); %d at kinks\n", o->name, at.judged, at.worst_A,
           at.worst_B, at.kinks);
    ck_assert_int_gt(at.judged, 0);
    assert_below(at.worst_A, 1e-5);
    assert_below(at.worst_B, 1e-5);
}

START_TEST(every_problem_reaches_its_outcome)
{
    const outcome *o = &OUTCOMES[_i];
    planned p = solve(o->name, NULL, 0);
    assert_outcome(&p, o);
    assert_controls_within_limits(&p);
    assert_derivatives(&p, o);

    // the plan's own report agrees
    trx_plan_info info = trx_plan_get_info(p.plan);
    ck_assert_int_gt(info.ngoal, 0);
    for (int i = 0; i < info.ngoal; i++)
        ck_assert_msg(info.physical.goals[i].met, "%s: %s off by %g", o->name, info.physical.goals[i].name,
                      info.physical.goals[i].error);
    double x[64], penetration;
    replay(&p, x, &penetration);
    int n = p.size.nq + p.size.nv;
    assert_close(max_difference(x, trx_plan_states(p.plan) + (size_t)p.steps * (size_t)n, n), 0, 1e-6);
    release(&p);
}
END_TEST

START_TEST(every_problem_begins_its_plan)
{
    planned p = load(OUTCOMES[_i].name, NULL, 0);
    trx_plan_problem problem = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    ck_assert_int_eq(trx_problem_plan(p.problem, &problem, &settings), TRX_OK);
    settings.max_iterations = 4;
    ck_assert_int_eq(trx_plan_create(p.context, &problem, &settings, &p.plan), TRX_OK);
    trx_status status = trx_plan_solve(p.plan, NULL, NULL);
    ck_assert_msg(status == TRX_ITERATION_LIMIT || status == TRX_STALLED, "%s: %s", OUTCOMES[_i].name, trx_status_text(status));
    release(&p);
}
END_TEST

START_TEST(every_problem_is_far_from_its_outcome_without_a_plan)
{
    const outcome *o = &OUTCOMES[_i];
    planned p = load(o->name, NULL, 0);
    const double *x = trx_problem_start(p.problem);
    double worst = 0;
    for (const end *e = o->ends; e < o->ends + MAX_ENDS && e->name; e++)
        worst = fmax(worst, fabs(x[find_number(&p, e->name)] - e->target) / e->tolerance);
    if (o->push) {
        double position, yaw, tilt;
        box_errors(&p, o, x, &position, &yaw, &tilt);
        worst = position / POSITION;
    }
    ck_assert_msg(worst > 9, "%s starts at %g tolerances", o->name, worst);
    release(&p);
}
END_TEST

START_TEST(contact_is_judged_hard)
{
    // 1e4 N/m without smoothing, 1e-4 m/s, for every pair that an actuator can move
    planned p = load(OUTCOMES[_i].name, NULL, 0);
    int judged = 0;
    for (int i = 0; i < p.size.npair; i++) {
        trx_pair_info pair = trx_model_pair(p.model, i);
        ck_assert_int_eq(pair.law.force_law, TRX_HUNT_CROSSLEY);
        assert_close(pair.law.stiffness, 1e4, 1e-9);
        judged += pair.actuated;
    }
    if (p.size.npair > 0) {
        ck_assert_int_gt(judged, 0);
        assert_close(trx_problem_sim_settings(p.problem).stiction_tolerance, 1e-4, 1e-18);
    }
    ck_assert(!OUTCOMES[_i].push || p.size.npair >= 2);
    release(&p);
}
END_TEST

// true when a line of the comment at the top of `text` begins with `word`
static bool comment_has(const char *text, const char *word)
{
    char start[32];
    snprintf(start, sizeof start, "# %s ", word);
    for (const char *line = text; *line == '#'; line = strchr(line, '\n') + 1) {
        if (strncmp(line, start, strlen(start)) == 0) return true;
        if (!strchr(line, '\n')) break;
    }
    return false;
}

START_TEST(every_problem_opens_with_what_a_reader_needs)
{
    char path[MAX_NAME], text[8192];
    snprintf(path, sizeof path, "problems/%s.yaml", OUTCOMES[_i].name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be read", path);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const char *words[] = {"state", "input", "cost", "contact", "expected"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ck_assert_msg(comment_has(text, words[i]), "%s: the comment has no line '# %s ...'", path, words[i]);
}
END_TEST

START_TEST(every_shipped_file_has_an_outcome)
{
    glob_t found;
    ck_assert_int_eq(glob("problems/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        int known = 0;
        for (int k = 0; k < COUNT; k++) {
            char path[MAX_NAME];
            snprintf(path, sizeof path, "problems/%s.yaml", OUTCOMES[k].name);
            known += strcmp(path, found.gl_pathv[i]) == 0;
        }
        ck_assert_msg(known == 1, "%s has no expected outcome in this test", found.gl_pathv[i]);
    }
    ck_assert_uint_eq(found.gl_pathc, COUNT);
    globfree(&found);
}
END_TEST

START_TEST(a_millimetre_at_the_start_does_not_matter)
{
    // the pusher of push_box starts 1 mm away in eight directions of the table's plane
    int met = 0;
    enum { STARTS = SAMPLES(8) };
    for (int i = 0; i < STARTS; i++) {
        char px[64], py[64];
        snprintf(px, sizeof px, "start.px=%.9f", -0.1 + 1e-3 * cos(i * PI / 4));
        snprintf(py, sizeof py, "start.py=%.9f", 1e-3 * sin(i * PI / 4));
        planned p = solve("push_box", (const char *[]){px, py}, 2);
        double x[64], penetration, position, yaw, tilt;
        replay(&p, x, &penetration);
        box_errors(&p, &OUTCOMES[0], x, &position, &yaw, &tilt);
        printf("from %s, %s: %.2f mm, %.2g rad, penetration %.2f mm\n", px, py, 1e3 * position, yaw, 1e3 * penetration);
        met += position < POSITION && yaw < YAW && tilt < TILT && penetration < PENETRATION;
        release(&p);
    }
    ck_assert_msg(met == STARTS, "%d of %d starts reach the goal", met, STARTS);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problems/outcomes");
    TCase *tcase = tcase_create("outcomes");
    tcase_set_timeout(tcase, 0);
    tcase_add_loop_test(tcase, SANITIZED ? every_problem_begins_its_plan : every_problem_reaches_its_outcome, 0, COUNT);
    tcase_add_loop_test(tcase, every_problem_is_far_from_its_outcome_without_a_plan, 0, COUNT);
    tcase_add_loop_test(tcase, contact_is_judged_hard, 0, COUNT);
    tcase_add_loop_test(tcase, every_problem_opens_with_what_a_reader_needs, 0, COUNT);
    tcase_add_test(tcase, every_shipped_file_has_an_outcome);
    tcase_add_test(tcase, a_millimetre_at_the_start_does_not_matter);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
