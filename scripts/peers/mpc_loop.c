// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// mpc_loop PROBLEM KEY=VALUE...: hours of model predictive control in a plant that is pushed, for scripts/bench_mpc and
// scripts/mpc_hour. Prints one object of JSON: quantiles of the time of a tick (trx_mpc_update and one trx_mpc_control), missed
// deadlines, goals, and the memory that the process holds, eleven times at equal distances.
//
//     hz=        ticks per second; a tick that takes longer than its period misses its deadline
//     knots=     horizon, also after the end of the task
//     iterations=, soft=   of a tick, as trx_mpc_settings.iterations and soft_stages
//     search=, found_after=   effort of a search in the background, and the delay of its plan [s], as trx_mpc_settings
//     margin=    of friction, as trx_mpc_settings.friction_margin
//     deadline=  of the solve, without the time of its last step [s]
//     seconds=   simulated
//     plant=     time step of the plant [s]
//     push=      half width of a change of velocity of the dofs that no actuator drives [m/s or rad/s], at random, once in 2 s
//     goals=     none, ahead (a box: 5 to 12 cm on, within 25 degrees of the pushing direction), around (in any direction) or
//                A:B (a number from A to B)
//     set=KEY=VALUE   a value of the problem file
//
// A new goal comes every 5 s. It is reached when every goal term of the file is within three tolerances, or 2 cm for positions,
// at some tick before the next one. The plant is the model of the file; its friction is 20 % less.

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <tractrix/tractrix.h>

enum { MOST_SETS = 16, MOST_STATE = 128, MOST_CONTROLS = 32, MOST_TERMS = 16, MOST_DIMENSION = 64, SAMPLES = 11 };
static const double GOAL_EVERY = 5, PUSH_EVERY = 2;

typedef struct options {
    double hz, seconds, plant, push, low, high, deadline, margin, search, found_after;
    int knots, iterations, soft;
    bool goals, ahead, around;
    const char *sets[MOST_SETS];
    int nset;
} options;

typedef struct loop {
    options o;
    trx_context *context;
    trx_problem *problem;
    trx_plan_problem task;
    trx_mpc *mpc;
    trx_sim *plant;
    int nq, nv, nu;
    bool driven[MOST_STATE];
    double x[MOST_STATE], u[MOST_CONTROLS], target[3];
    double *wall, *cpu; // of every tick [s]
    int ticks, failures, goals, reached, pushes;
    long resident[SAMPLES]; // [kB]
    int sampled;
    bool met;
    unsigned long long random;
} loop;

static double uniform(loop *l, double low, double high)
{
    l->random = l->random * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(l->random >> 11) / 9007199254740992.0;
}

static double clock_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ---- goals ----

static bool is_goal(const trx_cost_term *term)
{
    return term->tolerance > 0;
}

// every term that has the target of a goal gets the new one
static void set_goal(loop *l)
{
    const trx_cost_term *goal = NULL;
    for (int i = 0; i < l->task.nterm && !goal; i++)
        if (is_goal(&l->task.terms[i])) goal = &l->task.terms[i];
    if (!l->o.goals || !goal) return;
    if (l->o.ahead) {
        const double most = l->o.around ? 3.14159265 : 0.44, turn = uniform(l, -most, most), way = uniform(l, 0.05, 0.12);
        const double angle = atan2(l->x[1] - l->x[8], l->x[0] - l->x[7]) + turn; // from the pusher to the box
        l->target[0] = l->x[0] + way * cos(angle), l->target[1] = l->x[1] + way * sin(angle), l->target[2] = l->x[2];
    } else l->target[0] = uniform(l, l->o.low, l->o.high);
    for (int i = 0; i < l->task.nterm; i++) {
        const trx_cost_term *term = &l->task.terms[i];
        if (term->quantity == goal->quantity && term->target && term->target_stride == 0) trx_mpc_set_target(l->mpc, i, l->target);
    }
    l->goals++;
    l->met = false;
}

static void judge(loop *l)
{
    bool met = l->goals > 0 && !l->met;
    for (int i = 0; i < l->task.nterm && met; i++) {
        const trx_cost_term *term = &l->task.terms[i];
        double r[MOST_DIMENSION], sum = 0;
        if (!is_goal(term)) continue;
        if (trx_plan_residual(trx_mpc_plan(l->mpc), i, trx_plan_get_steps(trx_mpc_plan(l->mpc)), l->x, NULL, r) < 0) met = false;
        for (int k = 0; k < trx_cost_term_dimension(l->task.model, term); k++) sum += term->weight[k] > 0 ? r[k] * r[k] : 0;
        const double wide = 3 * term->tolerance, most = term->quantity == TRX_BODY_POSITION ? fmax(wide, 0.02) : wide;
        met = met && sqrt(sum) <= most;
    }
    l->reached += met;
    l->met = l->met || met;
}

