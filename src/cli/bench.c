// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix bench [PROBLEM] times a step, its derivatives (jac) and the adjoint product (vjp), first in the state after
// 2 s (at most 200000 steps) without controls, then along the solved plan. Then it times the parts of an iteration of the plan:
// a rollout, the linearization of all knots, both together, one Riccati sweep, and the rollout of a line search, whose contact
// solves start from the velocities that the linear model predicts. An iteration is a rollout with linearization, and a sweep.
//
// Every call starts from the same state, so caches are no warmer than in normal use. jac and vjp are each timed
// after a fresh step, so neither reuses work of the other. A batch is the mean over many calls. The results are
// median and minimum over the batches. Clock readings (about 30 ns each) are included.

#include "cli.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 31, PLAN_BATCHES = 11 };
static const double SETTLE = 2.0, SETTLE_STEPS = 200000, BATCH_SECONDS = 0.004, WARM_SECONDS = 0.3;

typedef struct spread {
    double median, min; // [s]
} spread;

typedef struct step_times {
    bool measured;
    spread step, jac, vjp;
    double contacts, iterations; // mean per step
} step_times;

// parts of an iteration of the plan
enum { ROLLOUT, LINEARIZE, AT_ONCE, RICCATI, ITERATION, SEARCH, PARTS };
static const struct {
    const char *key, *label;
    double scale; // to the unit of the key
} PART[PARTS] = {
    {"rollout_us", "rollout", 1e6},
    {"linearize_us", "linearization of all knots", 1e6},
    {"at_once_us", "rollout with linearization", 1e6},
    {"riccati_us", "Riccati sweep", 1e6},
    {"iteration_ms", "iteration", 1e3},
    {"search_us", "rollout of a line search", 1e6},
};

typedef struct bench_result {
    step_times settled, plan;
    bool planned;
    spread parts[PARTS];
    int threads;
} bench_result;

// simulator, states and buffers of one timing
typedef struct bench {
    trx_sim *sim;
    trx_model_size size;
    int count;         // number of states
    const double *x;   // nstate x count
    const double *u;   // nu x count, NULL: zero
    double *seed, *grad_x, *grad_u, *A, *B;
} bench;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static spread spread_of(double *samples, int count)
{
    qsort(samples, (size_t)count, sizeof *samples, compare);
    return (spread){samples[count / 2], samples[0]};
}

typedef enum timed { TIME_STEP, TIME_JAC, TIME_VJP } timed;

// returns the seconds of one call at state k; negative when the call fails
static double time_once(bench *b, timed what, int k)
{
    const double *x = b->x + (size_t)k * (size_t)b->size.nstate;
    const double *u = b->u ? b->u + (size_t)k * (size_t)b->size.nu : NULL;
    const trx_step_input input = {.time = k * trx_sim_get_settings(b->sim).time_step, .x = x, .u = u};
    double t0 = trx_clock();
    trx_status status = trx_step_from(b->sim, &input, NULL);
    double t1 = trx_clock();
    if (status < 0) return -1;
    if (what == TIME_STEP) return t1 - t0;
    t0 = trx_clock();
    if (what == TIME_JAC) status = trx_step_jac(b->sim, b->A, b->B);
    else status = trx_step_vjp(b->sim, b->seed, b->grad_x, b->grad_u);
    t1 = trx_clock();
    return status < 0 ? -1 : t1 - t0;
}

// returns the mean seconds of a call over `rounds` passes through all states; negative when a call fails
static double time_batch(bench *b, timed what, int rounds)
{
    double sum = 0;
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < b->count; k++) {
            double seconds = time_once(b, what, k);
            if (seconds < 0) return -1;
            sum += seconds;
        }
    return sum / rounds / b->count;
}

static bool time_piece(bench *b, timed what, spread *result)
{
    double first = time_batch(b, what, 1), samples[BATCHES];
    if (first < 0) return false;
    double rounds = BATCH_SECONDS / fmax(first * b->count, 1e-7);
    for (int i = 0; i < BATCHES; i++)
        if ((samples[i] = time_batch(b, what, rounds < 1 ? 1 : (int)rounds)) < 0) return false;
    *result = spread_of(samples, BATCHES);
    return true;
}

