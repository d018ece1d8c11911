// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The end of a run: writes the folder, prints the result, and determines the exit code.

#include "cli.h"

#include <math.h>

static const double DEEP = 1e-3; // deeper penetrations are explained [m]

enum { CLI_PLACE = 128 };

// all components of a missed goal
static void print_components(const trx_goal_result *goal)
{
    char number[CLI_NUMBER];
    if (goal->met || goal->ncomponent < 2 || !isfinite(goal->error)) return;
    printf("%s ", cli_style_text(CLI_DIM));
    for (int i = 0; i < goal->ncomponent; i++)
        printf(" %s %s %s%s", goal->names[i], cli_number(number, 3, goal->components[i]), goal->units[i],
               i + 1 < goal->ncomponent ? "," : "");
    printf("%s\n", cli_style_text(CLI_PLAIN));
}

static void print_goals(const trx_run_info *info)
{
    if (info->ngoal == 0) return;
    printf("%s%-32s %12s %12s %8s%s%s\n", cli_style_text(CLI_DIM), "goal", "error", "tolerance", "",
           info->has_fine ? "  fine replay" : "", cli_style_text(CLI_PLAIN));
    for (int i = 0; i < info->ngoal; i++) {
        const trx_goal_result *goal = &info->physical.goals[i];
        char error[CLI_NUMBER], tolerance[CLI_NUMBER], fine[CLI_NUMBER] = "";
        if (info->has_fine) cli_number(fine, 4, info->fine.goals[i].error);
        printf("%-32s %12s %12s %s%8s%s %12s\n", goal->name, cli_number(error, 4, goal->error),
               cli_number(tolerance, 4, goal->tolerance), cli_style_text(goal->met ? CLI_GREEN : CLI_RED),
               goal->met ? "met" : "missed", cli_style_text(CLI_PLAIN), fine);
        print_components(goal);
    }
}

// prints the worst goal that is met at the plan's time step and missed at a tenth of it
static void print_doubt(const trx_run *run)
{
    const trx_goal_result *goal = trx_run_doubtful_goal(run);
    if (!goal) return;
    char times[CLI_NUMBER], by[2 * CLI_NUMBER];
    const char *off = isfinite(goal->error) ? cli_number(times, 3, goal->error / goal->tolerance) : "many";
    snprintf(by, sizeof by, "%s times its tolerance", off);
    printf("%sthe plan leans on its time step%s: replayed at a tenth of it, %s is off by %s; try solve.search.fine or "
           "solve.refine\n", cli_style_text(CLI_YELLOW), cli_style_text(CLI_PLAIN), goal->name, by);
}

// knot and component where a limit is violated most: " at knot 12, joint_2"
static const char *place_of(const trx_limit_result *limit, char text[CLI_PLACE])
{
    text[0] = '\0';
    if (limit->knot >= 0)
        snprintf(text, CLI_PLACE, " at knot %d%s%.80s", limit->knot, *limit->component ? ", " : "", limit->component);
    return text;
}

// prints the limits that the problem asks for, like goals
static void print_asked_limits(const trx_run_info *info)
{
    if (info->nasked == 0) return;
    printf("%s%-32s %12s %12s %8s%s%s\n", cli_style_text(CLI_DIM), "limit", "violation", "tolerance", "",
           info->has_fine ? "  fine replay" : "", cli_style_text(CLI_PLAIN));
    for (int i = 0; i < info->nasked; i++) {
        const trx_limit_result *limit = &info->limits[i];
        char violation[CLI_NUMBER], tolerance[CLI_NUMBER], fine[CLI_NUMBER] = "", place[CLI_PLACE];
        if (info->has_fine) cli_number(fine, 4, info->fine.limits[i].violation);
        printf("%-32s %12s %12s %s%8s%s %12s%s\n", limit->name, cli_number(violation, 4, limit->violation),
               cli_number(tolerance, 4, limit->tolerance), cli_style_text(limit->met ? CLI_GREEN : CLI_RED),
               limit->met ? "met" : "missed", cli_style_text(CLI_PLAIN), fine, place_of(limit, place));
    }
}

// joints and controls have many limits: prints only the exceeded ones
static void print_limits(const trx_run_info *info)
{
    for (int i = info->nasked; i < info->nlimit; i++) {
        char by[CLI_NUMBER], place[CLI_PLACE];
        if (info->limits[i].met) continue;
        printf("%slimit of %s exceeded%s by %s%s\n", cli_style_text(CLI_RED), info->limits[i].name,
               cli_style_text(CLI_PLAIN), cli_number(by, 4, info->limits[i].violation), place_of(&info->limits[i], place));
    }
}

// contact statistics of the replay
static void print_contact(const trx_run_info *info)
{
    if (info->contacts == 0) return;
    char penetration[CLI_NUMBER], slip[CLI_NUMBER];
    printf("largest penetration %s, slip while sticking %s/s\n", cli_length(penetration, info->physical.penetration),
           cli_length(slip, info->physical.slip));
}

