// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The loop of one minimization (theory 7), the same for every method: start, then iterate until the method ends, a
// limit is reached, or the callback stops it. Every iteration is a line of the table.
//
// A minimization is a part of the plan's journal (formats/journal.h). Each line is a record. The state after the last
// iteration follows, and is replaced by the result when the minimization ends. A recorded minimization is not repeated:
// its lines are reported again, and its result or its last state is read. A time limit changes the minimization, so it closes the
// journal.
//
// A minimization that begins with a lost result (continuation.c) tests its progress every PATIENCE iterations. It gives up if the
// same progress again would not bring the cost down to lost_cost.

#include "trajopt/minimize.h"

#include <math.h>

enum { PATIENCE = 10 };

// ---- records ----

static void visit_line(trxi_visitor *visitor, void *object)
{
    trx_iteration *line = object;
    TRXI_VISIT(visitor, *line);
}

// visits the current trajectory, the policy, whose program is work->ocp or NULL, and the diagonal of the regularization
static void visit_workspace(trxi_visitor *visitor, trxi_workspace *work)
{
    trxi_policy *policy = &work->policy;
    bool has_program = policy->ocp != NULL;
    trxi_trajectory_visit(visitor, work->rollout, work->current);
    trxi_visit_doubles(visitor, policy->k, work->ocp.controls);
    trxi_visit_doubles(visitor, policy->K, work->ocp.gains);
    if (policy->P) trxi_visit_doubles(visitor, policy->P, (size_t)work->ocp.nu * work->ocp.controls);
    TRXI_VISIT(visitor, policy->linear);
    TRXI_VISIT(visitor, policy->quadratic);
    TRXI_VISIT(visitor, policy->gradient);
    TRXI_VISIT(visitor, policy->clamped);
    TRXI_VISIT(visitor, has_program);
    policy->ocp = has_program ? &work->ocp : NULL;
    trxi_visit_doubles(visitor, work->scale, (size_t)work->ocp.nu);
}

static void visit_result(trxi_visitor *visitor, void *object)
{
    trxi_minimization *m = object;
    TRXI_VISIT(visitor, m->done);
    TRXI_VISIT(visitor, m->finished);
    TRXI_VISIT(visitor, m->gave_up);
    TRXI_VISIT(visitor, m->status);
    TRXI_VISIT(visitor, m->marked);
    TRXI_VISIT(visitor, m->mark);
    visit_workspace(visitor, m->work);
    m->method->visit(visitor, m->solver);
}

// visits the state after an iteration: the result, and the program, which may belong to the current trajectory
static void visit_state(trxi_visitor *visitor, void *object)
{
    const trxi_minimization *m = object;
    visit_result(visitor, object);
    trxi_ocp_visit(visitor, &m->work->ocp);
}

// records a line and the state after it, except after an iteration that ran out of time, which a resumed solve repeats
static void keep_line(trxi_minimization *m, trx_iteration *line)
{
    if (!m->journal || m->status == TRX_TIME_LIMIT) return;
    trxi_journal_keep(m->journal, TRXI_RECORD_LINE, visit_line, line);
    if (!m->method->begins_again) trxi_journal_keep_state(m->journal, TRXI_RECORD_STATE, visit_state, m);
}

static void keep_result(trxi_minimization *m)
{
    const bool ended = m->status == TRX_OK || m->status == TRX_STALLED || m->status == TRX_ITERATION_LIMIT;
    if (!m->journal) return;
    m->journal->closed = m->journal->closed || m->status == TRX_TIME_LIMIT;
    if (!ended) return;
    trxi_journal_keep(m->journal, TRXI_RECORD_RESULT, visit_result, m);
}

// ---- the loop ----

// reports a line to the caller; returns false when the caller wants to stop
static bool report(trxi_minimization *m, const trx_iteration *line)
{
    m->seconds = line->seconds;
    return !m->callback || m->callback(line, m->user);
}

// makes a line of the table, records and reports it
static bool add_line(trxi_minimization *m, double change)
{
    const trxi_method_info info = m->method->info(m->solver);
    trx_iteration line = {
        .attempt = m->attempt,
        .stage = m->stage,
        .iteration = m->done,
        .cost = m->work->current->cost,
        .change = change,
        .expected = info.expected,
        .gradient = info.gradient,
        .step = info.step,
        .regularization = info.regularization,
        .seconds = trx_clock() - m->start_time,
        .defect = info.defect,
    };
    keep_line(m, &line);
    return report(m, &line);
}

static trx_status start(trxi_minimization *m, trxi_origin origin)
{
    m->finished = m->gave_up = false;
    m->status = m->method->start(m->solver, origin, m->tolerance);
    m->marked = m->done;
    m->mark = m->work->current->cost;
    if (m->status >= 0 && !add_line(m, 0)) m->status = TRX_INTERRUPTED;
    return m->status;
}

// after every PATIENCE iterations: gives up if the same progress, made again, would leave the cost above lost_cost
static void review_progress(trxi_minimization *m)
{
    const double cost = m->work->current->cost, progress = m->mark - cost;
    if (m->done - m->marked < PATIENCE) return;
    m->marked = m->done;
    m->mark = cost;
    m->gave_up = !m->finished && cost - m->lost_cost > progress;
}

static trx_status iterate(trxi_minimization *m)
{
    while (!m->finished && !m->gave_up && m->done < m->limit) {
        if (trxi_rollout_is_late(m->work->rollout)) return TRX_TIME_LIMIT;
        const double before = m->work->current->cost;
        m->status = m->method->iterate(m->solver, m->done + 1 == m->limit, &m->finished);
        if (m->status < 0) return m->status; // no line: calls of the caller would clear the context's message
        m->done++;
        review_progress(m);
        if (!add_line(m, before - m->work->current->cost)) return TRX_INTERRUPTED;
    }
    if (m->gave_up) return TRX_STALLED;
    return m->finished ? m->status : TRX_ITERATION_LIMIT;
}

// reads the lines of a recorded minimization, and its last state or its result; *ended: there is a result. Returns the status of
// the result, TRX_OK after a state, INTERRUPTED when the caller stops, or INPUT when the journal belongs to another solve
static trx_status recall(trxi_minimization *m, bool *ended)
{
    trx_iteration line;
    *ended = false;
    while (trxi_journal_recall(m->journal, TRXI_RECORD_LINE, visit_line, &line))
        if (!report(m, &line)) return TRX_INTERRUPTED;
    if (trxi_journal_recall(m->journal, TRXI_RECORD_STATE, visit_state, m)) return TRX_OK;
    *ended = trxi_journal_recall(m->journal, TRXI_RECORD_RESULT, visit_result, m);
    return *ended ? m->status : TRX_ERR_INPUT;
}

static trx_status minimize(trxi_minimization *m, trxi_origin origin)
{
    bool ended = false;
    trx_status status = m->journal && trxi_journal_recalls(m->journal) ? recall(m, &ended) : start(m, origin);
    if (ended || status != TRX_OK) return status;
    m->status = iterate(m);
    if (m->method->finish) m->method->finish(m->solver);
    keep_result(m);
    return m->status;
}

trx_status trxi_minimize(trxi_minimization *m, trxi_origin origin)
{
    m->work->rollout->deadline = m->deadline;
    const trx_status status = minimize(m, origin);
    m->work->rollout->deadline = INFINITY;
    return status;
}
