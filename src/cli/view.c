// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix view RUN rewrites player.html of a run folder from the other files of the folder. On request it opens the page in a
// browser, writes the run as MJCF, or writes the policy as C, CSV or NPZ.

#define _XOPEN_SOURCE 700

#include "cli.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// runs xdg-open, which starts the browser and ends; returns false when this fails
static bool open_in_browser(const char *file)
{
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        int nowhere = open("/dev/null", O_RDWR);
        if (nowhere >= 0) {
            dup2(nowhere, STDIN_FILENO);
            dup2(nowhere, STDOUT_FILENO);
            dup2(nowhere, STDERR_FILENO);
        }
        execlp("xdg-open", "xdg-open", file, (char *)NULL);
        _exit(127);
    }
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// RUN/player.html; NULL when memory is out
static char *player_path(const char *folder)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    size_t size = length + sizeof "/player.html";
    char *path = malloc(size);
    if (path) snprintf(path, size, "%.*s/player.html", (int)length, folder);
    return path;
}

// writes the policy of the run; the problem in the folder describes the model
static int export_policy(const cli_options *options)
{
    cli_session session;
    trx_run *run = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/problem.yaml", options->target);
    int code = cli_session_open(options, path, &session);
    if (code == CLI_OK) {
        const double lead = trx_problem_policy(session.problem).delay;
        trx_status status = trx_run_create(session.context, session.problem, &run);
        if (status >= 0) status = trx_run_export_policy(run, options->target, lead, options->export);
        if (status < 0) code = cli_fail(session.context, status);
    }
    trx_run_destroy(run);
    cli_session_close(&session);
    return code;
}

int cli_view(const cli_options *options)
{
    trx_context *context;
    if (trx_context_create(NULL, &context) < 0) {
        cli_error("out of memory");
        return CLI_IO;
    }
    trx_status status = trx_run_rewrite_player(context, options->target);
    if (status >= 0 && options->mjcf) status = trx_run_export_mjcf(context, options->target, options->mjcf);
    int code = status < 0 ? cli_fail(context, status) : CLI_OK;
    trx_context_destroy(context);
    if (code == CLI_OK && options->export) code = export_policy(options);
    if (code != CLI_OK) return code;

    char *player = player_path(options->target);
    if (!player) {
        cli_error("out of memory");
        return CLI_IO;
    }
    if (options->json) {
        fputs("{\"player\": ", stdout);
        cli_json_string(stdout, player);
        fputs("}\n", stdout);
    } else if (!options->quiet) printf("%s\n", player);
    if (options->open && !open_in_browser(player)) {
        cli_error("xdg-open could not show it: open %s in a browser", player);
        code = CLI_IO;
    }
    free(player);
    return code;
}