// ---- the loop ----

static void push(loop *l)
{
    l->pushes++;
    for (int i = 0; i < l->nv; i++)
        if (!l->driven[i]) l->x[l->nq + i] += uniform(l, -l->o.push, l->o.push);
}

// memory that the process holds now
static void sample_memory(loop *l)
{
    long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &size, &pages) == 2 && l->sampled < SAMPLES)
        l->resident[l->sampled++] = pages * (sysconf(_SC_PAGESIZE) / 1024);
    if (file) fclose(file);
}

static void tick(loop *l, double t)
{
    const double wall = clock_of(CLOCK_MONOTONIC), cpu = clock_of(CLOCK_THREAD_CPUTIME_ID);
    const trx_status status = trx_mpc_update(l->mpc, t, l->x);
    if (status < 0 && l->failures++ < 3) fprintf(stderr, "%.3f s: %s\n", t, trx_context_message(l->context));
    trx_mpc_control(l->mpc, t, l->x, l->u);
    l->cpu[l->ticks] = clock_of(CLOCK_THREAD_CPUTIME_ID) - cpu;
    l->wall[l->ticks++] = clock_of(CLOCK_MONOTONIC) - wall;
}

static trx_status run(loop *l)
{
    const int parts = (int)fmax(1, round(1 / (l->o.hz * l->o.plant)));
    const double period = 1 / l->o.hz, h = period / parts;
    double next_goal = 0, next_push = 1;
    trx_status status = TRX_OK;
    for (int k = 0; k * period < l->o.seconds && status >= 0; k++) {
        const double t = k * period;
        if (t >= l->o.seconds * l->sampled / (SAMPLES - 1)) sample_memory(l);
        if (t >= next_goal) set_goal(l), next_goal += GOAL_EVERY;
        if (t >= next_push) push(l), next_push = t + uniform(l, 0.5, 1.5) * PUSH_EVERY;
        tick(l, t);
        judge(l);
        for (int i = 0; i < parts && status >= 0; i++) {
            if (i > 0) trx_mpc_control(l->mpc, t + i * h, l->x, l->u);
            const trx_step_input input = {.time = t + i * h, .x = l->x, .u = l->u};
            status = trx_step_from(l->plant, &input, l->x);
        }
    }
    sample_memory(l);
    return status;
}

// ---- begin and end ----

static bool read_option(options *o, const char *text)
{
    const char *value = strchr(text, '=');
    if (!value) return false;
    const size_t name = (size_t)(value++ - text);
    struct { const char *name; double *number; } numbers[] = {
        {"hz", &o->hz}, {"seconds", &o->seconds}, {"plant", &o->plant}, {"push", &o->push},
        {"deadline", &o->deadline}, {"margin", &o->margin}, {"search", &o->search}, {"found_after", &o->found_after}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strlen(numbers[i].name) == name && !strncmp(text, numbers[i].name, name)) return *numbers[i].number = atof(value), true;
    if (!strncmp(text, "knots=", 6)) return o->knots = atoi(value), true;
    if (!strncmp(text, "iterations=", 11)) return o->iterations = atoi(value), true;
    if (!strncmp(text, "soft=", 5)) return o->soft = atoi(value), true;
    if (!strncmp(text, "set=", 4) && o->nset < MOST_SETS) return o->sets[o->nset++] = value, true;
    if (strncmp(text, "goals=", 6) != 0) return false;
    o->goals = strcmp(value, "none") != 0;
    o->around = !strcmp(value, "around");
    o->ahead = o->around || !strcmp(value, "ahead");
    return !o->goals || o->ahead || sscanf(value, "%lf:%lf", &o->low, &o->high) == 2;
}

static trx_status make_plant(loop *l)
{
    trx_sim_settings settings = l->task.sim;
    settings.time_step = fmin(l->o.plant, 1 / l->o.hz);
    trx_status status = trx_sim_create(l->context, l->task.model, &settings, &l->plant);
    for (int i = 0; status >= 0 && i < trx_model_get_size(l->task.model).npair; i++) {
        trx_pair_law law = trx_sim_pair_law(l->plant, i);
        law.friction *= 0.8;
        status = trx_sim_set_pair_law(l->plant, i, &law);
    }
    return status;
}