// statistics of the steps, and the energy balance
static void print_simulation(const trx_run *run)
{
    trx_simulation_info s = trx_run_get_simulation(run);
    char median[CLI_NUMBER], mean[CLI_NUMBER], iterations[CLI_NUMBER], contacts[CLI_NUMBER], energy[4][CLI_NUMBER];
    printf("step: %s median, %s mean; iterations %s mean, %d most; contacts %s mean, %d most\n",
           cli_seconds(median, s.step_median), cli_seconds(mean, s.step_mean), cli_number(iterations, 3, s.iterations),
           s.most_iterations, cli_number(contacts, 3, s.contacts), s.most_contacts);
    if (s.round_off > 0) printf("%d steps ended at the round-off floor of their residual\n", s.round_off);
    printf("energy: %s J at the start, %s J at the end; actuators brought %s J, %s J were lost\n",
           cli_number(energy[0], 5, s.kinetic[0] + s.gravity[0] + s.springs[0]),
           cli_number(energy[1], 5, s.kinetic[1] + s.gravity[1] + s.springs[1]), cli_number(energy[2], 5, s.actuators),
           cli_number(energy[3], 5, s.lost));
    if (s.frame_every > 1) printf("the player shows %d knots, one in %d\n", s.frames, s.frame_every);
}

static const char *status_words(trx_status status)
{
    switch (status) {
    case TRX_STALLED: return "stalled";
    case TRX_ITERATION_LIMIT: return "iteration limit reached";
    case TRX_TIME_LIMIT: return "time limit reached";
    case TRX_INTERRUPTED: return "interrupted";
    case TRX_PROCESS_LOST: return "solver lost";
    default: return status < 0 ? "failed" : "converged";
    }
}

void cli_print_outcome(const trx_run *run, const cli_session *session, cli_verb verb)
{
    trx_run_info info = trx_run_get_info(run);
    char seconds[CLI_NUMBER], cost[CLI_NUMBER];
    cli_style style = info.status < 0 ? CLI_RED : info.status == TRX_OK ? CLI_GREEN : CLI_YELLOW;
    if (verb == CLI_SIM || verb == CLI_MPC) {
        const char *word = info.status == TRX_INTERRUPTED ? "interrupted after" : "simulated";
        if (info.status < 0) word = "failed after";
        printf("%s%s%s %d steps in %s\n", cli_style_text(style), word, cli_style_text(CLI_PLAIN), info.steps,
               cli_seconds(seconds, info.solve));
    } else {
        printf("%s%s%s after %d iterations in %s, cost %s\n", cli_style_text(style), status_words(info.status),
               cli_style_text(CLI_PLAIN), info.iterations, cli_seconds(seconds, info.solve),
               cli_number(cost, 6, info.cost));
    }
    if (*info.message) printf("%s\n", info.message);
    if (info.second_try == TRX_TRY_KEPT) puts("this is the second try: stages with pairs: all in the file save the first");
    if (info.second_try == TRX_TRY_WORSE) puts("a second try, with pairs: all in every stage, was not better");
    print_goals(&info);
    print_doubt(run);
    print_asked_limits(&info);
    print_limits(&info);
    print_contact(&info);
    if ((verb == CLI_SIM || verb == CLI_MPC) && info.steps > 0) print_simulation(run);
    char folder[CLI_TEXT];
    cli_shown(folder, session->folder);
    printf("run folder: %s\nwatch it:   %s/player.html\n", folder, folder);
}

// exit code of a run; the tests have the order interrupted, no result, bad result
static int outcome_code(const cli_options *options, const trx_run *run)
{
    trx_run_info info = trx_run_get_info(run);
    if (info.status == TRX_INTERRUPTED) return CLI_INTERRUPTED;
    if (info.status < 0) return CLI_MISSED;
    if (options->verb == CLI_SIM) return CLI_OK;
    if (!trx_run_goals_met(run)) return CLI_MISSED;
    if (options->strict && trx_run_doubtful_goal(run)) return CLI_MISSED;
    bool settled = info.status == TRX_OK || info.status == TRX_ROUND_OFF;
    return settled || (info.status == TRX_STALLED && info.ngoal > 0) ? CLI_OK : CLI_MISSED;
}

// prints the findings of `check` after a deep penetration, because its usual causes are the start or the time step
static void explain_penetration(const trx_run_info *info, cli_session *session)
{
    if (!(info->physical.penetration > DEEP)) return;
    fflush(stdout);
    trx_context_clear(session->context);
    if (trx_problem_diagnose(session->problem) >= 0) cli_print_findings(session->context, TRX_OK, true);
}

int cli_finish_run(const cli_options *options, cli_session *session, trx_run *run)
{
    trx_status status = trx_run_get_info(run).written ? TRX_OK : trx_run_write(run, session->folder);
    if (status < 0) return cli_fail(session->context, status);
    trx_run_info info = trx_run_get_info(run);
    if (options->json) fputs(trx_run_summary(run), stdout);
    else if (!options->quiet) {
        cli_print_outcome(run, session, options->verb);
        explain_penetration(&info, session);
    }
    if ((options->json || options->quiet) && info.status < 0) cli_error("%s", info.message);
    return outcome_code(options, run);
}
