// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Every refusal of a planning problem, by a word of its message, and the lengths of terms.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

// one field of a valid problem made wrong, and a word of the message
typedef struct mistake {
    const char *word;
    void (*make)(trx_plan_problem *problem, trx_plan_settings *settings, trx_cost_term *term, double *numbers);
} mistake;

static void one_number(const trx_term_point *at, double *r, double *r_x, double *r_u, void *user)
{
    (void)at, (void)r_x, (void)r_u, (void)user;
    r[0] = 0;
}

#define MISTAKE(name, statement)                                                                                       \
    static void name(trx_plan_problem *problem, trx_plan_settings *settings, trx_cost_term *term, double *numbers)     \
    {                                                                                                                  \
        (void)problem, (void)settings, (void)term, (void)numbers;                                                      \
        statement;                                                                                                     \
    }
MISTAKE(zero_problem, problem->size = 0)
MISTAKE(zero_settings, settings->size = 0)
MISTAKE(no_model, problem->model = NULL)
MISTAKE(no_steps, problem->steps = 0)
MISTAKE(many_steps, problem->steps = 2000000000)
MISTAKE(no_start, problem->x0 = NULL)
MISTAKE(infinite_start, numbers[0] = INFINITY; problem->x0 = numbers)
MISTAKE(infinite_guess, numbers[1] = NAN; problem->u_guess = numbers)
MISTAKE(no_terms, problem->terms = NULL)
MISTAKE(no_weight, term->weight = NULL)
MISTAKE(negative_weight, numbers[0] = -1; term->weight = numbers)
MISTAKE(infinite_weight, numbers[0] = INFINITY; term->weight = numbers)
MISTAKE(infinite_target, numbers[0] = NAN; term->target = numbers)
MISTAKE(short_stride, term->target = numbers; term->target_stride = -1)
MISTAKE(wrong_tolerance, term->tolerance = -1)
MISTAKE(weight_stride, term->weight_stride = -1)
MISTAKE(weight_at_a_knot, numbers[11] = -1; term->weight = numbers + 8; term->weight_stride = 1)
MISTAKE(wrong_norm, term->norm = (trx_norm)3)
MISTAKE(no_scale, term->norm = TRX_HUBER)
MISTAKE(infinite_scale, term->norm = TRX_SMOOTH_ABS; term->norm_scale = INFINITY)
MISTAKE(no_function, term->quantity = TRX_USER; term->dimension = 1)
MISTAKE(no_dimension, term->quantity = TRX_USER; term->function = one_number)
MISTAKE(wrong_quantity, term->quantity = (trx_quantity)99)
MISTAKE(wrong_time, term->time = (trx_term_time)7)
MISTAKE(control_at_end, term->quantity = TRX_CONTROL; term->time = TRX_END)
MISTAKE(rate_at_end, term->quantity = TRX_CONTROL_RATE; term->time = TRX_ALL)
MISTAKE(rate_as_goal, term->quantity = TRX_CONTROL_RATE; term->tolerance = 1)
MISTAKE(wrong_body, term->quantity = TRX_BODY_SPIN; term->index = 1)
MISTAKE(wrong_frame, term->quantity = TRX_FRAME_SPIN; term->index = 0)
MISTAKE(no_joints, term->quantity = TRX_JOINT_POSITION)
MISTAKE(zero_quaternion, term->quantity = TRX_BODY_ORIENTATION; term->target = numbers)
MISTAKE(no_iterations, settings->iterations = 0)
MISTAKE(no_tolerance, settings->tolerance = 0)
MISTAKE(no_time, settings->time_limit = 0)
MISTAKE(no_friction_left, settings->friction_margin = 1)
MISTAKE(more_friction, settings->friction_margin = -0.1)

