// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A small pool of threads for work in independent pieces. Any thread may take any piece, so a piece must not depend
// on its thread. Results are then the same for every number of threads.

#ifndef TRXI_BASE_WORKERS_H
#define TRXI_BASE_WORKERS_H

#include "base/context.h"

typedef struct trxi_workers trxi_workers;

/// One piece: `index` in 0 .. count - 1, computed by `worker` in 0 .. threads - 1 (0 is the caller of run).
typedef void (*trxi_task)(int worker, int index, void *user);

/// Starts threads - 1 threads in addition to the caller, threads >= 1. Errors: MEMORY, also when a thread cannot be
/// started.
trx_status trxi_workers_create(trx_context *context, int threads, trxi_workers **workers);
void trxi_workers_destroy(trxi_workers *workers);

/// Does all pieces and returns when the last is done. One call at a time. Allocates nothing.
void trxi_workers_run(trxi_workers *workers, int count, trxi_task task, void *user);

/// A round in which the caller makes pieces one by one: begin, offer the pieces as they are made, end. Other threads
/// take offered pieces at once. The caller helps in `end`, which returns when all `count` pieces are done. `stop`
/// ends the round without the pieces that no thread has begun.
void trxi_workers_begin(trxi_workers *workers, trxi_task task, void *user);
void trxi_workers_offer(trxi_workers *workers, int count);
void trxi_workers_end(trxi_workers *workers, int count);
void trxi_workers_stop(trxi_workers *workers);

/// A hint that work comes soon, within some 100 us: sleeping threads wake up and poll.
void trxi_workers_rouse(trxi_workers *workers);

#endif
