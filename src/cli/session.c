// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A loaded problem for a verb, and the folder of its run.

#define _GNU_SOURCE

#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

trx_problem_options cli_load_options(const cli_options *options)
{
    trx_problem_options load = trx_problem_options_default();
    load.set = options->set.words, load.nset = options->set.count;
    load.packages = options->packages.words, load.npackage = options->packages.count;
    load.with = options->values.words, load.nwith = options->values.count;
    return load;
}

// $XDG_CACHE_HOME/tractrix or ~/.cache/tractrix; NULL without either variable. As in the XDG specification, a relative path
// in the environment counts as not set. A home that does not exist is not created: users of services often have such a home
static char *cache_folder(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *folder = NULL;
    int length = -1;
    if (cache && *cache == '/') length = asprintf(&folder, "%s/tractrix", cache);
    else if (home && *home == '/' && access(home, F_OK) == 0) length = asprintf(&folder, "%s/.cache/tractrix", home);
    return length < 0 ? NULL : folder;
}

trx_status cli_session_load(const cli_options *options, const char *path, cli_session *session)
{
    *session = (cli_session){0};
    double begun = trx_clock();
    trx_context_settings settings = trx_context_settings_default();
    char *cache = cache_folder();
    settings.cache = cache;
    const trx_status created = trx_context_create(&settings, &session->context);
    free(cache);
    if (created < 0) return created;
    const trx_problem_options load = cli_load_options(options);
    trx_status status = trx_problem_load(session->context, path, &load, &session->problem);
    session->seconds = trx_clock() - begun;
    return status;
}

int cli_session_open(const cli_options *options, const char *path, cli_session *session)
{
    const trx_status status = cli_session_load(options, path, session);
    if (status >= 0) return CLI_OK;
    if (session->context) return cli_fail(session->context, status);
    cli_error("out of memory");
    return CLI_IO;
}

char *cli_default_folder(const char *path, const char *suffix)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    const char *dot = strrchr(name, '.');
    if (dot && dot > name && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"))) length = (size_t)(dot - name);
    const size_t size = sizeof "runs/" + length + strlen(suffix);
    char *folder = malloc(size);
    if (folder) snprintf(folder, size, "runs/%.*s%s", (int)length, name, suffix);
    return folder;
}

// refuses a folder with the plan or the fit of another verb. All verbs have the same default folder, and plans and fits take long
// to compute again
static int refuse_other_results(const cli_options *options, const char *folder)
{
    static const struct {
        cli_verb verb;
        const char *file, *what;
    } results[] = {{CLI_PLAN, "policy.npz", "a plan"}, {CLI_FIT, "fitted.yaml", "a fit"}};
    for (size_t i = 0; !options->output && i < sizeof results / sizeof *results; i++) {
        char *file = NULL;
        const bool known = asprintf(&file, "%s/%s", folder, results[i].file) >= 0;
        const bool other = known && results[i].verb != options->verb && access(file, F_OK) == 0;
        if (known) free(file);
        if (!other) continue;
        cli_error("'%s' holds %s: name another folder by -o DIR, or this one to replace it", folder, results[i].what);
        return CLI_USAGE;
    }
    return CLI_OK;
}

int cli_session_folder(const cli_options *options, cli_session *session)
{
    session->folder = options->output ? strdup(options->output) : cli_default_folder(options->target, "");
    if (!session->folder) {
        cli_error("out of memory");
        return CLI_IO;
    }
    trx_status status = trx_run_check_path(session->context, session->folder);
    return status < 0 ? cli_fail(session->context, status) : refuse_other_results(options, session->folder);
}

void cli_session_close(cli_session *session)
{
    free(session->folder);
    trx_problem_destroy(session->problem);
    trx_context_destroy(session->context);
}

// warns in one line if geometry is missing, because a simulation without the missing contacts looks fine
static void note_missing(const cli_session *session, const char *path)
{
    int count = 0;
    for (int i = 0; i < trx_problem_note_count(session->problem); i++)
        count += trx_problem_note(session->problem, i).kind == TRX_NOTE_MISSING;
    if (count > 0)
        cli_note("the model lacks geometry of its robots, %d note%s: tractrix check %s", count, count > 1 ? "s" : "", path);
}

int cli_session_run(const cli_options *options, int (*work)(const cli_options *options, cli_session *session))
{
    cli_session session;
    int code = cli_session_open(options, options->target, &session);
    if (code == CLI_OK) code = cli_session_folder(options, &session);
    if (code == CLI_OK) {
        if (!options->quiet) {
            cli_print_findings(session.context, TRX_OK, true);
            note_missing(&session, options->target);
        }
        cli_catch_signals();
        code = work(options, &session);
    }
    cli_session_close(&session);
    return code;
}
