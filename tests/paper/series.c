// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// series PROBLEM [--set KEY=VALUE]... [--sigma S] [--every K] [--condition 1] [--summary]: simulates a problem file
// and prints one line of CSV for every K-th step: time, solver, contacts, energy, and the state. For
// scripts/validate, which draws docs/validation.md from it; not a test. --condition adds the condition number of the
// Hessian, which takes time; --summary prints one line, sums over all steps. Exit 0 at the end, 1 when a step failed
// (what went before is printed), 2 when the problem could not be loaded.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tractrix/tractrix.h>

typedef struct options {
    const char *path;
    const char *sets[64];
    int nset, every, condition;
    double sigma;
    bool summary;
} options;

// sums over the steps of a run
typedef struct sums {
    long steps, iterations, contacts;
    int most_iterations, failed;
    double penetration, slip, seconds;
} sums;

// sums and extremes over the contacts of the last step
typedef struct touch {
    int count, sticking; // mean_slip: of sticking contacts; fastest: of all contacts
    double deepest, mean_depth, fastest, mean_slip, force;
} touch;

static touch look(trx_sim *sim)
{
    const trx_contact *contacts;
    int count = trx_sim_contacts(sim, &contacts);
    touch t = {0};
    for (int i = 0; i < count; i++) {
        if (!(contacts[i].f_n > 0)) continue;
        double depth = fmax(-contacts[i].distance, 0);
        t.count++;
        t.deepest = fmax(t.deepest, depth);
        t.fastest = fmax(t.fastest, contacts[i].v_t);
        t.mean_depth += depth;
        if (contacts[i].mode == TRX_CONTACT_STICK) t.mean_slip += contacts[i].v_t, t.sticking++;
        t.force += contacts[i].f_n;
    }
    if (t.count) t.mean_depth /= t.count;
    if (t.sticking) t.mean_slip /= t.sticking;
    return t;
}

static void print_head(const trx_model *model, trx_model_size size)
{
    printf("t,status,iterations,residual,contacts,deepest,mean_depth,fastest,mean_slip,force,kinetic,potential,condition");
    for (int i = 0; i < size.nq; i++) printf(",%s", trx_model_q_name(model, i));
    for (int i = 0; i < size.nv; i++) printf(",%s", trx_model_v_name(model, i));
    printf("\n");
}

static void print_row(trx_context *context, const trx_model *model, trx_sim *sim, double t, trx_status status,
                      const double *x, bool condition)
{
    trx_model_size size = trx_model_get_size(model);
    trx_step_info info = trx_sim_step_info(sim);
    touch all = look(sim);
    double kinetic = 0, potential = 0;
    trx_model_energy(context, model, x, x + size.nq, &kinetic, &potential);
    printf("%.17g,%d,%d,%.4g,%d,%.9g,%.9g,%.9g,%.9g,%.17g,%.17g,%.17g,%.4g", t, (int)status, info.iterations,
           info.scale > 0 ? info.residual / info.scale : 0, all.count, all.deepest, all.mean_depth, all.fastest,
           all.mean_slip, all.force, kinetic, potential, condition ? trx_sim_condition(sim) : 0);
    for (int i = 0; i < size.nq + size.nv; i++) printf(",%.17g", x[i]);
    printf("\n");
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static trx_status run(const options *o, trx_context *context, const trx_problem *problem, trx_sim *sim, sums *total)
{
    const trx_model *model = trx_problem_model(problem);
    trx_model_size size = trx_model_get_size(model);
    double *x = malloc((size_t)(size.nq + size.nv) * sizeof *x), dt = trx_sim_get_settings(sim).time_step;
    if (!x) return TRX_ERR_MEMORY;
    memcpy(x, trx_problem_start(problem), (size_t)(size.nq + size.nv) * sizeof *x);
    trx_status status = TRX_OK;
    if (!o->summary) print_head(model, size);
    for (int k = 1; k <= trx_problem_steps(problem); k++) {
        trx_sim_set_time(sim, (k - 1) * dt);
        double start = now();
        status = trx_step(sim, x, NULL, x);
        total->seconds += now() - start;
        if (status < 0) break;
        trx_step_info info = trx_sim_step_info(sim);
        touch all = look(sim);
        total->steps++;
        total->iterations += info.iterations;
        total->contacts += all.count;
        total->penetration = fmax(total->penetration, all.deepest);
        if (info.iterations > total->most_iterations) total->most_iterations = info.iterations;
        if (!o->summary && k % o->every == 0) print_row(context, model, sim, k * dt, status, x, o->condition);
    }
    total->failed = status < 0;
    if (status < 0) fprintf(stderr, "series: step %ld: %s\n", total->steps + 1, trx_context_message(context));
    free(x);
    return status;
}

static bool parse(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--summary")) o->summary = true;
        else if (argv[i][0] != '-') o->path = argv[i];
        else if (!value) return false;
        else if (!strcmp(argv[i], "--set") && o->nset < 64) o->sets[o->nset++] = argv[++i];
        else if (!strcmp(argv[i], "--sigma")) o->sigma = strtod(argv[++i], NULL);
        else if (!strcmp(argv[i], "--every")) o->every = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--condition")) o->condition = atoi(argv[++i]);
        else return false;
    }
    return o->path && o->every > 0;
}

int main(int argc, char **argv)
{
    options o = {.every = 1, .sigma = NAN};
    if (!parse(argc, argv, &o)) {
        fprintf(stderr, "series PROBLEM [--set KEY=VALUE]... [--sigma S] [--every K] [--condition 1] [--summary]\n");
        return 2;
    }
    trx_process_use_one_blas_thread();
    trx_context *context = NULL;
    trx_problem *problem = NULL;
    trx_sim *sim = NULL;
    trx_problem_options with = trx_problem_options_default();
    with.set = o.sets;
    with.nset = o.nset;
    trx_status status = trx_context_create(NULL, &context);
    if (status >= 0) status = trx_problem_load(context, o.path, &with, &problem);
    if (status >= 0) {
        trx_sim_settings settings = trx_problem_sim_settings(problem);
        if (!isnan(o.sigma)) settings.friction_regularization = o.sigma;
        status = trx_sim_create(context, trx_problem_model(problem), &settings, &sim);
    }
    int code = 2;
    if (status < 0) fprintf(stderr, "series: %s: %s\n", o.path, trx_context_message(context));
    else {
        sums total = {0};
        code = run(&o, context, problem, sim, &total) < 0;
        if (o.summary)
            printf("steps,iterations,most_iterations,contacts,penetration,seconds,failed\n%ld,%ld,%d,%ld,%.9g,%.9g,%d\n",
                   total.steps, total.iterations, total.most_iterations, total.contacts, total.penetration,
                   total.seconds, total.failed);
    }
    trx_sim_destroy(sim);
    trx_problem_destroy(problem);
    trx_context_destroy(context);
    return code;
}
