// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Threads wait for a new round. In a round all threads, including the caller, take pieces until none is left: the
// other threads from the first piece on, the caller from the last piece backwards. A thread therefore mostly takes
// the same pieces in the next round, with their data in its cache. The caller then waits until all threads have left
// the round, because the next round resets the counters.
//
// Sleeping and waking take as long as several pieces. A waiting thread therefore polls for a short while before it
// sleeps, and a caller that has work soon can wake the sleepers (rouse).

#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static const double PATIENCE = 50e-6, ROUSED_PATIENCE = 400e-6; // before a thread sleeps [s]
enum { LOOKS = 64, LINE = 64 };                                  // looks between two readings of the clock; cache line

typedef struct worker {
    trxi_workers *pool;
    int index;
    pthread_t thread;
} worker;

struct trxi_workers {
    trx_context *context;
    int started; // threads without the caller
    worker *team;

    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    bool resting; // the caller sleeps until the end of a round

    // the round's work
    trxi_task task;
    void *user;

    // counters that several threads read or write, on cache lines of their own
    char apart[LINE];
    atomic_long round;  // number of the last round begun
    atomic_long roused; // calls of rouse
    atomic_bool quit;
    char between[LINE];
    atomic_int offered; // pieces that may be taken
    atomic_bool closed; // no further pieces in this round
    char apart_too[LINE];
    atomic_int taken; // number of pieces taken
    atomic_int next;  // next piece of the other threads; the caller counts down from `last`
    int last;
    char behind[LINE];
    atomic_int busy; // threads still in the round
};

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// takes a piece; false when none is available now; the caller takes pieces when all have been offered
static bool take(trxi_workers *pool, int index, int *piece)
{
    for (int taken = atomic_load(&pool->taken); taken < atomic_load(&pool->offered);) {
        if (!atomic_compare_exchange_weak(&pool->taken, &taken, taken + 1)) continue;
        *piece = index == 0 ? --pool->last : atomic_fetch_add(&pool->next, 1);
        return true;
    }
    return false;
}

static void work(trxi_workers *pool, int index)
{
    int piece;
    for (unsigned looks = 0;;) {
        // a thread that sees the round closed also sees all pieces that were offered before
        bool last = atomic_load(&pool->closed);
        if (take(pool, index, &piece)) {
            pool->task(index, piece, pool->user);
            looks = 0;
            continue;
        }
        if (last) return;
        if (++looks % LOOKS) pause_briefly();
        else sched_yield();
    }
}

// whether there is a reason to stop waiting
static bool is_called(trxi_workers *pool, long done)
{
    return atomic_load(&pool->round) != done || atomic_load(&pool->quit);
}

static bool look_for_round(trxi_workers *pool, long done, double patience)
{
    for (double until = trx_clock() + patience; trx_clock() < until;)
        for (int i = 0; i < LOOKS; i++) {
            if (is_called(pool, done)) return true;
            pause_briefly();
        }
    return false;
}

// returns when a round after `done` has begun, or to quit
static void await_round(trxi_workers *pool, long done)
{
    double patience = PATIENCE;
    long roused = atomic_load(&pool->roused);
    while (!look_for_round(pool, done, patience)) {
        pthread_mutex_lock(&pool->lock);
        while (!is_called(pool, done) && atomic_load(&pool->roused) == roused)
            pthread_cond_wait(&pool->begin, &pool->lock);
        pthread_mutex_unlock(&pool->lock);
        roused = atomic_load(&pool->roused);
        patience = ROUSED_PATIENCE;
    }
}

static void *loop(void *argument)
{
    worker *self = argument;
    trxi_workers *pool = self->pool;
    for (long done = 0;; done++) {
        await_round(pool, done);
        if (atomic_load(&pool->quit)) return NULL;
        work(pool, self->index);
        if (atomic_fetch_sub(&pool->busy, 1) > 1) continue;

        // the last thread that leaves
        pthread_mutex_lock(&pool->lock);
        if (pool->resting) pthread_cond_signal(&pool->end);
        pthread_mutex_unlock(&pool->lock);
    }
}

trx_status trxi_workers_create(trx_context *context, int threads, trxi_workers **workers)
{
    *workers = NULL;
    trxi_workers *pool = trxi_allocate(context, sizeof *pool);
    if (!pool) return TRX_ERR_MEMORY;
    pool->context = context;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    pool->team = trxi_allocate(context, (size_t)threads * sizeof *pool->team);
    for (int i = 0; pool->team && i < threads - 1; i++) {
        pool->team[i] = (worker){.pool = pool, .index = i + 1};
        if (pthread_create(&pool->team[i].thread, NULL, loop, &pool->team[i]) != 0) break;
        pool->started++;
    }
    if (!pool->team || pool->started < threads - 1) {
        int started = pool->started;
        trxi_workers_destroy(pool);
        return trxi_fail(context, TRX_ERR_MEMORY, "only %d of %d threads could be started", started + 1, threads);
    }
    *workers = pool;
    return TRX_OK;
}

void trxi_workers_destroy(trxi_workers *pool)
{
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->quit, true);
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->started; i++) pthread_join(pool->team[i].thread, NULL);
    pthread_cond_destroy(&pool->end);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->lock);
    trxi_release(pool->context, pool->team);
    trxi_release(pool->context, pool);
}

// increments a counter on which threads poll or sleep
static void call_all(trxi_workers *pool, atomic_long *counter)
{
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(counter, 1);
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
}

void trxi_workers_rouse(trxi_workers *pool)
{
    call_all(pool, &pool->roused);
}

// waits until no thread is in the round
static void await_end(trxi_workers *pool)
{
    for (double until = trx_clock() + PATIENCE; trx_clock() < until;)
        for (int i = 0; i < LOOKS; i++) {
            if (atomic_load(&pool->busy) == 0) return;
            pause_briefly();
        }
    pthread_mutex_lock(&pool->lock);
    pool->resting = true;
    while (atomic_load(&pool->busy) > 0) pthread_cond_wait(&pool->end, &pool->lock);
    pool->resting = false;
    pthread_mutex_unlock(&pool->lock);
}

void trxi_workers_begin(trxi_workers *pool, trxi_task task, void *user)
{
    pool->task = task, pool->user = user;
    atomic_store(&pool->offered, 0);
    atomic_store(&pool->closed, false);
    atomic_store(&pool->taken, 0);
    atomic_store(&pool->next, 0);
    atomic_store(&pool->busy, pool->started);
    call_all(pool, &pool->round);
}

void trxi_workers_offer(trxi_workers *pool, int count)
{
    atomic_store(&pool->offered, count);
}

void trxi_workers_end(trxi_workers *pool, int count)
{
    pool->last = count;
    atomic_store(&pool->offered, count);
    atomic_store(&pool->closed, true);
    work(pool, 0);
    await_end(pool);
}

void trxi_workers_stop(trxi_workers *pool)
{
    trxi_workers_end(pool, 0);
}

void trxi_workers_run(trxi_workers *pool, int count, trxi_task task, void *user)
{
    trxi_workers_begin(pool, task, user);
    trxi_workers_end(pool, count);
}