static bool time_steps(bench *b, step_times *times)
{
    for (int k = 0; k < b->count; k++) {
        if (time_once(b, TIME_STEP, k) < 0) return false;
        trx_step_info info = trx_sim_step_info(b->sim);
        times->contacts += (double)info.contacts / b->count;
        times->iterations += (double)info.iterations / b->count;
    }
    times->measured = time_piece(b, TIME_STEP, &times->step) && time_piece(b, TIME_JAC, &times->jac) &&
                      time_piece(b, TIME_VJP, &times->vjp);
    return times->measured;
}

static void close_bench(bench *b)
{
    trx_sim_destroy(b->sim);
    free(b->seed);
}

static trx_status open_bench(const cli_session *session, bench *b)
{
    const trx_model *model = trx_problem_model(session->problem);
    trx_sim_settings settings = trx_problem_sim_settings(session->problem);
    *b = (bench){.size = trx_model_get_size(model)};
    size_t nx = (size_t)b->size.ntangent, nu = (size_t)b->size.nu;
    b->seed = calloc(2 * nx + nu + nx * nx + nx * nu + 1, sizeof *b->seed);
    if (!b->seed) return TRX_ERR_MEMORY;
    b->grad_x = b->seed + nx;
    b->grad_u = b->grad_x + nx;
    b->A = b->grad_u + nu;
    b->B = b->A + nx * nx;
    for (size_t i = 0; i < nx; i++) b->seed[i] = 1.0 / (double)(i + 1);
    return trx_sim_create(session->context, model, &settings, &b->sim);
}

// simulates 2 s, at most SETTLE_STEPS steps, without controls, then times the calls in the last state
static trx_status bench_settled(const cli_session *session, step_times *times)
{
    bench b;
    trx_status status = open_bench(session, &b);
    size_t n = (size_t)b.size.nstate;
    double *x = malloc((n + 1) * sizeof *x);
    if (status >= 0 && !x) status = TRX_ERR_MEMORY;
    if (status >= 0 && x) {
        memcpy(x, trx_problem_start(session->problem), n * sizeof *x);
        const int steps = (int)fmin(ceil(SETTLE / trx_sim_get_settings(b.sim).time_step), SETTLE_STEPS);
        for (int k = 0; k < steps && status >= 0; k++) {
            const trx_step_input input = {.time = k * trx_sim_get_settings(b.sim).time_step, .x = x};
            status = trx_step_from(b.sim, &input, x);
        }
        b.x = x;
        b.count = 1;
        if (status >= 0) time_steps(&b, times);
    }
    free(x);
    close_bench(&b);
    return status < 0 ? status : TRX_OK;
}

static trx_status bench_iterations(trx_plan *plan, bench_result *result)
{
    double samples[PARTS][PLAN_BATCHES];
    trx_plan_timing timing;
    trx_status status = TRX_OK;

    // warms up: an idle core takes some time to reach its full frequency
    for (double until = trx_clock() + WARM_SECONDS; status >= 0 && trx_clock() < until;) status = trx_plan_measure(plan, &timing);
    for (int i = 0; i < PLAN_BATCHES; i++) {
        if (status >= 0) status = trx_plan_measure(plan, &timing);
        if (status < 0) return status;
        samples[ROLLOUT][i] = timing.rollout;
        samples[LINEARIZE][i] = timing.linearize;
        samples[AT_ONCE][i] = timing.at_once;
        samples[RICCATI][i] = timing.backward;
        samples[ITERATION][i] = timing.at_once + timing.backward;
        samples[SEARCH][i] = timing.search;
    }
    for (int part = 0; part < PARTS; part++) result->parts[part] = spread_of(samples[part], PLAN_BATCHES);
    result->planned = true;
    return TRX_OK;
}

static trx_status bench_plan(const cli_session *session, bench_result *result)
{
    trx_plan_problem problem = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    trx_status status = trx_problem_plan(session->problem, &problem, &settings);
    if (status < 0) return status;
    settings.threads = result->threads;
    trx_plan *plan = NULL;
    bench b = {0};
    status = trx_plan_create(session->context, &problem, &settings, &plan);
    if (status >= 0) status = trx_plan_solve(plan, NULL, NULL);
    if (status >= 0) status = open_bench(session, &b);
    if (status >= 0) {
        b.x = trx_plan_states(plan);
        b.u = trx_plan_controls(plan);
        b.count = problem.steps;
        time_steps(&b, &result->plan);
        status = bench_iterations(plan, result);
    }
    close_bench(&b);
    trx_plan_destroy(plan);
    return status < 0 ? status : TRX_OK;
}

