// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Threads wait for a new round; in a round everybody, the caller included, takes the next piece from one counter until none
// is left. The caller then waits until all have left the round, so that the counter can be set for the next one.

#include "base/workers.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct worker {
    trxi_workers *pool;
    int index;
    pthread_t thread;
} worker;

struct trxi_workers {
    trx_context *context;
    int started; // threads beside the caller's
    worker *team;

    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    long round; // number of the last round begun
    int busy;   // threads still in it
    bool quit;

    // the round's work
    trxi_task task;
    void *user;
    int count;
    atomic_int next;
};

static void work(trxi_workers *pool, int index)
{
    for (int i = atomic_fetch_add(&pool->next, 1); i < pool->count; i = atomic_fetch_add(&pool->next, 1))
        pool->task(index, i, pool->user);
}

static void *loop(void *argument)
{
    worker *self = argument;
    trxi_workers *pool = self->pool;
    pthread_mutex_lock(&pool->lock);
    for (long done = 0;;) {
        while (pool->round == done && !pool->quit) pthread_cond_wait(&pool->begin, &pool->lock);
        if (pool->quit) break;
        done = pool->round;
        pthread_mutex_unlock(&pool->lock);
        work(pool, self->index);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) pthread_cond_signal(&pool->end);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
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
    pool->quit = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->started; i++) pthread_join(pool->team[i].thread, NULL);
    pthread_cond_destroy(&pool->end);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->lock);
    trxi_release(pool->context, pool->team);
    trxi_release(pool->context, pool);
}

void trxi_workers_run(trxi_workers *pool, int count, trxi_task task, void *user)
{
    pthread_mutex_lock(&pool->lock);
    pool->task = task, pool->user = user, pool->count = count;
    atomic_store(&pool->next, 0);
    pool->busy = pool->started;
    pool->round++;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    work(pool, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0) pthread_cond_wait(&pool->end, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}
