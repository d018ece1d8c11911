// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Prints the contact problems of a simulation, for other solvers, with the times of the solvers of the library: a benchmark.
//
//     bench_solvers PROBLEM FIRST LAST EVERY RESIDUAL
//
// Simulates PROBLEM with its own model and controls of zero. Each step FIRST, FIRST + EVERY, ... LAST is posed as rigid contact:
// the contacts alone, without limits, drives and other rows of joints, c = W f + g with W = J A^-1 J^T + R, f impulses and
// c velocities. One line of JSON per step: contacts, freedoms, W (3 contacts x 3 contacts, by rows), g, mu, the
// shortest processor time in which W was formed [s], and
// for every solver of ncp and ccp the shortest processor time of a solve [s], iterations, residuals and impulses, at the loosest
// tolerance 10^-k whose residuals e_p, e_d, e_c (theory 4, ccp without the lift) are all at most RESIDUAL; null where none is.
// RESIDUAL 0 prints the data alone.

#include "contact/balance.h"
#include "contact/impulses.h"
#include "contact/model.h"
#include "step/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tractrix/problem.h>

typedef struct residual {
    double e_p, e_d, e_c;
} residual;

// distance of (r, n) from the cone {a r <= b n}, r >= 0
static double distance(double a, double b, double r, double n)
{
    if (a * r <= b * n) return 0;
    return a * n + b * r <= 0 ? hypot(r, n) : (a * r - b * n) / hypot(a, b);
}

static residual residual_of(const trxi_contact_problem *problem, bool lifts)
{
    residual most = {0, 0, 0};
    for (int k = 0; k < problem->nblock; k++) {
        const trxi_row_block *b = &problem->blocks[k];
        const double mu = b->contact.mu;
        double f[3], c[3], work = 0;
        for (int r = 0; r < 3; r++) {
            f[r] = b->at.gamma[r];
            c[r] = b->at.v_c[r] + b->contact.sap.Rn * b->at.gamma[r] - (r == 2 ? b->contact.sap.v_hat : 0);
        }
        const double slip = hypot(c[0], c[1]);
        if (!lifts) c[2] += mu * slip;
        for (int r = 0; r < 3; r++) work += f[r] * c[r];
        most.e_p = fmax(most.e_p, distance(1, mu, hypot(f[0], f[1]), f[2]));
        most.e_d = fmax(most.e_d, distance(mu, 1, slip, c[2]));
        most.e_c = fmax(most.e_c, fabs(work));
    }
    return most;
}

// of one measurement, of solves between two looks at the clock [s]
static const double time_of_measurement = 0.02, time_of_batch = 1e-4;

// processor time [s], which other programs do not lengthen
static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- the data ----

static void print_numbers(const char *name, const double *x, int n)
{
    printf("\"%s\": [", name);
    for (int i = 0; i < n; i++) printf("%s%.17g", i ? ", " : "", x[i]);
    printf("], ");
}

// rows of all contacts at the velocity v
static void project(const trxi_contact_problem *problem, const double *v, bool free, double *out)
{
    for (int k = 0; k < problem->nblock; k++) {
        const trxi_row_block *b = &problem->blocks[k];
        trxi_row_project(b, v, free ? b->bias : trxi_row_rest, out + 3 * k);
        if (free) out[3 * k + 2] -= b->contact.sap.v_hat;
    }
}

// W of all contacts; v is scratch
static void form(const trxi_contact_problem *problem, trxi_work *s, int nv, double *v, double *W)
{
    const int n = 3 * problem->nblock;
    for (int j = 0; j < n; j++) {
        const trxi_row_block *b = &problem->blocks[j / 3];
        const double gamma[3] = {j % 3 == 0, j % 3 == 1, j % 3 == 2};
        memset(v, 0, (size_t)nv * sizeof *v);
        if (j % 3 == 0) trxi_delassus_columns(problem, b, s, s->GJ);
        trxi_delassus_apply(b, s, s->GJ, gamma, v);
        project(problem, v, false, W + n * j);
        W[n * j + j] += b->contact.sap.Rn;
    }
}

static void print_data(const trxi_contact_problem *problem, trxi_work *s, int nv)
{
    const int n = 3 * problem->nblock;
    double *W = calloc((size_t)(n * n + 2 * n + nv), sizeof *W), *g = W + n * n, *mu = g + n, *v = mu + n, least = INFINITY;
    for (const double start = processor_time(); processor_time() - start < time_of_measurement;) {
        const double begin = processor_time();
        int count = 0;
        for (; processor_time() - begin < time_of_batch; count++) form(problem, s, nv, v, W);
        least = fmin(least, (processor_time() - begin) / count);
    }
    for (int k = 0; k < problem->nblock; k++) mu[k] = problem->blocks[k].contact.mu;
    memcpy(v, problem->p0, (size_t)nv * sizeof *v);
    for (int k = 0; k < s->ngroup; k++) trxi_group_solve(problem, &s->groups[k], 1, v + s->groups[k].v, s->groups[k].nv);
    project(problem, v, true, g);
    printf("\"contacts\": %d, \"freedoms\": %d, \"seconds of W\": %.4g, ", problem->nblock, nv, least);
    print_numbers("mu", mu, problem->nblock);
    print_numbers("g", g, n);
    print_numbers("W", W, n * n);
    free(W);
}

// ---- our solvers ----

