// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The public functions that read a finished fit (theory 10): values with their deviations, correlations, residuals, recordings.

#include "fit/answer.h"

#include <math.h>

const char *trx_fit_verdict_name(trx_fit_verdict verdict)
{
    static const char *const names[] = {"determined", "not determined", "at its bound", "by its prior"};
    return (unsigned)verdict < 4 ? names[verdict] : "";
}

trx_fit_info trx_fit_get_info(const trx_fit *fit)
{
    return fit->info;
}

// ---- values ----

// an unknown of a session (0 if shared), and whether it is a local one
typedef struct place {
    int session, unknown;
    bool local;
} place;

// the derivatives of the value of an entry with respect to the unknowns of a session
typedef struct seen {
    int session;
    bool local;
    trxi_slopes slopes;
} seen;

static seen seen_of(const trx_fit *fit, int entry)
{
    const trxi_entry *e = &fit->sessions.entries[entry];
    const int session = e->session < 0 ? 0 : e->session;
    const double *values = fit->values + (size_t)session * (size_t)fit->unknowns.nparameter;
    return (seen){session, e->session >= 0, trxi_unknowns_slopes_of(&fit->unknowns, values, e->parameter)};
}

// covariance of a local unknown with a shared one
static double cross(const trx_fit *fit, place local, place shared)
{
    const int m = fit->arrow.local;
    return fit->local[local.session].cross[(shared.unknown - m) * m + local.unknown];
}

// covariance of two unknowns in z. Local unknowns of two sessions are correlated only through the shared unknowns
static double covariance(const trx_fit *fit, place a, place b)
{
    const int m = fit->arrow.local, shared = fit->arrow.shared;
    if (!a.local && !b.local) return fit->covariance[(a.unknown - m) * shared + b.unknown - m];
    if (!a.local || !b.local) return a.local ? cross(fit, a, b) : cross(fit, b, a);
    if (a.session == b.session) return fit->local[a.session].own[a.unknown * m + b.unknown];
    double sum = 0;
    for (int j = 0; j < shared; j++)
        sum += fit->local[a.session].cross[j * m + a.unknown] * fit->local[b.session].slope[j * m + b.unknown];
    return sum;
}

// covariance of two values
static double value_covariance(const trx_fit *fit, const seen *a, const seen *b)
{
    double sum = 0;
    for (int i = 0; i < a->slopes.count; i++)
        for (int j = 0; j < b->slopes.count; j++)
            sum += a->slopes.by[i] * b->slopes.by[j] * covariance(fit, (place){a->session, a->slopes.first + i, a->local},
                                                                  (place){b->session, b->slopes.first + j, b->local});
    return sum;
}

static void set_deviations(const trx_fit *fit, const seen *s, trx_fit_estimate *e)
{
    e->sd = sqrt(fmax(value_covariance(fit, s, s), 0));
    e->sd_robust = s->local ? NAN : sqrt(trxi_shared_variance(fit, fit->robust, &s->slopes));
    const double wide = 1.959964 * fmax(e->sd, e->sd_robust), factor = exp(wide / fabs(e->value));
    const bool positive = fit->unknowns.positive[s->slopes.first];
    e->low = !positive ? e->value - wide : e->value < 0 ? e->value * factor : e->value / factor;
    e->high = !positive ? e->value + wide : e->value < 0 ? e->value / factor : e->value * factor;
}

trx_fit_estimate trx_fit_get_estimate(const trx_fit *fit, int estimate)
{
    if (estimate < 0 || estimate >= fit->sessions.nentry) return (trx_fit_estimate){.name = NULL, .same_as = -1};
    const trxi_unknowns *u = &fit->unknowns;
    const trxi_entry *entry = &fit->sessions.entries[estimate];
    const trx_fit_parameter *p = &fit->problem.parameters[entry->parameter];
    const seen at = seen_of(fit, estimate);
    const int unknown = u->unknown_of[entry->parameter];
    trx_fit_estimate e = {.name = entry->name, .parameter = entry->parameter, .sd = NAN, .sd_robust = NAN, .low = NAN, .high = NAN,
                          .halved = NAN,
                          .same_as = p->same_as < 0 ? -1 : trxi_sessions_entry(&fit->sessions, p->same_as, entry->session)};
    e.session = at.local ? fit->sessions.names[at.session] : NULL;
    e.start = u->start_values[entry->parameter];
    e.value = fit->values[at.session * u->nparameter + entry->parameter];
    e.verdict = fit->verdicts[at.session * u->count + unknown];
    if (e.verdict == TRX_FIT_UNDETERMINED || e.verdict == TRX_FIT_AT_BOUND) return e;
    set_deviations(fit, &at, &e);
    if (fit->halved) e.halved = fit->halved[estimate];
    return e;
}

double trx_fit_correlation(const trx_fit *fit, int a, int b)
{
    const int n = fit->sessions.nentry;
    if (a < 0 || b < 0 || a >= n || b >= n) return 0;
    const seen i = seen_of(fit, a), j = seen_of(fit, b);
    const double scale = sqrt(value_covariance(fit, &i, &i) * value_covariance(fit, &j, &j));
    return scale > 0 ? value_covariance(fit, &i, &j) / scale : 0;
}

// ---- the rest ----

trx_fit_start trx_fit_get_start(const trx_fit *fit, int start)
{
    return start >= 0 && start < fit->info.nstart ? fit->starts[start] : (trx_fit_start){.from = NULL};
}

trx_fit_group_info trx_fit_get_group(const trx_fit *fit, int group)
{
    return group >= 0 && group < fit->info.ngroup ? fit->groups[group] : (trx_fit_group_info){.name = NULL};
}

trx_fit_residual_info trx_fit_get_residual(const trx_fit *fit, int residual)
{
    return residual >= 0 && residual < fit->info.nresidual ? fit->residuals[residual] : (trx_fit_residual_info){.name = NULL};
}

trx_fit_profile trx_fit_get_profile(const trx_fit *fit, int profile)
{
    return profile >= 0 && profile < fit->info.nprofile ? fit->profiles[profile] : (trx_fit_profile){.estimate = -1};
}

trx_fit_recording_info trx_fit_get_recording(const trx_fit *fit, int recording)
{
    return recording >= 0 && recording < fit->info.nrecording ? fit->recordings[recording] : (trx_fit_recording_info){.name = NULL};
}

const char *trx_fit_direction(const trx_fit *fit, int direction)
{
    return direction >= 0 && direction < fit->info.ndirection ? fit->directions[direction] : NULL;
}
