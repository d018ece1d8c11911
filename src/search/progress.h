// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The object of a search, and its journal: a record for every round of candidates (theory 9).

#ifndef TRXI_SEARCH_PROGRESS_H
#define TRXI_SEARCH_PROGRESS_H

#include "formats/journal.h"
#include "search/round.h"

struct trx_search {
    trx_context *context;
    trxi_pool *pool;
    trx_search_settings settings;
    trxi_search_task task;
    trxi_crew crew;
    trx_plan *plan; // holds the result
    trx_candidate *candidates;
    trxi_prefix best;
    double best_rank;
    double effort; // work of all candidates so far, in the unit of the settings
    trx_search_callback callback;
    void *user;
    bool stopped;
    trx_search_info info;
    char message[512];

    // progress
    trxi_journal journal; // of the search, with settings.resumable
    bool restored;        // the next search continues the journal
    double begun;         // trx_clock at the start, less the time used before an interruption [s]
    double used;          // time until the end of the last round [s]
    trxi_text progress;   // bytes that trx_search_save returned last
};

/// Empties the journal, or goes back to the start of the restored one. Returns search->begun.
double trxi_search_begin_journal(trx_search *search);

/// Reads the results of a round from the journal. Returns their number of lines in the table, 0 at the end of the journal or
/// before a record of another round.
int trxi_search_recall_round(trx_search *search, trxi_job *jobs, int count);

/// Records the results of a round, the first `lines` jobs. A round that was cut short closes the journal.
void trxi_search_keep_round(trx_search *search, trxi_job *jobs, int lines);

#endif
