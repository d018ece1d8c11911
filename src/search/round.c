// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The threads take candidates in the order of the table. A candidate that meets every goal ends the work on all later candidates;
// the work on earlier candidates goes on to its end. So the result is the first success in the order of the table, for every
// number of threads. Finished work on later candidates is not reported (theory 9).

#include "search/round.h"

#include "search/sampling.h"

#include <stdatomic.h>

static const double WORTH_POLISHING = 8; // error / tolerance above which a whole plan is not optimized further [1]

typedef struct batch {
    trxi_crew *crew;
    trxi_job *jobs;
    int count;
    atomic_int next;  // first job that no thread has begun
    atomic_int first; // first job that meets every goal, count: none
    atomic_int done;  // jobs that are finished
    atomic_int status;
} batch;

// a job and the thread that works on it
typedef struct work {
    batch *round;
    int index, worker;
} work;

bool trxi_crew_must_stop(const trxi_crew *crew)
{
    return trx_clock() > crew->deadline || (crew->stop && crew->stop(crew->stop_user));
}

// the caller's thread reports the progress of the round
static void report_progress(const work *w)
{
    const trxi_crew *crew = w->round->crew;
    if (crew->watch && w->worker == 0) crew->watch(atomic_load(&w->round->done), w->round->count, crew->watch_user);
}

static bool must_stop(void *user)
{
    const work *w = user;
    report_progress(w);
    return w->index > atomic_load(&w->round->first) || trxi_crew_must_stop(w->round->crew);
}

static void report_success(batch *r, int index)
{
    int first = atomic_load(&r->first);
    while (index < first && !atomic_compare_exchange_weak(&r->first, &first, index)) continue;
}

static trx_status copy_prefix(trxi_pool *pool, const trxi_search_task *task, const trxi_prefix *from, trxi_prefix *to)
{
    trx_status status = trxi_prefix_create(pool, task, to);
    if (status >= 0) trxi_prefix_extend(task, to, from->knots, from->x, from->u);
    return status;
}

// plans the piece, or samples controls; a candidate that reaches the last knot is then optimized as a whole
static trx_status plan_job(trxi_scout *scout, trxi_pool *pool, trxi_job *job, work *w)
{
    trx_candidate *c = &job->candidate;
    trxi_prefix grown;
    trx_status status = copy_prefix(pool, scout->task, job->from, &grown);
    if (status < 0) return status;
    const bool sampled = c->kind == TRX_CANDIDATE_SAMPLED;
    if (sampled) status = trxi_sampling_plan(scout, pool, must_stop, w, &grown, c);
    else status = trxi_piece_plan(scout, pool, &job->placement, c->last, must_stop, w, &grown, c);
    if (status < 0) return status;
    const bool planned = c->outcome == TRX_CANDIDATE_MET || c->outcome == TRX_CANDIDATE_MISSED;
    if (planned && job->last && (sampled || c->error < WORTH_POLISHING) && !must_stop(w))
        status = trxi_piece_polish(scout, pool, must_stop, w, &grown, c);
    else if (planned && !job->last)
        c->outcome = TRX_CANDIDATE_PARTIAL;
    job->made.knots = 0;
    trxi_prefix_extend(scout->task, &job->made, grown.knots, grown.x, grown.u);
    return status;
}

static void do_job(work *w)
{
    batch *r = w->round;
    trxi_scout *scout = &r->crew->scouts[w->worker];
    trxi_job *job = &r->jobs[w->index];
    const double start = trx_clock();
    job->begun = true;
    trxi_pool *pool = trxi_pool_create(scout->context);
    trx_status status = pool ? plan_job(scout, pool, job, w) : TRX_ERR_MEMORY;
    trxi_pool_destroy(pool);
    job->candidate.seconds = trx_clock() - start;
    if (status < 0) atomic_store(&r->status, status);
    if (job->candidate.outcome == TRX_CANDIDATE_MET) report_success(r, w->index);
    atomic_fetch_add(&r->done, 1);
}

// one thread: candidates in order until none is left
static void take_jobs(int worker, int index, void *user)
{
    (void)index;
    batch *r = user;
    for (;;) {
        work w = {r, atomic_fetch_add(&r->next, 1), worker};
        if (w.index >= r->count || must_stop(&w)) return;
        do_job(&w);
    }
}

int trxi_round_run(trxi_crew *crew, trxi_job *jobs, int count)
{
    batch r = {.crew = crew, .jobs = jobs, .count = count};
    atomic_init(&r.next, 0);
    atomic_init(&r.first, count);
    atomic_init(&r.done, 0);
    atomic_init(&r.status, TRX_OK);
    trxi_workers_run(crew->workers, crew->threads, take_jobs, &r);
    const trx_status status = (trx_status)atomic_load(&r.status);
    if (status < 0) return status;
    int lines = 0;
    while (lines < count && lines <= atomic_load(&r.first) && jobs[lines].begun) lines++;
    return lines;
}
