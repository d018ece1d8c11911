// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A round of a search: candidates that do not depend on each other, worked on by all threads (theory 9).

#ifndef TRXI_SEARCH_ROUND_H
#define TRXI_SEARCH_ROUND_H

#include "base/workers.h"
#include "search/piece.h"

/// A candidate, what it starts from, and what it makes.
typedef struct trxi_job {
    trx_candidate candidate;
    const trxi_prefix *from;
    trxi_placement placement;
    trxi_prefix made; // the prefix of the parent with this piece
    bool last;        // the piece ends the plan, which is then optimized as a whole
    bool begun;       // a thread has worked on the job
} trxi_job;

/// Shared by all threads of a search.
typedef struct trxi_crew {
    int threads;
    trxi_scout *scouts; // one per thread
    trxi_workers *workers;
    double deadline;    // trx_clock [s]
    bool (*stop)(void *user); // of the settings, may be NULL
    void *stop_user;
    void (*watch)(int done, int count, void *user); // of the settings, may be NULL
    void *watch_user;
} trxi_crew;

/// Works on the jobs in their order. Returns how many lines of the table they make: all, or the lines up to and including the
/// first candidate that meets every goal. The time limit or `stop` ends the round early: jobs that were not begun make no lines.
/// Errors: MEMORY.
int trxi_round_run(trxi_crew *crew, trxi_job *jobs, int count);

/// Whether the time limit or the caller ends the search.
bool trxi_crew_must_stop(const trxi_crew *crew);

#endif