// prints a member and the text after it
static void json_number(const char *name, double number, const char *after)
{
    printf("\"%s\": ", name);
    cli_json_number(stdout, number);
    fputs(after, stdout);
}

static void json_spread(const char *name, const spread *s, double scale)
{
    printf("\"%s\": {", name);
    json_number("median", s->median * scale, ", ");
    json_number("min", s->min * scale, "}, ");
}

static void json_steps(const char *name, const step_times *times)
{
    printf(times->measured ? "\"%s\": {" : "\"%s\": null, ", name);
    if (!times->measured) return;
    json_spread("step_us", &times->step, 1e6);
    json_spread("jac_us", &times->jac, 1e6);
    json_spread("vjp_us", &times->vjp, 1e6);
    json_number("contacts", times->contacts, ", ");
    json_number("newton_iterations", times->iterations, "}, ");
}

static void print_json(const bench_result *result)
{
    fputs("{", stdout);
    json_steps("settled", &result->settled);
    json_steps("plan", &result->plan);
    for (int part = 0; part < PARTS; part++) {
        if (result->planned) json_spread(PART[part].key, &result->parts[part], PART[part].scale);
        else printf("\"%s\": null, ", PART[part].key);
    }
    printf("\"threads\": %d}", result->threads);
}

static void table_line(const char *name, const spread *s)
{
    char median[CLI_NUMBER], min[CLI_NUMBER];
    printf("  %-28s %12s %12s\n", name, cli_seconds(median, s->median), cli_seconds(min, s->min));
}

static void table_steps(const char *where, const step_times *times)
{
    if (!times->measured) return;
    printf("  %s%s: %.3g contacts, %.3g iterations a step%s\n", cli_style_text(CLI_DIM), where, times->contacts,
           times->iterations, cli_style_text(CLI_PLAIN));
    table_line("step", &times->step);
    table_line("A and B (jac)", &times->jac);
    table_line("adjoint product (vjp)", &times->vjp);
}

static void print_table(const char *path, const bench_result *result)
{
    printf("%s%-30s %12s %12s%s\n", cli_style_text(CLI_BOLD), path, "median", "min", cli_style_text(CLI_PLAIN));
    table_steps("settled", &result->settled);
    table_steps("along the plan", &result->plan);
    if (!result->planned) return;
    for (int part = 0; part < PARTS; part++)
        if (part != SEARCH || result->parts[part].median > 0) table_line(PART[part].label, &result->parts[part]);
}

static int bench_problem(const cli_options *options, const char *path, bench_result *result)
{
    cli_session session;
    *result = (bench_result){.threads = options->threads};
    int code = cli_session_open(options, path, &session);
    if (code == CLI_OK) {
        trx_status status = bench_settled(&session, &result->settled);
        if (status >= 0 && trx_problem_has_cost(session.problem)) status = bench_plan(&session, result);
        if (status < 0) code = cli_fail(session.context, status);
    }
    cli_session_close(&session);
    return code;
}

// times all problems in ./problems, one after the other
static int bench_all(const cli_options *options)
{
    glob_t found;
    if (glob("problems/*.yaml", 0, NULL, &found) != 0) {
        cli_error("no problems here: give one, or start where ./problems/ is");
        return CLI_USAGE;
    }
    int worst = CLI_OK;
    if (options->json) fputs("{\"problems\": {", stdout);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        bench_result result;
        int code = bench_problem(options, found.gl_pathv[i], &result);
        if (code > worst) worst = code;
        if (options->json) {
            if (i > 0) fputs(", ", stdout);
            cli_json_string(stdout, found.gl_pathv[i]);
            fputs(": ", stdout);
            print_json(&result);
        } else if (!options->quiet) print_table(found.gl_pathv[i], &result);
        fflush(stdout);
    }
    if (options->json) fputs("}}\n", stdout);
    globfree(&found);
    return worst;
}

int cli_bench(const cli_options *options)
{
    if (!options->target) return bench_all(options);
    bench_result result;
    int code = bench_problem(options, options->target, &result);
    if (code != CLI_OK) return code;
    if (options->json) {
        print_json(&result);
        putchar('\n');
    } else if (!options->quiet) print_table(options->target, &result);
    return CLI_OK;
}
