// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Ipopt as the solver of a fit: shipped problems get the answers of Gauss-Newton; threads, breaks and the end of its process change
// nothing but the status. Without Ipopt in the build only the missing program is tested.

#include "fit/scene.h"

#include <unistd.h>

static scene s;

static bool have_ipopt(void)
{
    return getenv("TRACTRIX_IPOPT") != NULL;
}

static trx_fit_settings by(trx_fit_solver solver)
{
    trx_fit_settings settings = trx_fit_settings_default();
    settings.solver = solver;
    return settings;
}

// ---- the same answers ----

static trx_fit *fit_file(const char *name, trx_fit_solver solver, trx_context *context, trx_problem **problem, trx_fit_data **data)
{
    char path[512];
    trx_fit_problem p;
    trx_fit_settings settings;
    trx_fit *fit = NULL;
    snprintf(path, sizeof path, "problems/fit/%s", name);
    ck_assert_int_eq(trx_problem_load(context, path, NULL, problem), TRX_OK);
    ck_assert_int_eq(trx_problem_fit(*problem, data, &p, &settings), TRX_OK);
    ck_assert_int_eq(settings.solver, TRX_FIT_GAUSS_NEWTON);
    settings.solver = solver;
    const trx_status status = trx_fit_run(context, &p, &settings, NULL, NULL, &fit);
    ck_assert_msg(status == TRX_OK, "%s: %s", trx_status_text(status), trx_context_message(context));
    return fit;
}

// within a tenth of a deviation, and verdicts and deviations alike
static void check_same_answers(const char *name)
{
    trx_context *context[2];
    trx_problem *problem[2];
    trx_fit_data *data[2];
    trx_fit *fit[2];
    int determined = 0;
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(trx_context_create(NULL, &context[i]), TRX_OK);
        fit[i] = fit_file(name, i == 0 ? TRX_FIT_GAUSS_NEWTON : TRX_FIT_IPOPT, context[i], &problem[i], &data[i]);
    }
    const trx_fit_info info = trx_fit_get_info(fit[0]), other = trx_fit_get_info(fit[1]);
    ck_assert(info.objective != other.objective); // another way
    assert_close(other.objective, info.objective, 1e-3 * info.objective);
    ck_assert_ptr_null(other.solver_note);
    for (int i = 0; i < info.nparameter; i++) {
        const trx_fit_estimate a = trx_fit_get_estimate(fit[0], i), b = trx_fit_get_estimate(fit[1], i);
        ck_assert_int_eq(a.verdict, b.verdict);
        if (a.verdict != TRX_FIT_DETERMINED) continue;
        determined++;
        ck_assert_msg(fabs(a.value - b.value) < 0.1 * a.sd, "%s: %.8g, %.8g", a.name, a.value, b.value);
        assert_close(b.sd, a.sd, 0.02 * a.sd);
    }
    ck_assert_int_ge(determined, 1);
    for (int i = 0; i < 2; i++) {
        trx_fit_destroy(fit[i]);
        trx_fit_data_destroy(data[i]);
        trx_problem_destroy(problem[i]);
        trx_context_destroy(context[i]);
    }
}

START_TEST(shipped_problems_have_the_answers_of_gauss_newton)
{
    static const char *const names[] = {"fit_box_slide.yaml", "fit_spinner.yaml"};
    if (SANITIZED && _i > 0) return; // the same code with other numbers
    if (have_ipopt()) check_same_answers(names[_i]);
}
END_TEST

// ---- a box that slides ----

// friction at a bound or inside, with noise that is estimated: several rounds
static void open_slides(double most_friction)
{
    scene_open(&s, SLIDE);
    add_box_channels(&s, NAN, NAN);
    for (uint64_t i = 1; i <= (SANITIZED ? 1 : 3); i++) record_slide(&s, 1e-3, i);
    trx_fit_parameter *friction = add_parameter(&s, "pair(box, ground).friction", 0.2);
    friction->min = 0.01, friction->max = most_friction;
}

static trx_fit *run(const trx_fit_settings *settings, trx_status expected, trx_fit_progress progress, void *user)
{
    trx_fit *fit = NULL;
    const trx_status status = trx_fit_run(s.context, &s.fit, settings, progress, user, &fit);
    ck_assert_msg(status == expected, "%s: %s", trx_status_text(status), trx_context_message(s.context));
    ck_assert_ptr_nonnull(fit);
    return fit;
}

