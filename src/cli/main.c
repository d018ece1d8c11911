// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix: the command. Reads the command line, calls the verb, and checks that all output reached stdout.

#include "cli.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int run_verb(const cli_options *options)
{
    switch (options->verb) {
    case CLI_CHECK:
        return cli_check(options);
    case CLI_SIM:
        return cli_sim(options);
    case CLI_PLAN:
        return cli_plan(options);
    case CLI_COMPARE:
        return cli_compare(options);
    case CLI_MPC:
        return cli_mpc(options);
    case CLI_TRIAL:
        return cli_trial(options);
    case CLI_FIT:
        return cli_fit(options);
    case CLI_VIEW:
        return cli_view(options);
    case CLI_BENCH:
        return cli_bench(options);
    case CLI_HELP:
        return cli_help(options->target);
    case CLI_VERSION:
        printf("tractrix %s\n", trx_version());
        return CLI_OK;
    default:
        return CLI_USAGE;
    }
}

// Occupies the numbers 0 to 2 that the caller has closed, so that no file of a run gets one of them and messages go into it.
// stdout and stderr then fail as if they were closed
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
        code = run_verb(&options);
    }
    free(options.set);
    free(options.packages);
    free(options.over);
    free(options.values);
    // a reader that needs no more lines is no failure
    if ((fflush(stdout) != 0 || ferror(stdout)) && !cli_reader_left()) {
        cli_error("could not write to stdout");
        return CLI_IO;
    }
    return code;
}
