// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Extrapolated central differences, the search for an increment, and the verdict (theory 6); see richardson.h.

#include "verify/richardson.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double uncertain = 3e-6; // a column with a larger relative error estimate is not judged

double trxi_largest(int count, const double *values)
{
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(values[i]));
    return most;
}

bool trxi_richardson_offer(int rows, const double *wide, const double *narrow, double rounding, double *F, double *estimate)
{
    double apart = rounding;
    for (int i = 0; i < rows; i++) {
        const double change = fabs(narrow[i] - wide[i]);
        if (!isfinite(change)) return false;
        apart = fmax(apart, change + rounding);
    }
    if (!(apart < *estimate)) return false;
    *estimate = apart;
    for (int i = 0; i < rows; i++) F[i] = (4 * narrow[i] - wide[i]) / 3;
    return true;
}

// ---- the search ----

// returns the largest change of a column since the previous increment
static double change_since(int rows, const double *before, const double *F)
{
    double change = 0;
    for (int i = 0; i < rows; i++) change = fmax(change, fabs(F[i] - before[i]));
    return change;
}

// computes D(e), and D(e/2) only if it can improve the reference
static trx_status take_differences(trxi_central_difference *central, void *data, double e, bool last, double *wide, double *narrow,
                                   bool *smooth)
{
    *smooth = true;
    trx_status status = central(data, e, wide, smooth);
    if (status >= 0 && (*smooth || last)) status = central(data, 0.5 * e, narrow, smooth);
    return status;
}

// keeps F if its relative error estimate is the smallest so far; returns true when the search can end
static bool keep(const trxi_ladder *ladder, const double *F, double estimate, double e, bool smooth, trxi_column *c)
{
    const double size = fmax(trxi_largest(c->rows, F), c->floor);
    estimate = size > 0 ? estimate / size : 0;
    if (estimate > ladder->patience * c->estimate) return true;
    if (!(estimate < c->estimate)) return false;
    c->estimate = estimate;
    c->increment = e;
    c->crossed = !smooth;
    memcpy(c->F, F, (size_t)c->rows * sizeof *F);
    return estimate <= ladder->enough;
}

trx_status trxi_richardson_column(const trxi_ladder *ladder, trxi_central_difference *central, void *data, trxi_column *c)
{
    const int rows = c->rows;
    double *wide = c->scratch, *narrow = wide + rows, *F = narrow + rows, *before = F + rows;
    bool last = false, known = false; // known: `before` is the extrapolation of the previous increment
    c->estimate = INFINITY;
    for (double e = ladder->first; !last; e *= ladder->shrink) {
        bool smooth;
        last = !(e > 0 && e * ladder->shrink >= ladder->least); // increments may fall to 0
        trx_status status = take_differences(central, data, e, last, wide, narrow, &smooth);
        if (status < 0) return status;

        // use a difference across a kink only if no increment avoids the kink
        double estimate = INFINITY;
        const bool serves = smooth || (last && isinf(c->estimate)), confirms = known || !ladder->confirmed;
        known = serves && trxi_richardson_offer(rows, wide, narrow, c->rounding / e, F, &estimate);
        if (!known) continue;
        if (ladder->confirmed && confirms) estimate = fmax(estimate, change_since(rows, before, F));
        memcpy(before, F, (size_t)rows * sizeof *F);
        if (confirms && keep(ladder, F, estimate, e, smooth, c)) break;
    }
    return TRX_OK;
}

// ---- the verdict ----

trxi_verdict trxi_judge(int rows, int columns, const double *D, const double *F, const double *estimate, double least)
{
    trxi_verdict verdict = {0};
    double floor = least;
    for (int j = 0; j < columns; j++)
        if (!estimate || isfinite(estimate[j])) floor = fmax(floor, 1e-3 * trxi_largest(rows, F + (size_t)j * (size_t)rows));
    for (int j = 0; j < columns; j++) {
        const double *d = D + (size_t)j * (size_t)rows, *f = F + (size_t)j * (size_t)rows;
        const bool unknown = estimate && !isfinite(estimate[j]);
        const double scale = unknown ? 0 : fmax(trxi_largest(rows, f), floor);
        if (unknown || (estimate && !(estimate[j] <= uncertain * scale))) {
            verdict.left++;
            continue;
        }
        verdict.judged++;
        for (int i = 0; i < rows; i++) {
            double error = d[i] == f[i] ? 0 : fabs(d[i] - f[i]) / scale;
            if (error <= verdict.error) continue; // a NaN is not skipped: it is an error
            verdict.error = isnan(error) ? INFINITY : error;
            verdict.row = i, verdict.column = j;
        }
    }
    return verdict;
}
