// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// compare --models M1,M2 simulates the problem with each contact model, from the same start with the same controls. All models
// are measured by the same residuals of rigid contact. Derivatives are compared with differences at knots of the run.

#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKED_KNOTS = 5 };

char *cli_compare_models(const char *models)
{
    static const char key[] = "contact.model=";
    char all[256] = "";
    for (int i = 0; *trx_contact_model_name((trx_contact_model)i); i++) {
        if (i > 0) strcat(all, ",");
        strcat(all, trx_contact_model_name((trx_contact_model)i));
    }
    const char *words = strcmp(models, "all") == 0 ? all : models;
    char *over = malloc(sizeof key + strlen(words));
    if (over) strcat(strcpy(over, key), words);
    return over;
}

static trx_status simulate(const cli_options *options, cli_session *session, trx_run *run)
{
    cli_drive drive = {0};
    trx_status status = cli_drive_read(options, session, run, &drive);
    trx_simulation simulation = trx_simulation_default();
    cli_drive_apply(options, &drive, &simulation);
    simulation.statistics = true;
    if (status >= 0) status = trx_run_simulate(run, &simulation);
    cli_drive_release(&drive);
    return status;
}

trx_status cli_compare_simulate(const cli_options *options, cli_variant *v, const char *path)
{
    cli_session *session = &v->session;
    trx_status status = trx_run_create(session->context, session->problem, &v->run);
    if (status >= 0) status = simulate(options, session, v->run);
    if (status >= 0) status = trx_run_write(v->run, path);
    if (status < 0) return status;
    // a run without a state at which derivatives can be judged has an empty cell
    v->checked = trx_problem_check_run(session->problem, path, CHECKED_KNOTS, &v->gradients) >= 0 && v->gradients.states > 0;
    return status;
}

void cli_compare_simulated_head(int width)
{
    printf("%s%-*s %-12s %6s %10s %9s %9s %9s %10s %11s %9s %9s%s\n", cli_style_text(CLI_DIM), width, "variant", "status", "iter.",
           "step", "e_p [N]", "e_d", "e_c", "lost [J]", "penetration", "distance", "error A", cli_style_text(CLI_PLAIN));
}

void cli_compare_simulated_row(int width, const cli_variant *v, const cli_variant *first)
{
    const trx_simulation_info info = trx_run_get_simulation(v->run);
    const trx_replay physical = trx_run_get_info(v->run).physical;
    char step[CLI_NUMBER], e_p[CLI_NUMBER], e_d[CLI_NUMBER], e_c[CLI_NUMBER], lost[CLI_NUMBER], error[CLI_NUMBER] = "-",
        distance[CLI_NUMBER], depth[CLI_NUMBER];
    if (v->checked) cli_number(error, 2, v->gradients.a_error);
    printf("%-*s %-12s %6.1f %10s %9s %9s %9s %10s %11s %9s %9s\n", width, v->name, "converged", info.iterations,
           cli_seconds(step, info.step_median), cli_number(e_p, 3, info.contact.e_p), cli_number(e_d, 3, info.contact.e_d),
           cli_number(e_c, 3, info.contact.e_c), cli_number(lost, 4, info.lost), cli_length(depth, fmax(physical.penetration, 0)),
           cli_number(distance, 3, trx_run_distance(v->run, first->run)), error);
}
