// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Sessions of recordings (theory 10); see sessions.h. A session is one recording if parameters are local to recordings, and all
// recordings of one file if parameters are local to files. Shared unknowns have the same number in the z of every session.

#include "fit/sessions.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

// how the local parameters of a problem are shared; SHARED: none is local
static trx_status find_sharing(trx_context *context, const trx_fit_problem *p, trx_fit_sharing *sharing)
{
    *sharing = TRX_FIT_SHARED;
    for (int i = 0; i < p->nparameter; i++) {
        const trx_fit_sharing per = p->parameters[i].per;
        if (per != TRX_FIT_SHARED && *sharing != TRX_FIT_SHARED && per != *sharing)
            return trxi_fail(context, TRX_ERR_UNSUPPORTED,
                             "not in this version: parameters per recording and per file in one fit (%s)", p->parameters[i].name);
        if (per != TRX_FIT_SHARED) *sharing = per;
    }
    for (int i = 0; i < p->nrecording && *sharing == TRX_FIT_PER_FILE; i++)
        if (!p->recordings[i].file)
            return trxi_fail(context, TRX_ERR_ARGUMENT, "%s has no file: parameters per file need one", p->recordings[i].name);
    return TRX_OK;
}

// the session of a recording among those found so far; -1: none
static int find_session(const trx_fit_problem *p, trx_fit_sharing sharing, const trxi_sessions *s, int recording)
{
    if (sharing == TRX_FIT_SHARED) return s->count > 0 ? 0 : -1;
    for (int i = 0; i < p->nrecording && sharing == TRX_FIT_PER_FILE; i++)
        if (s->of_recording[i] >= 0 && strcmp(p->recordings[i].file, p->recordings[recording].file) == 0)
            return s->of_recording[i];
    return -1;
}

static const char *name_of(const trx_fit_recording *r, trx_fit_sharing sharing)
{
    if (sharing == TRX_FIT_PER_RECORDING) return r->name;
    const char *slash = strrchr(r->file, '/');
    return slash ? slash + 1 : r->file;
}

static void find_all(const trx_fit_problem *p, trx_fit_sharing sharing, trxi_sessions *s)
{
    for (int i = 0; i < p->nrecording; i++) s->of_recording[i] = -1;
    for (int i = 0; i < p->nrecording; i++) {
        if (p->recordings[i].held_out) continue;
        int session = find_session(p, sharing, s, i);
        if (session < 0) {
            session = s->count++;
            if (s->names) s->names[session] = name_of(&p->recordings[i], sharing);
        }
        s->of_recording[i] = session;
    }
    for (int i = 0; i < p->nrecording; i++) {
        if (!p->recordings[i].held_out) continue;
        const int session = find_session(p, sharing, s, i);
        s->of_recording[i] = session >= 0 ? session : s->count;
    }
}

static bool is_local(const trx_fit_problem *p, int parameter)
{
    const int tie = p->parameters[parameter].same_as;
    return p->parameters[tie >= 0 ? tie : parameter].per != TRX_FIT_SHARED;
}

static trx_status list_entries(trxi_pool *pool, const trx_fit_problem *p, trxi_sessions *s)
{
    size_t count = 0;
    for (int i = 0; i < p->nparameter; i++) count += is_local(p, i) ? (size_t)s->count : 1;
    s->entries = TRXI_POOL(pool, trxi_entry, count + 1);
    if (!s->entries) return TRX_ERR_MEMORY;
    for (int i = 0; i < p->nparameter; i++) {
        const char *name = p->parameters[i].name;
        if (!is_local(p, i)) s->entries[s->nentry++] = (trxi_entry){i, -1, name};
        for (int k = 0; k < s->count && is_local(p, i); k++) {
            const char *both = trxi_pool_printf(pool, "%s of %s", name, s->names[k]);
            if (!both) return TRX_ERR_MEMORY;
            s->entries[s->nentry++] = (trxi_entry){i, k, both};
        }
    }
    return TRX_OK;
}

trx_status trxi_sessions_begin(trx_context *context, trxi_pool *pool, const trx_fit_problem *problem, trxi_sessions *s)
{
    trx_fit_sharing sharing;
    *s = (trxi_sessions){0};
    const trx_status status = find_sharing(context, problem, &sharing);
    if (status < 0) return status;
    s->of_recording = TRXI_POOL(pool, int, problem->nrecording + 1);
    if (!s->of_recording) return TRX_ERR_MEMORY;
    if (sharing != TRX_FIT_SHARED && !(s->names = TRXI_POOL(pool, const char *, problem->nrecording + 1))) return TRX_ERR_MEMORY;
    find_all(problem, sharing, s);
    return list_entries(pool, problem, s);
}

// the value of local unknown k for a recording without a session: the mean over all sessions
static double mean_of(const trxi_sessions *s, const trxi_unknowns *u, const double *z, int k)
{
    double sum = 0;
    for (int i = 0; i < s->count; i++) sum += z[i * u->count + k];
    return sum / s->count;
}

void trxi_sessions_values(const trxi_sessions *s, const trxi_unknowns *u, const double *z, double *values)
{
    for (int i = 0; i < s->count; i++) trxi_unknowns_values(u, z + (size_t)i * (size_t)u->count,
                                                            values + (size_t)i * (size_t)u->nparameter);
    double *typical = values + (size_t)s->count * (size_t)u->nparameter;
    for (int i = 0; i < u->nparameter; i++) {
        const int k = u->unknown_of[i];
        typical[i] = k < u->local ? trxi_unknowns_value(u, i, mean_of(s, u, z, k)) : values[i];
    }
}

const double *trxi_sessions_of(const trxi_sessions *s, const trxi_unknowns *u, const double *values, int recording)
{
    return values + (size_t)s->of_recording[recording] * (size_t)u->nparameter;
}

double trxi_sessions_prior(const trxi_sessions *s, const trxi_unknowns *u, const double *z)
{
    double sum = 0;
    for (int i = 0; i < s->count; i++)
        sum += trxi_unknowns_prior(u, i == 0 ? u->count : u->local, z + (size_t)i * (size_t)u->count, NULL, NULL, 0);
    return sum;
}

void trxi_sessions_from_entries(const trxi_sessions *s, const trxi_unknowns *u, const double *entries, double *z)
{
    for (int e = 0; e < s->nentry; e++) {
        const trxi_entry *entry = &s->entries[e];
        const int k = u->unknown_of[entry->parameter];
        if (u->parameter_of[k] != entry->parameter) continue;
        const double number = u->positive[k] ? log(entries[e]) : entries[e];
        for (int i = 0; i < s->count && u->body[k] < 0; i++)
            if (entry->session < 0 || entry->session == i) z[i * u->count + k] = number;

        // the ten numbers of a body are shared, and follow each other in both lists
        for (int i = 0; i < s->count && u->body[k] == 0; i++)
            trxi_moments_unknowns(u->start_values + entry->parameter, entries + e, z + i * u->count + k);
    }
}

int trxi_sessions_free(const trxi_sessions *s, const trxi_unknowns *u)
{
    return u->count - u->local + s->count * u->local;
}

int trxi_sessions_entry(const trxi_sessions *s, int parameter, int session)
{
    for (int e = 0; e < s->nentry; e++)
        if (s->entries[e].parameter == parameter && (s->entries[e].session < 0 || s->entries[e].session == session)) return e;
    return -1;
}
