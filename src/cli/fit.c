// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix fit PROBLEM estimates parameters of the model from the recordings of the section fit, with their uncertainty.

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN_VALUES = 6 }; // shown parameters of a start

typedef struct watch {
    bool table; // a row for every iteration
} watch;

static bool on_iteration(const trx_fit_iteration *i, void *user)
{
    const watch *w = user;
    if (w->table && i->round >= 0) {
        if (i->iteration == 1) printf("%5s %9s %14s %10s %10s\n", "round", "iteration", "objective", "step", "damping");
        printf("%5d %9d %14.6g %10.2g %10.1g%s\n", i->round, i->iteration, i->objective, i->step, i->damping,
               i->accepted ? "" : "  refused");
    }
    return !cli_interrupted();
}

// ---- for people ----

static void print_estimates(const trx_fit *fit)
{
    const trx_fit_info info = trx_fit_get_info(fit);
    printf("\n%-40s %11s %11s %11s   %s\n", "parameter", "start", "value", "sd", "95 % interval");
    for (int i = 0; i < info.nparameter; i++) {
        const trx_fit_estimate e = trx_fit_get_estimate(fit, i);
        char n[5][CLI_NUMBER];
        const double sd = isnan(e.sd_robust) ? e.sd : fmax(e.sd, e.sd_robust);
        cli_number(n[0], 4, e.start);
        cli_number(n[1], 4, e.verdict == TRX_FIT_UNDETERMINED ? NAN : e.value);
        cli_number(n[2], 2, sd);
        printf("%-40s %11s %11s %11s   ", e.name, n[0], n[1], n[2]);
        if (isfinite(e.low)) printf("%s to %s", cli_number(n[3], 4, e.low), cli_number(n[4], 4, e.high));
        if (e.verdict != TRX_FIT_DETERMINED)
            printf("%s%s%s", cli_style_text(CLI_YELLOW), trx_fit_verdict_name(e.verdict), cli_style_text(CLI_PLAIN));
        printf("\n");
    }
}

// prints why the estimates may be doubtful: pairs of parameters whose effects are nearly the same, directions that the recordings
// do not determine, and warnings about time step and objective
static void print_doubts(const trx_fit *fit)
{
    static const double STRONG = 0.9;
    const trx_fit_info info = trx_fit_get_info(fit);
    for (int i = 0; i < info.nparameter; i++)
        for (int j = 0; j < i; j++) {
            const trx_fit_estimate a = trx_fit_get_estimate(fit, i), b = trx_fit_get_estimate(fit, j);
            const double c = trx_fit_correlation(fit, i, j);
            if (a.same_as >= 0 || b.same_as >= 0 || isnan(a.sd) || isnan(b.sd) || fabs(c) < STRONG) continue;
            printf("correlated: %s and %s, %+.3f\n", b.name, a.name, c);
        }
    for (int i = 0; i < info.ndirection; i++) printf("%s%s%s\n", cli_style_text(CLI_YELLOW), trx_fit_direction(fit, i),
                                                     cli_style_text(CLI_PLAIN));
    const char *const warnings[] = {info.step_verdict, info.rough_verdict};
    for (int i = 0; i < 2; i++)
        if (warnings[i]) printf("%s%s%s\n", cli_style_text(CLI_YELLOW), warnings[i], cli_style_text(CLI_PLAIN));
}

static void print_profiles(const trx_fit *fit)
{
    for (int i = 0; i < trx_fit_get_info(fit).nprofile; i++) {
        const trx_fit_profile p = trx_fit_get_profile(fit, i);
        char n[2][CLI_NUMBER];
        printf("profile of %s: %s to %s, %s\n", trx_fit_get_estimate(fit, p.estimate).name, cli_number(n[0], 4, p.low),
               cli_number(n[1], 4, p.high), p.verdict);
    }
}

