// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A small pool of threads for work that is cut into independent pieces. Which thread takes a piece is left open, so a piece
// must not depend on it; then results are the same for every number of threads.

#ifndef TRXI_BASE_WORKERS_H
#define TRXI_BASE_WORKERS_H

#include "base/context.h"

typedef struct trxi_workers trxi_workers;

/// One piece: `index` in 0 .. count - 1, done by `worker` in 0 .. threads - 1 (0 is the caller of run).
typedef void (*trxi_task)(int worker, int index, void *user);

/// Starts threads - 1 threads beside the caller's, threads >= 1. Errors: MEMORY, also when a thread cannot be started.
trx_status trxi_workers_create(trx_context *context, int threads, trxi_workers **workers);
void trxi_workers_destroy(trxi_workers *workers);

/// Does all pieces and returns when the last is done. One call at a time. Allocates nothing.
void trxi_workers_run(trxi_workers *workers, int count, trxi_task task, void *user);

/// The same where the caller makes pieces one by one: begin, offer them as they are made, end. Others do what is offered
/// meanwhile; the caller helps in the end, which returns when all `count` pieces are done. `stop` ends the round without those that
/// nobody has begun.
void trxi_workers_begin(trxi_workers *workers, trxi_task task, void *user);
void trxi_workers_offer(trxi_workers *workers, int count);
void trxi_workers_end(trxi_workers *workers, int count);
void trxi_workers_stop(trxi_workers *workers);

/// Work comes soon, within some 100 us: threads that sleep wake up and look out for it. No more than a hint.
void trxi_workers_rouse(trxi_workers *workers);

#endif