START_TEST(wrong_input_is_refused_by_name)
{
    const mistake mistakes[] = {
        {"trx_plan_problem_default", zero_problem}, {"trx_plan_settings_default", zero_settings}, {"model", no_model},
        {"steps", no_steps}, {"too large", many_steps}, {"x0", no_start}, {"x0", infinite_start},
        {"u_guess", infinite_guess}, {"terms", no_terms}, {"weight is NULL", no_weight}, {">= 0", negative_weight},
        {"finite", infinite_weight}, {"target", infinite_target}, {"target_stride", short_stride},
        {"tolerance", wrong_tolerance}, {"quantity", wrong_quantity}, {"time", wrong_time},
        {"no value at the end", control_at_end}, {"no value at the end", rate_at_end}, {"no goal", rate_as_goal},
        {"no such body", wrong_body}, {"no such frame", wrong_frame},
        {"at least one joint", no_joints}, {"quaternion", zero_quaternion}, {"iterations", no_iterations},
        {"weight_stride", weight_stride}, {">= 0", weight_at_a_knot}, {"unknown norm", wrong_norm}, {"norm_scale", no_scale},
        {"norm_scale", infinite_scale}, {"function", no_function}, {"dimension", no_dimension},
        {"tolerance", no_tolerance}, {"time_limit", no_time},
        {"friction_margin", no_friction_left}, {"friction_margin", more_friction},
    };
    trx_context *context = make_context();
    trx_model *model = pendulum_model(context, INFINITY);
    const double x0[2] = {0, 0}, w[3] = {1, 1, 1};
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        double numbers[16] = {0};
        trx_cost_term term = {.name = "swing", .quantity = TRX_POSITION, .weight = w};
        trx_plan_problem problem = trx_plan_problem_default();
        trx_plan_settings settings = trx_plan_settings_default();
        problem.model = model, problem.steps = 3, problem.x0 = x0, problem.terms = &term, problem.nterm = 1;
        mistakes[i].make(&problem, &settings, &term, numbers);
        trx_plan *plan;
        trx_status status = trx_plan_create(context, &problem, &settings, &plan);
        ck_assert_msg(status == TRX_ERR_ARGUMENT || status == TRX_ERR_NOT_FINITE, "%s: %d", mistakes[i].word, status);
        ck_assert_ptr_null(plan);
        ck_assert_msg(strstr(trx_context_message(context), mistakes[i].word) != NULL, "'%s' is not in: %s",
                      mistakes[i].word, trx_context_message(context));
    }
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST


// the message of a refused stage
static void refuse_stage(trx_context *context, trx_plan_problem problem, trx_stage stage, const char *words)
{
    trx_stage stages[2] = {trx_stage_default(), stage};
    trx_plan_settings settings = trx_plan_settings_default();
    problem.stages = stages, problem.nstage = 2;
    ck_assert_int_eq(trxi_plan_check(context, &problem, &settings), TRX_ERR_ARGUMENT);
    const char *message = trx_context_message(context);
    ck_assert_msg(strstr(message, "stage 2: ") && strstr(message, words), "'%s' is not in: %s", words, message);
}

START_TEST(wrong_stages_are_refused_by_number)
{
    push p;
    open_push(&p, -0.08, 0, 0.05, 0, 0);
    trx_stage stage = trx_stage_default(), wrong;
    double *positive[] = {&wrong.smoothing, &wrong.stiffness, &wrong.stiction_tolerance, &wrong.tolerance, &wrong.kappa};
    double *not_negative[] = {&wrong.dissipation, &wrong.relaxation_time, &wrong.friction};
    const double bad[] = {-1, INFINITY, 0};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 3; k++) {
            wrong = stage;
            *positive[i] = bad[k];
            refuse_stage(p.context, p.task.problem, wrong, "smoothing, stiffness, stiction_tolerance, tolerance and kappa");
        }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            wrong = stage;
            *not_negative[i] = bad[k];
            refuse_stage(p.context, p.task.problem, wrong, "dissipation, relaxation_time and friction");
        }
    wrong = stage, wrong.contact_model = 99;
    refuse_stage(p.context, p.task.problem, wrong, "there is no contact model 99");
    wrong = stage, wrong.friction_margin = 1;
    refuse_stage(p.context, p.task.problem, wrong, "friction_margin");
    wrong = stage, wrong.iterations = 0;
    refuse_stage(p.context, p.task.problem, wrong, "iterations");
    wrong = stage, wrong.iterations = -2;
    refuse_stage(p.context, p.task.problem, wrong, "iterations");
    wrong = stage, wrong.approximation = TRX_SAP + 1;
    refuse_stage(p.context, p.task.problem, wrong, "unknown approximation or force law");
    wrong = stage, wrong.force_law = TRX_HERTZ + 1;
    refuse_stage(p.context, p.task.problem, wrong, "unknown approximation or force law");

    // as many as fit, one more, none
    trx_stage many[TRXI_MAX_STAGES];
    for (int i = 0; i < TRXI_MAX_STAGES; i++) many[i] = stage;
    trx_plan_settings settings = trx_plan_settings_default();
    p.task.problem.stages = many, p.task.problem.nstage = TRXI_MAX_STAGES - 1;
    ck_assert_int_eq(trxi_plan_check(p.context, &p.task.problem, &settings), TRX_OK);
    for (int n = 0; n <= TRXI_MAX_STAGES; n += TRXI_MAX_STAGES) {
        p.task.problem.nstage = n;
        ck_assert_int_eq(trxi_plan_check(p.context, &p.task.problem, &settings), TRX_ERR_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(trx_context_message(p.context), "nstage must be 1 .. 31"));
    }
    close_push(&p);
}
END_TEST