// the mean time of `count` solves
static double solve(const trxi_contact_problem *problem, const trxi_solver_settings *settings, const double *v0, int nv,
                    trxi_solver *solver, int count, trx_status *status)
{
    const double start = processor_time();
    for (int k = 0; k < count; k++) {
        memcpy(solver->v, v0, (size_t)nv * sizeof *v0);
        *status = trxi_contact_solve(problem, settings, solver);
    }
    return (processor_time() - start) / count;
}

static void print_solver(const trxi_contact_problem *problem, trx_contact_model model, trx_contact_solver which, double wanted,
                         const double *v0, int nv, trxi_solver *solver)
{
    enum { LOOSEST = 1, TIGHTEST = 14 };
    const bool lifts = model == TRX_CONTACT_CCP;
    for (int k = 0; k < problem->nblock; k++) problem->blocks[k].law = trxi_contact_model_of(model)->law;
    trxi_solver_settings settings = {.max_iterations = 100, .max_sweeps = 2000,
                                     .methods = trxi_contact_model_methods(model, which)};
    printf(", \"%s %s\": ", trx_contact_model_name(model), trx_contact_solver_name(which));
    for (int digits = LOOSEST; digits <= TIGHTEST; digits++) {
        trx_status status;
        settings.tolerance = pow(10, -digits);
        double least = solve(problem, &settings, v0, nv, solver, 1, &status);
        const residual r = residual_of(problem, lifts);
        const int iterations = solver->stats.iterations;
        if (status < 0) break; // a tighter tolerance takes longer
        if (!(fmax(r.e_p, fmax(r.e_d, r.e_c)) <= wanted)) continue;
        const int count = 1 + (int)(time_of_batch / least);
        for (const double start = processor_time(); processor_time() - start < time_of_measurement;)
            least = fmin(least, solve(problem, &settings, v0, nv, solver, count, &status));
        printf("{\"seconds\": %.4g, \"iterations\": %d, \"tolerance\": %g, ", least, iterations, settings.tolerance);
        printf("\"residual\": [%.4g, %.4g, %.4g], \"impulses\": [", r.e_p, r.e_d, r.e_c);
        for (int j = 0; j < 3 * problem->nblock; j++)
            printf("%s%.10g", j ? ", " : "", problem->blocks[j / 3].at.gamma[j % 3]);
        printf("]}");
        return;
    }
    printf("null");
}

static void measure(trx_sim *sim, const double *x, double time, double wanted, int step)
{
    const trx_sim_settings own = trx_sim_get_settings(sim);
    trx_sim_settings rigid = own;
    rigid.contact_model = TRX_CONTACT_NCP, rigid.contact_solver = TRX_SOLVER_USUAL, rigid.max_sweeps = 1;
    if (trx_sim_set_settings(sim, &rigid) != TRX_OK) exit(1);
    trx_step_from(sim, &(trx_step_input){.time = time, .x = x}, NULL); // poses the problem; need not converge
    trxi_contact_problem problem = sim->problem;
    problem.nblock = sim->rows.ncontact;
    const int nv = sim->in.model->nv;
    if (problem.nblock > 0) {
        printf("{\"step\": %d, \"dt\": %g, ", step, own.time_step);
        print_data(&problem, sim->solver.work, nv);
        printf("\"residual\": %g", wanted);
        for (int m = 0; m < TRX_CONTACT_SOLVERS && wanted > 0; m++)
            for (int k = 0; k < 2; k++) {
                const trx_contact_model model = k ? TRX_CONTACT_CCP : TRX_CONTACT_NCP;
                if (trxi_contact_model_methods(model, (trx_contact_solver)m))
                    print_solver(&problem, model, (trx_contact_solver)m, wanted, sim->in.v0, nv, &sim->solver);
            }
        printf("}\n");
    }
    if (trx_sim_set_settings(sim, &own) != TRX_OK) exit(1);
}

int main(int argc, char **argv)
{
    if (argc != 6) return fprintf(stderr, "usage: bench_solvers PROBLEM FIRST LAST EVERY RESIDUAL\n"), 2;
    const int first = atoi(argv[2]), last = atoi(argv[3]), every = atoi(argv[4]);
    trx_context *context;
    trx_problem *problem;
    trx_sim *sim;
    if (trx_context_create(NULL, &context) != TRX_OK) return 1;
    if (trx_problem_load(context, argv[1], NULL, &problem) < 0) return fprintf(stderr, "%s\n", trx_context_message(context)), 1;
    const trx_model *model = trx_problem_model(problem);
    const trx_sim_settings settings = trx_problem_sim_settings(problem);
    if (trx_sim_create(context, model, &settings, &sim) < 0) return fprintf(stderr, "%s\n", trx_context_message(context)), 1;
    const size_t size = (size_t)(model->nq + model->nv) * sizeof(double);
    double *x = malloc(size);
    if (!x) return 1;
    memcpy(x, trx_problem_start(problem), size);
    for (int k = 0; k <= last; k++) {
        const double time = k * settings.time_step;
        if (k >= first && (k - first) % every == 0) measure(sim, x, time, atof(argv[5]), k);
        if (trx_step_from(sim, &(trx_step_input){.time = time, .x = x}, x) < 0)
            return fprintf(stderr, "step %d: %s\n", k, trx_context_message(context)), 1;
    }
    free(x);
    trx_sim_destroy(sim);
    trx_problem_destroy(problem);
    trx_context_destroy(context);
    return 0;
}
