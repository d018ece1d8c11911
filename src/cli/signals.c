// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Signals. A verb that writes a run folder calls cli_interrupted between its steps. After the first signal it therefore stops
// and writes the run. At any other time a signal ends the command at once. A signal that was ignored when the command started
// stays ignored (nohup).

#define _GNU_SOURCE

#include "cli.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t deferred, stop_wanted;

static void on_signal(int number)
{
    (void)number;
    if (!deferred || stop_wanted) _exit(CLI_INTERRUPTED);
    stop_wanted = 1;
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN) return;
    sigaction(number, &action, NULL);
}

void cli_signals_start(void)
{
    handle(SIGINT, on_signal);
    handle(SIGTERM, on_signal);
    handle(SIGHUP, on_signal);
    handle(SIGXCPU, on_signal);
    handle(SIGPIPE, SIG_IGN);
    handle(SIGXFSZ, SIG_IGN);
}

void cli_catch_signals(void)
{
    deferred = 1;
}

bool cli_interrupted(void)
{
    return stop_wanted != 0;
}

bool cli_reader_left(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}
