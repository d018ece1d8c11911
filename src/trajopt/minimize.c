// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The loop of one minimization (theory 7), the same for every method: start, then iterate until the method ends, a
// limit is reached, or the callback stops it. Every iteration is a line of the table.

#include "trajopt/minimize.h"

// one line of the table; false when the caller wants to stop
static bool report(const trxi_minimization *m, double change)
{
    if (!m->callback) return true;
    const trxi_method_info info = m->method->info(m->solver);
    trx_iteration line = {
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
    return m->callback(&line, m->user);
}

static trx_status run(trxi_minimization *m)
{
    if (!report(m, 0)) return TRX_INTERRUPTED;

    while (m->done < m->limit) {
        if (trx_clock() >= m->deadline) return TRX_TIME_LIMIT;
        const double before = m->work->current->cost;
        bool finished;
        m->done++;
        trx_status status = m->method->iterate(m->solver, m->deadline, &finished);
        if (!report(m, before - m->work->current->cost)) return TRX_INTERRUPTED;
        if (finished || status < 0) return status;
    }
    return TRX_ITERATION_LIMIT;
}

trx_status trxi_minimize(trxi_minimization *m, bool warm)
{
    trx_status status = m->method->start(m->solver, warm, m->tolerance);
    if (status < 0) return status;
    status = run(m);
    if (m->method->finish) m->method->finish(m->solver);
    return status;
}