// prints a sentence about the channel whose residual is least like noise, and names the other such channels
static void print_coloured(const trx_fit *fit)
{
    const int count = trx_fit_get_info(fit).nresidual;
    int worst = -1, others = 0;
    for (int i = 0; i < count; i++) {
        const trx_fit_residual_info r = trx_fit_get_residual(fit, i);
        if (r.whiteness != TRX_FIT_COLOURED) continue;
        if (worst < 0 || fabs(r.autocorrelation[0]) > fabs(trx_fit_get_residual(fit, worst).autocorrelation[0])) worst = i;
    }
    if (worst < 0) return;
    printf("%s: %s", trx_fit_get_residual(fit, worst).name, trx_fit_get_residual(fit, worst).verdict);
    for (int i = 0; i < count; i++) {
        const trx_fit_residual_info r = trx_fit_get_residual(fit, i);
        if (i != worst && r.whiteness == TRX_FIT_COLOURED) printf("%s%s", others++ ? ", " : "; also not white: ", r.name);
    }
    printf("\n");
}

static void print_residuals(const trx_fit *fit)
{
    const trx_fit_info info = trx_fit_get_info(fit);
    printf("\n%-28s %11s %11s %11s %11s %15s %10s\n", "residuals", "noise", "mean", "rms", "held out", "autocorrelation",
           "numbers");
    for (int i = 0; i < info.nresidual; i++) {
        const trx_fit_residual_info r = trx_fit_get_residual(fit, i);
        char n[5][CLI_NUMBER];
        if (r.count == 0) continue;
        printf("%-28s %11s %11s %11s %11s %15s %10lld\n", r.name, cli_number(n[0], 3, trx_fit_get_group(fit, r.group).noise),
               cli_number(n[1], 2, r.mean), cli_number(n[2], 3, r.rms), cli_number(n[3], 3, r.rms_held),
               cli_number(n[4], 2, r.autocorrelation[0]), r.count);
    }
    print_coloured(fit);
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef trx_fit_recording_info (*get_recording)(const trx_fit *fit, int recording);

static void print_rollouts(const trx_fit *fit, get_recording get, bool held_out, const char *how)
{
    const trx_fit_info info = trx_fit_get_info(fit);
    double *errors[2] = {malloc(sizeof(double) * (size_t)(info.nrecording + 1)),
                         malloc(sizeof(double) * (size_t)(info.nrecording + 1))};
    int count = 0;
    for (int i = 0; i < info.nrecording && errors[0] && errors[1]; i++) {
        const trx_fit_recording_info r = get(fit, i);
        if (r.held_out != held_out || r.status < 0) continue;
        errors[0][count] = r.position;
        errors[1][count++] = r.rotation;
    }
    if (count > 0) {
        char n[CLI_NUMBER];
        for (int k = 0; k < 2; k++) qsort(errors[k], (size_t)count, sizeof(double), compare_numbers);
        printf("%d recordings%s, each predicted from its first state: median error", count, how);
        if (isfinite(errors[0][count / 2])) printf(" %s", cli_length(n, errors[0][count / 2]));
        if (isfinite(errors[1][count / 2])) printf(" %s rad", cli_number(n, 3, errors[1][count / 2]));
        printf("\n");
    }
    free(errors[0]);
    free(errors[1]);
}

// prints every start and its end, each in the order of the parameters
static void print_starts(const trx_fit *fit)
{
    const trx_fit_info info = trx_fit_get_info(fit);
    if (info.nstart < 2) return;
    printf("\n%5s %12s %9s   %s\n", "start", "cost", "iterations", "ends at");
    for (int i = 0; i < info.nstart; i++) {
        const trx_fit_start s = trx_fit_get_start(fit, i);
        char number[CLI_NUMBER];
        printf("%5d %12s %9d  ", i, cli_number(number, 7, isfinite(s.cost) ? s.cost : NAN), s.iterations);
        for (int k = 0; k < info.nparameter && k < SHOWN_VALUES; k++) printf(" %10s", cli_number(number, 4, s.to[k]));
        printf("%s%s\n", i == info.best_start ? "  best" : "", s.status < 0 ? "  failed" : "");
    }
}

static void print_folds(const trx_fit *fit)
{
    const trx_fit_info info = trx_fit_get_info(fit);
    print_rollouts(fit, trx_fit_get_validated, true, " left out by one fold");
    for (int e = 0; e < info.nparameter; e++) {
        char n[CLI_NUMBER];
        const double sd = trx_fit_fold_deviation(fit, e);
        if (!isfinite(sd)) continue;
        printf("%s: sd %s by leaving out %d parts\n", trx_fit_get_estimate(fit, e).name, cli_number(n, 2, sd), info.folds);
    }
}

static void print_answer(const trx_fit *fit, const char *folder)
{
    const trx_fit_info info = trx_fit_get_info(fit);
    char seconds[CLI_NUMBER];
    print_starts(fit);
    print_estimates(fit);
    print_doubts(fit);
    print_profiles(fit);
    print_residuals(fit);
    print_rollouts(fit, trx_fit_get_recording, false, "");
    print_rollouts(fit, trx_fit_get_recording, true, " held out");
    if (info.folds > 0) print_folds(fit);
    if (info.solver_note) printf("%sIpopt: %s%s\n", cli_style_text(CLI_YELLOW), info.solver_note, cli_style_text(CLI_PLAIN));
    printf("%s: %d iterations in %d %s, %d windows, %lld residuals, %s\n", trx_status_text(info.status), info.iterations,
           info.rounds, info.rounds == 1 ? "round" : "rounds", info.windows, info.residuals, cli_seconds(seconds, info.seconds));
    printf("written: %s; use the values by --with %s/fitted.yaml\n", folder, folder);
}

// ---- the fit ----

static trx_status write_run(const cli_session *session, trx_fit *fit)
{
    const char *problem = trx_problem_text(session->problem);
    if (!*problem) return TRX_ERR_MEMORY; // a problem is never empty
    return trx_fit_write(fit, session->folder, trx_problem_title(session->problem), problem);
}

static int report(const cli_options *options, cli_session *session, trx_fit *fit)
{
    const trx_status status = trx_fit_get_info(fit).status;
    const trx_status written = write_run(session, fit);
    if (written < 0) return cli_fail(session->context, written);
    if (options->json) cli_json_file(session->folder, "summary");
    else if (!options->quiet) print_answer(fit, session->folder);
    if (status == TRX_INTERRUPTED) {
        if (!options->json && !options->quiet) printf("go on:   the same command with --resume\n");
        return CLI_INTERRUPTED;
    }
    return status == TRX_OK || status == TRX_STALLED ? CLI_OK : CLI_MISSED;
}

// prints the findings about the recordings after the findings about the problem
static void print_findings(const cli_options *options, const cli_session *session)
{
    if (!options->quiet) cli_print_findings(session->context, TRX_OK, true);
}

// PARENT/.NAME.progress for the run folder PARENT/NAME; NULL without memory. The caller frees it
static char *progress_file(const char *folder)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    size_t parent = length;
    while (parent > 0 && folder[parent - 1] != '/') parent--;
    const size_t size = length + sizeof "..progress";
    char *path = malloc(size);
    if (path) snprintf(path, size, "%.*s.%.*s.progress", (int)parent, folder, (int)(length - parent), folder + parent);
    return path;
}

