// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The saved progress of a search (theory 9); see formats/journal.h.
//
// A round of candidates is one record. A resumed search computes the placements of every round again, which gives the same jobs,
// and reads the results of the finished rounds. The unfinished round begins again.

#include "search/progress.h"

enum { ROUND, ENDS = 1 << ROUND };

// ---- rounds ----

typedef struct round_record {
    trx_search *search;
    trxi_job *jobs;
    int lines, most;
} round_record;

static void visit_job(trxi_visitor *v, const trxi_search_task *task, trxi_job *job)
{
    const int most = task->problem.steps;
    TRXI_VISIT(v, job->candidate);
    TRXI_VISIT(v, job->made.knots);
    if (job->made.knots < 0 || job->made.knots > most) job->made.knots = most;
    trxi_visit_doubles(v, job->made.x, (size_t)task->nstate * (size_t)(job->made.knots + 1));
    trxi_visit_doubles(v, job->made.u, (size_t)task->model->nu * (size_t)job->made.knots);
}

static void visit_round(trxi_visitor *v, void *object)
{
    round_record *r = object;
    TRXI_VISIT(v, r->search->used);
    TRXI_VISIT(v, r->lines);
    v->fits = v->fits && r->lines >= 0 && r->lines <= r->most; // a damaged record may have any number of lines
    for (int i = 0; i < r->lines && v->fits; i++) visit_job(v, &r->search->task, &r->jobs[i]);
}

int trxi_search_recall_round(trx_search *search, trxi_job *jobs, int count)
{
    round_record r = {.search = search, .jobs = jobs, .most = count};
    return trxi_journal_recall(&search->journal, ROUND, visit_round, &r) ? r.lines : 0;
}

void trxi_search_keep_round(trx_search *search, trxi_job *jobs, int lines)
{
    trxi_journal *journal = &search->journal;
    if (!search->settings.resumable || lines < 0) return;
    journal->closed = journal->closed || trxi_crew_must_stop(&search->crew);
    if (journal->closed) return;
    search->used = trx_clock() - search->begun;
    trxi_journal_keep(journal, ROUND, visit_round, &(round_record){search, jobs, lines, lines});
}

double trxi_search_begin_journal(trx_search *search)
{
    if (!search->restored) {
        trxi_journal_clear(&search->journal);
        search->used = 0;
    }
    search->restored = false;
    return trx_clock() - search->used;
}

// ---- save and restore ----

static void visit_inputs(trxi_visitor *v, void *object)
{
    trx_search *s = object;
    TRXI_VISIT(v, s->settings.seed);
    TRXI_VISIT(v, s->settings.starts);
    TRXI_VISIT(v, s->task.problem.steps);
    int nstate = s->task.nstate, nu = s->task.model->nu;
    TRXI_VISIT(v, nstate);
    TRXI_VISIT(v, nu);
}

static trx_status make_head(trx_search *search, trxi_journal_head *head)
{
    *head = (trxi_journal_head){.what = "search", .seconds = search->used};
    return trxi_journal_identify(search->context, visit_inputs, search, head->inputs);
}

static trx_status check_resumable(const trx_search *search)
{
    if (search->settings.resumable) return TRX_OK;
    return trxi_fail(search->context, TRX_ERR_ARGUMENT, "the search was created without the setting resumable");
}

trx_status trx_search_save(trx_search *search, const void **bytes, size_t *length)
{
    if (!search) return TRX_ERR_ARGUMENT;
    trxi_begin(search->context);
    if (!bytes || !length) return trxi_fail(search->context, TRX_ERR_ARGUMENT, "the progress is saved to bytes and their length");
    trx_status status = check_resumable(search);
    if (status < 0) return status;
    trxi_journal_head head;
    status = make_head(search, &head);
    if (status >= 0) status = trxi_journal_pack(&search->journal, &head, &search->progress);
    *bytes = search->progress.data;
    *length = search->progress.length;
    return status;
}

trx_status trx_search_restore(trx_search *search, const void *bytes, size_t length)
{
    if (!search) return TRX_ERR_ARGUMENT;
    trxi_begin(search->context);
    search->restored = false;
    trx_status status = check_resumable(search);
    if (status < 0) return status;
    trxi_journal_head head;
    status = make_head(search, &head);
    if (status >= 0) status = trxi_journal_unpack(search->context, &search->journal, bytes, length, ENDS, &head);
    if (status < 0) return status;
    search->used = head.seconds;
    search->restored = true;
    return TRX_OK;
}
