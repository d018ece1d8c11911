// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Sessions (theory 10): recordings that share the values of the parameters that are free per recording or per file. A problem
// without such parameters has one session.

#ifndef TRXI_FIT_SESSIONS_H
#define TRXI_FIT_SESSIONS_H

#include "fit/unknowns.h"

/// One value of the answer: a parameter, of one session if it is local.
typedef struct trxi_entry {
    int parameter;
    int session;      // -1: shared
    const char *name; // of the parameter, and of its session
} trxi_entry;

typedef struct trxi_sessions {
    int count;         // of sessions with fitted recordings, 1 or more
    int *of_recording; // nrecording: its session; `count`: a held-out recording whose session has no fitted recording
    const char **names; // count; NULL: no parameter is local
    trxi_entry *entries; // nentry: parameter by parameter, session by session
    int nentry;
} trxi_sessions;

/// Finds the sessions of all recordings, and the values of the answer. Errors: UNSUPPORTED (parameters per recording and others
/// per file), ARGUMENT (recordings without a file), MEMORY.
trx_status trxi_sessions_begin(trx_context *context, trxi_pool *pool, const trx_fit_problem *problem, trxi_sessions *sessions);

/// Values (nparameter x (count + 1)) of every session at its z (unknowns->count x count). The last column is for recordings without
/// a session: there local unknowns have the mean of all sessions.
void trxi_sessions_values(const trxi_sessions *sessions, const trxi_unknowns *unknowns, const double *z, double *values);

/// The values of the session of a recording.
const double *trxi_sessions_of(const trxi_sessions *sessions, const trxi_unknowns *unknowns, const double *values, int recording);

/// Half the squares of all priors at z (unknowns->count x count).
double trxi_sessions_prior(const trxi_sessions *sessions, const trxi_unknowns *unknowns, const double *z);

/// z of all sessions from the values of all entries.
void trxi_sessions_from_entries(const trxi_sessions *sessions, const trxi_unknowns *unknowns, const double *entries, double *z);

/// The number of free values.
int trxi_sessions_free(const trxi_sessions *sessions, const trxi_unknowns *unknowns);

/// The entry of a parameter in a session.
int trxi_sessions_entry(const trxi_sessions *sessions, int parameter, int session);

#endif