static int run_fit(const cli_options *options, cli_session *session)
{
    trx_fit_data *data;
    trx_fit_problem problem;
    trx_fit_settings settings;
    trx_context_clear(session->context);
    trx_status status = trx_problem_fit(session->problem, &data, &problem, &settings);
    if (status < 0) return cli_fail(session->context, status);
    print_findings(options, session);
    char *save = progress_file(session->folder);
    settings.threads = options->threads, settings.save = save, settings.resume = options->resume;
    if (options->resume && save && access(save, F_OK) != 0 && !options->quiet)
        cli_note("no progress beside %s: the fit starts from the beginning", session->folder);
    watch w = {.table = !options->json && !options->quiet};
    trx_fit *fit = NULL;
    status = trx_fit_run(session->context, &problem, &settings, on_iteration, &w, &fit);
    if (fit && status != TRX_INTERRUPTED) status = trx_fit_cross_validate(fit);
    const int code = fit && status >= 0 ? report(options, session, fit) : cli_fail(session->context, status);
    if (save && (code == CLI_OK || code == CLI_MISSED)) unlink(save);
    free(save);
    trx_fit_destroy(fit);
    trx_fit_data_destroy(data);
    return code;
}

int cli_fit(const cli_options *options)
{
    if (options->design && options->resume) {
        cli_error("--resume belongs to a fit of recordings, not to --design");
        return CLI_USAGE;
    }
    if (options->design) return cli_session_run(options, cli_design);
    if (options->controls) {
        cli_error("--controls belongs to --design: recordings have controls of their own");
        return CLI_USAGE;
    }
    return cli_session_run(options, run_fit);
}