static trx_status begin(loop *l, const char *path)
{
    trx_problem_options load = trx_problem_options_default();
    load.set = l->o.sets, load.nset = l->o.nset;
    trx_plan_settings unused = trx_plan_settings_default();
    trx_status status = trx_context_create(NULL, &l->context);
    if (status >= 0) status = trx_problem_load(l->context, path, &load, &l->problem);
    if (status >= 0) status = trx_problem_plan(l->problem, &l->task, &unused);
    if (status < 0) return status;
    const trx_model_size size = trx_model_get_size(l->task.model);
    l->nq = size.nq, l->nv = size.nv, l->nu = size.nu;
    for (int i = 0; i < size.nu; i++) {
        const trx_actuator_info actuator = trx_model_actuator(l->task.model, i);
        for (int k = 0; k < actuator.nfactor; k++) l->driven[actuator.v_indices[k]] = true;
    }
    memcpy(l->x, l->task.x0, (size_t)(l->nq + l->nv) * sizeof *l->x);
    trx_mpc_settings settings = trx_mpc_settings_default();
    settings.horizon = settings.least_horizon = l->o.knots;
    settings.iterations = l->o.iterations;
    settings.soft_stages = l->o.soft;
    settings.deadline = l->o.deadline;
    settings.friction_margin = l->o.margin;
    settings.search_effort = l->o.search, settings.search_delay = l->o.found_after;
    status = trx_mpc_create(l->context, &l->task, &settings, &l->mpc);
    return status < 0 ? status : make_plant(l);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(const loop *l, const char *name, double *times)
{
    const int n = l->ticks;
    qsort(times, (size_t)n, sizeof *times, by_size);
    int late = 0;
    for (int i = 0; i < n; i++) late += times[i] > 1 / l->o.hz;
    printf("\"%s\": {\"median\": %.6g, \"q99\": %.6g, \"q999\": %.6g, \"worst\": %.6g, \"late\": %d}, ", name, times[n / 2],
           times[(int)(0.99 * n)], times[(int)(0.999 * n)], times[n - 1], late);
}

int main(int argc, char **argv)
{
    static loop l = {.o = {.hz = 50, .seconds = 10, .plant = 0.001, .knots = 20, .iterations = 1, .deadline = INFINITY,
                           .found_after = 0.2},
                     .random = 1};
    for (int i = 2; i < argc; i++)
        if (!read_option(&l.o, argv[i])) return fprintf(stderr, "%s: unknown\n", argv[i]), 2;
    if (argc < 2) return 2;
    const size_t most = (size_t)(l.o.seconds * l.o.hz) + 2;
    l.wall = malloc(most * sizeof *l.wall), l.cpu = malloc(most * sizeof *l.cpu);
    trx_status status = l.wall && l.cpu ? begin(&l, argv[1]) : TRX_ERR_MEMORY;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (size_t i = 0; status >= 0 && i < most; i++) l.wall[i] = l.cpu[i] = 0; // these pages belong to the program, not to the loop
    getrusage(RUSAGE_SELF, &before);
    if (status >= 0) status = run(&l);
    getrusage(RUSAGE_SELF, &after);
    if (status < 0) return fprintf(stderr, "%s: %s\n", trx_status_text(status), trx_context_message(l.context)), 1;
    printf("{");
    print_times(&l, "wall", l.wall);
    print_times(&l, "cpu", l.cpu);
    const trx_mpc_info info = trx_mpc_get_info(l.mpc);
    printf("\"pushes\": %d, \"searches\": %d, \"found\": %d, \"resident_kb\": [", l.pushes, info.searches, info.found);
    for (int i = 0; i < l.sampled; i++) printf("%s%ld", i ? ", " : "", l.resident[i]);
    printf("], \"ticks\": %d, \"failures\": %d, \"goals\": %d, \"reached\": %d, \"grown_kb\": %ld, \"nv\": %d}\n", l.ticks,
           l.failures, l.goals, l.reached, after.ru_maxrss - before.ru_maxrss, l.nv);
    trx_sim_destroy(l.plant);
    trx_mpc_destroy(l.mpc);
    trx_problem_destroy(l.problem);
    trx_context_destroy(l.context);
    free(l.wall);
    free(l.cpu);
    return 0;
}
