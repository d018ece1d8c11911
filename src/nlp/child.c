// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A process that serves one caller. No other child inherits the socket, so the socket closes when the process dies. The
// environment of the child has one thread for BLAS: its numbers then do not depend on the machine's threads.

#define _GNU_SOURCE // SOCK_CLOEXEC
#include "nlp/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <tractrix/context.h>
#include <unistd.h>

enum { TEXT = 4096 };

// the child's ends: descriptor 0 is the socket, output goes nowhere
static int spawn(const char *program, int socket, pid_t *pid)
{
    char path[TEXT];
    const char *libraries = getenv("LD_LIBRARY_PATH");
    snprintf(path, sizeof path, "LD_LIBRARY_PATH=%s", libraries ? libraries : "");
    char one_blas[] = "OPENBLAS_NUM_THREADS=1", one_omp[] = "OMP_NUM_THREADS=1", name[TEXT];
    snprintf(name, sizeof name, "%s", program);
    char *const environment[] = {one_blas, one_omp, path, NULL}, *const arguments[] = {name, NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
    int error = posix_spawn_file_actions_adddup2(&actions, socket, 0);
    if (error == 0) error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (error == 0) error = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (error == 0) error = posix_spawn(pid, program, &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

bool trxi_child_start(const char *program, trxi_child *child, char *text, size_t size)
{
    int ends[2], error = 0;
    *child = (trxi_child){.socket = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        snprintf(text, size, "%s", strerror(errno));
        return false;
    }
    if ((error = spawn(program, ends[1], &child->pid)) != 0) snprintf(text, size, "%s", strerror(error));
    close(ends[1]);
    child->socket = ends[0];
    if (error == 0) return true;
    child->pid = 0;
    close(ends[0]);
    return false;
}

// waits for the end; a process that has closed its socket gets a moment to end by itself
static int reap(const trxi_child *child)
{
    const double patience = 0.2; // [s]
    const struct timespec pause = {0, 1000000};
    int how = 0;
    for (const double start = trx_clock(); trx_clock() - start < patience; nanosleep(&pause, NULL))
        if (waitpid(child->pid, &how, WNOHANG) == child->pid) return how;
    kill(child->pid, SIGKILL);
    while (waitpid(child->pid, &how, 0) < 0 && errno == EINTR) continue;
    return how;
}

void trxi_child_stop(trxi_child *child, char *text, size_t size)
{
    if (child->pid <= 0) return;
    close(child->socket);
    const int how = reap(child);
    if (WIFSIGNALED(how)) snprintf(text, size, "killed by signal %d (%s)", WTERMSIG(how), strsignal(WTERMSIG(how)));
    else snprintf(text, size, "exit code %d", WEXITSTATUS(how));
    *child = (trxi_child){.socket = -1};
}
