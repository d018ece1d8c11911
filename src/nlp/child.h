// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A process of this machine that serves one caller over a socket.

#ifndef TRXI_NLP_CHILD_H
#define TRXI_NLP_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct trxi_child {
    pid_t pid;  // 0: none
    int socket; // this side of the socket; the child has the other one as descriptor 0
} trxi_child;

/// Starts `program`, without arguments, with output that nobody reads. False, with the reason in `text`, when the program
/// cannot be started.
bool trxi_child_start(const char *program, trxi_child *child, char *text, size_t size);

/// Ends the process, if it still runs, and writes how it ended to `text` ("killed by signal 9 (Killed)"). Does nothing for
/// a child without a process.
void trxi_child_stop(trxi_child *child, char *text, size_t size);

#endif
