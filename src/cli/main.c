// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix: the command. Reads the command line, calls the verb, and checks that all output reached stdout.

#include "cli.h"

#include <fcntl.h>
#include <unistd.h>

static int help(const cli_options *options)
{
    return cli_help(options->target);
}

static int version(const cli_options *options)
{
    (void)options;
    printf("tractrix %s\n", trx_version());
    return CLI_OK;
}

static int (*const verbs[CLI_VERBS])(const cli_options *options) = {
    [CLI_CHECK] = cli_check, [CLI_SIM] = cli_sim, [CLI_PLAN] = cli_plan, [CLI_MPC] = cli_mpc, [CLI_COMPARE] = cli_compare,
    [CLI_TRIAL] = cli_trial, [CLI_FIT] = cli_fit, [CLI_VIEW] = cli_view, [CLI_BENCH] = cli_bench, [CLI_HELP] = help,
    [CLI_VERSION] = version};

// opens the descriptors 0 to 2 that the caller has closed. Otherwise a file of the run would get such a number, and messages
// would be written into the file. Writing to stdout and stderr then fails as if they were closed
static void occupy_standard_descriptors(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDONLY)) >= 0 && fd <= STDERR_FILENO) continue;
    if (fd > STDERR_FILENO) close(fd);
}

int main(int argc, char **argv)
{
    occupy_standard_descriptors();
    cli_signals_start();

    // line buffering, so that the reader of a pipe sees every line at once
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);

    // sums in BLAS must not depend on the number of processors
    trx_process_use_one_blas_thread();

    cli_options options;
    int code = cli_options_parse(argc, argv, &options);
    if (code == CLI_OK) {
        cli_message_setup(options.no_color);
        code = verbs[options.verb](&options);
    }
    cli_options_release(&options);
    // a reader that needs no more lines is no failure
    if ((fflush(stdout) != 0 || ferror(stdout)) && !cli_reader_left()) {
        cli_error("could not write to stdout");
        return CLI_IO;
    }
    return code;
}