// the message of a refused term
static void refuse_term(trx_context *context, trx_plan_problem problem, trx_cost_term term, const char *words)
{
    trx_plan_settings settings = trx_plan_settings_default();
    problem.terms = &term, problem.nterm = 1;
    ck_assert_int_eq(trxi_plan_check(context, &problem, &settings), TRX_ERR_ARGUMENT);
    const char *message = trx_context_message(context);
    ck_assert_msg(strstr(message, "cost term 0 (unnamed): ") && strstr(message, words), "'%s' is not in: %s", words,
                  message);
}

START_TEST(wrong_references_and_targets_are_refused)
{
    mixed_scene f = open_mixed();
    const double w[16] = {1};
    const int ball[1] = {1}, beyond[2] = {2, 5}, negative[1] = {-1}, fine[1] = {2};
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = f.model, problem.steps = 3, problem.x0 = f.x0;
    trx_cost_term term = {.quantity = TRX_JOINT_POSITION, .weight = w, .joints = ball, .njoint = 1};
    refuse_term(f.context, problem, term, "one degree of freedom");
    term.joints = beyond, term.njoint = 2;
    refuse_term(f.context, problem, term, "no such joint");
    term.joints = negative, term.njoint = 1;
    refuse_term(f.context, problem, term, "no such joint");
    term.joints = NULL;
    refuse_term(f.context, problem, term, "at least one joint");

    // the last knot of a moving target; the number between two targets is not read
    double moving[8] = {0, NAN, 0, NAN, 0, NAN, NAN, NAN};
    term.joints = fine, term.target = moving, term.target_stride = 2;
    refuse_term(f.context, problem, term, "target must be finite");
    moving[6] = 0;
    trx_plan_settings settings = trx_plan_settings_default();
    problem.terms = &term, problem.nterm = 1;
    ck_assert_int_eq(trxi_plan_check(f.context, &problem, &settings), TRX_OK);

    // a configuration whose ball has no direction
    double q[64];
    memcpy(q, f.x, sizeof q);
    int at = trx_model_joint(f.model, 1).q_index;
    for (int i = 0; i < 4; i++) q[at + i] = 0;
    term = (trx_cost_term){.quantity = TRX_POSITION, .weight = w, .target = q};
    refuse_term(f.context, problem, term, "quaternion of length 0");
    term.target_stride = 1;
    refuse_term(f.context, problem, term, "at least the length of a target");
    close_mixed(&f);
}
END_TEST

START_TEST(a_model_without_actuators_has_no_plan)
{
    trx_context *context = make_context();
    trx_joint_def hinge = joint_of("theta", TRX_JOINT_HINGE, 0, 1, 0);
    trx_body_def pole = trx_body_def_default();
    pole.name = "pole", pole.joints = &hinge, pole.njoint = 1;
    pole.has_inertia = true, pole.inertia = (trx_body_inertia){.mass = 1, .com = {1, 0, 0}};
    trx_model_def def = trx_model_def_default();
    def.bodies = &pole, def.nbody = 1;
    trx_model *model = build_model(context, &def);
    const double x0[2] = {0, 0};
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = 3, problem.x0 = x0;
    trx_plan_settings settings = trx_plan_settings_default();
    ck_assert_int_eq(trxi_plan_check(context, &problem, &settings), TRX_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(context), "no actuators"));
    ck_assert_int_eq(trxi_plan_check(context, NULL, &settings), TRX_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(context), "plan problem is NULL"));
    ck_assert_int_eq(trxi_plan_check(context, &problem, NULL), TRX_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(context), "plan settings are NULL"));
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

START_TEST(terms_are_as_long_as_what_they_measure)
{
    mixed_scene f = open_mixed();
    for (int q = TRX_BODY_POSITION; q <= TRX_CONTROL; q++) {
        const trx_cost_term term = {.quantity = (trx_quantity)q, .njoint = 3};
        bool joint = q == TRX_JOINT_POSITION || q == TRX_JOINT_VELOCITY, whole = q == TRX_POSITION || q == TRX_VELOCITY;
        bool orientation = q == TRX_BODY_ORIENTATION || q == TRX_FRAME_ORIENTATION;
        int dimension = whole ? f.size.nv : q == TRX_CONTROL ? f.size.nu : 3;
        ck_assert_int_eq(trx_cost_term_dimension(f.model, &term), dimension);
        ck_assert_int_eq(trx_cost_term_target_length(f.model, &term),
                         orientation ? 4 : q == TRX_POSITION ? f.size.nq : joint ? 3 : dimension);
    }
    ck_assert(f.size.nq != f.size.nv && f.size.nu == 2);
    close_mixed(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/plan_check");
    TCase *cases = tcase_create("plan_check");
    tcase_add_test(cases, wrong_input_is_refused_by_name);
    tcase_add_test(cases, wrong_stages_are_refused_by_number);
    tcase_add_test(cases, wrong_references_and_targets_are_refused);
    tcase_add_test(cases, a_model_without_actuators_has_no_plan);
    tcase_add_test(cases, terms_are_as_long_as_what_they_measure);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