START_TEST(a_value_that_is_asked_for_beyond_its_bound_ends_there)
{
    if (!have_ipopt()) return;
    open_slides(0.25);
    const trx_fit_settings settings = by(TRX_FIT_IPOPT);
    trx_fit *fit = run(&settings, TRX_OK, NULL, NULL);
    const trx_fit_estimate e = trx_fit_get_estimate(fit, 0);
    ck_assert_int_eq(e.verdict, TRX_FIT_AT_BOUND);
    assert_close(e.value, 0.25, 1e-12);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

static void check_same_bits(const trx_fit *a, const trx_fit *b)
{
    const trx_fit_info i = trx_fit_get_info(a), j = trx_fit_get_info(b);
    const trx_fit_estimate e = trx_fit_get_estimate(a, 0), f = trx_fit_get_estimate(b, 0);
    ck_assert(i.objective == j.objective && i.iterations == j.iterations && i.rounds == j.rounds);
    ck_assert(e.value == f.value && e.sd == f.sd);
}

START_TEST(threads_do_not_change_bits)
{
    if (!have_ipopt()) return;
    open_slides(2);
    trx_fit_settings settings = by(TRX_FIT_IPOPT);
    trx_fit *one = run(&settings, TRX_OK, NULL, NULL);
    settings.threads = 3;
    trx_fit *three = run(&settings, TRX_OK, NULL, NULL);
    check_same_bits(one, three);
    assert_close(trx_fit_get_estimate(one, 0).value, 0.3, 0.01);
    trx_fit_destroy(one);
    trx_fit_destroy(three);
    scene_close(&s);
}
END_TEST

static bool stop_at(const trx_fit_iteration *iteration, void *user)
{
    return iteration->iteration != *(int *)user;
}

START_TEST(a_fit_that_is_stopped_goes_on_with_the_same_bits)
{
    if (!have_ipopt()) return;
    char file[TEMPORARY_PATH];
    temporary_path(file, "ipopt-fit-XXXXXX");
    const int made = mkstemp(file);
    ck_assert_int_ge(made, 0);
    close(made);
    open_slides(2);
    trx_fit_settings settings = by(TRX_FIT_IPOPT);
    trx_fit *whole = run(&settings, TRX_OK, NULL, NULL);
    const int last = trx_fit_get_info(whole).iterations;
    settings.save = file;
    for (int at = last; at > last - (SANITIZED ? 1 : 4); at--) {
        unlink(file);
        settings.resume = false;
        trx_fit_destroy(run(&settings, TRX_INTERRUPTED, stop_at, &at));
        settings.resume = true;
        trx_fit *again = run(&settings, TRX_OK, NULL, NULL);
        check_same_bits(whole, again);
        trx_fit_destroy(again);
    }
    // a progress of the other solver is of another fit
    trx_fit *none;
    settings.solver = TRX_FIT_GAUSS_NEWTON;
    ck_assert_int_eq(trx_fit_run(s.context, &s.fit, &settings, NULL, NULL, &none), TRX_ERR_INPUT);
    unlink(file);
    trx_fit_destroy(whole);
    scene_close(&s);
}
END_TEST

// ---- a process that is lost ----

static bool kill_at(const trx_fit_iteration *iteration, void *user)
{
    char command[128];
    snprintf(command, sizeof command, "kill -9 $(ps -o pid=,comm= --ppid %d | awk '/tractrix-ipopt/ { print $1 }')", (int)getpid());
    if (iteration->round == 1 && ++*(int *)user == 2 && system(command) != 0) return true;
    return true;
}

START_TEST(a_killed_process_is_a_status_and_the_values_so_far_remain)
{
    if (!have_ipopt()) return;
    open_slides(2);
    trx_fit_settings settings = by(TRX_FIT_IPOPT);
    settings.tolerance = 1e-14;
    int seen = 0;
    trx_fit *fit = run(&settings, TRX_PROCESS_LOST, kill_at, &seen);
    const trx_fit_info info = trx_fit_get_info(fit);
    ck_assert_msg(strstr(info.solver_note, "killed by signal 9") != NULL, "%s", info.solver_note);
    ck_assert_int_eq(info.rounds, 1);
    assert_close(trx_fit_get_estimate(fit, 0).value, 0.3, 0.05);
    trx_fit_destroy(fit);

    // and the next fit works
    settings.tolerance = 1e-6;
    trx_fit_destroy(run(&settings, TRX_OK, NULL, NULL));
    scene_close(&s);
}
END_TEST

START_TEST(a_missing_program_is_named)
{
    char *named = have_ipopt() ? strdup(getenv("TRACTRIX_IPOPT")) : NULL;
    setenv("TRACTRIX_IPOPT", "/nowhere/tractrix-ipopt", 1);
    open_slides(2);
    const trx_fit_settings settings = by(TRX_FIT_IPOPT);
    trx_fit *fit;
    ck_assert_int_eq(trx_fit_run(s.context, &s.fit, &settings, NULL, NULL, &fit), TRX_ERR_UNSUPPORTED);
    ck_assert_ptr_null(fit);
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "/nowhere/tractrix-ipopt"));
    if (named) setenv("TRACTRIX_IPOPT", named, 1);
    else unsetenv("TRACTRIX_IPOPT");
    free(named);
    scene_close(&s);
}
END_TEST

static trx_status work(trx_context *context)
{
    trx_fit *fit = NULL;
    const trx_fit_settings settings = by(TRX_FIT_IPOPT);
    const trx_status status = trx_fit_run(context, &s.fit, &settings, NULL, NULL, &fit);
    trx_fit_destroy(fit);
    return status;
}

START_TEST(memory_that_is_short_is_a_status)
{
    if (!have_ipopt()) return;
    open_slides(2);
    fail_some_allocations(work);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/ipopt");
    TCase *cases = tcase_create("ipopt");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, shipped_problems_have_the_answers_of_gauss_newton, 0, 2);
    tcase_add_test(cases, a_value_that_is_asked_for_beyond_its_bound_ends_there);
    tcase_add_test(cases, threads_do_not_change_bits);
    tcase_add_test(cases, a_fit_that_is_stopped_goes_on_with_the_same_bits);
    tcase_add_test(cases, a_killed_process_is_a_status_and_the_values_so_far_remain);
    tcase_add_test(cases, a_missing_program_is_named);
    tcase_add_test(cases, memory_that_is_short_is_a_status);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
