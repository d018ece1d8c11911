// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Search for plans that the optimization alone does not find (theory 9). The search places actuated bodies near passive bodies
// whose motion would lower the cost, on sides from which contact can give this motion. The actuated bodies move there on a path
// without collision, and the optimization plans the contact from there. Several such pieces follow each other if one contact is
// not enough. The pieces are joined to one plan of the problem's horizon, which is optimized on the physical model. If nothing can
// be placed, or no placement helps, random controls are simulated and the best of them are optimized.
//
// A search has the same result for a seed, any number of threads and any load of the machine: counted work bounds the search. Only
// a time limit, which is off by default, makes the result depend on time.

#ifndef TRACTRIX_SEARCH_H
#define TRACTRIX_SEARCH_H

#include <stdint.h>
#include <tractrix/plan.h>

TRX_BEGIN_C

typedef struct trx_search_settings {
    size_t size;       // sizeof(trx_search_settings), set by the default function
    int starts;        // largest number of candidates, 1 to 1,000,000 [1]
    double time_limit; // of the search, INFINITY: none [s]
    uint64_t seed;     // of all random numbers
    int threads;       // over candidates, 1 to 64 [1]
    bool resumable;    // records the progress for trx_search_save, which takes memory
    bool (*stop)(void *user); // ends the search within a round of candidates when it returns true; all threads call it; NULL: none
    void *stop_user;          // its argument
    double effort;     // work after which no round of candidates begins: iterations x knots of the plan x nv; three simulations
                       // with random controls count as an iteration [1e6]
    bool fine;         // the search goes on until a plan meets its goals on the fine replay too; after a plan that leans on its
                       // time step, a quarter of the effort is the limit
    void (*watch)(int done, int count, void *user); // called within a round by the thread of trx_search_solve with the numbers of
                                                    // finished and of all candidates of the round; NULL: none
    void *watch_user;                               // its argument
} trx_search_settings;

/// 96 candidates, no time limit, seed 1, one thread, not resumable, an effort of 4 (often about a minute), without the fine replay.
TRX_API trx_search_settings trx_search_settings_default(void);

typedef enum trx_candidate_kind {
    TRX_CANDIDATE_PLAIN = 0,     // the plan from the guess of the problem, given to the search
    TRX_CANDIDATE_PLACEMENT = 1, // a placement, the path to it, and the contact planned from there
    TRX_CANDIDATE_SAMPLED = 2,   // the cheapest of many simulations with random controls, optimized on the physical model
} trx_candidate_kind;

/// "plain", "placement", "sampled".
TRX_API const char *trx_candidate_kind_name(trx_candidate_kind kind);

typedef enum trx_candidate_outcome {
    TRX_CANDIDATE_MET = 0,     // meets every goal
    TRX_CANDIDATE_MISSED = 1,  // was optimized and misses a goal
    TRX_CANDIDATE_PARTIAL = 2, // a piece that others continue
    TRX_CANDIDATE_NO_PATH = 3, // no path without collision, or the path cannot be followed in time
    TRX_CANDIDATE_FAILED = 4,  // the optimization failed
    TRX_CANDIDATE_LEANS = 5,   // leans on its time step, with the setting `fine`: meets every goal, but not on the fine replay
} trx_candidate_outcome;

/// "met", "missed", "partial", "no path", "failed", "leans".
TRX_API const char *trx_candidate_outcome_name(trx_candidate_outcome outcome);

/// One line of the table of candidates.
typedef struct trx_candidate {
    int number;  // from 0, in the order of the table
    int parent;  // candidate that this candidate continues, -1: the start of the problem
    int piece;   // number of pieces before this piece [1]
    trx_candidate_kind kind;
    trx_candidate_outcome outcome;
    char placement[96]; // "pusher on box" with the point and the normal of the first contact, world; "" without a placement
    double score;       // share of the wanted motion that the contact cannot give, 0 is best; NAN without a placement [1]
    int first, last;    // knots of this piece
    int approach;       // knots of the path to the placement [1]
    double error;       // largest ratio of a goal's error or a limit's violation to its tolerance, of the piece [1]
    double fine;        // largest ratio of a goal's error to its tolerance on the fine replay; INFINITY: there is none [1]
    double cost;        // at the end of the piece; of the whole plan for a last piece [1]
    int iterations;     // of all optimizations [1]
    int simulations;    // with random controls [1]
    double seconds;     // [s]
} trx_candidate;

/// Called once per line of the table, in order, after every round of candidates. Returning false ends the search.
typedef bool (*trx_search_callback)(const trx_candidate *candidate, void *user);

typedef struct trx_search_info {
    trx_status status;     // OK: a plan meets every goal on its replay; STALLED: no plan does; TIME_LIMIT, INTERRUPTED
    const char *message;   // the attempts and why they failed, or that the result leans on its time step; "" after success
    int ncandidate;
    const trx_candidate *candidates;
    int best;              // candidate of the result, -1: none
    double seconds;        // [s]
} trx_search_info;

typedef struct trx_search trx_search;

/// Creates a search for the problem of a plan. Copies nothing of the problem: its arrays must outlive the search. `plan` are the
/// settings of every optimization. Errors: ARGUMENT, MEMORY, errors of trx_plan_create.
TRX_API trx_status trx_search_create(trx_context *context, const trx_plan_problem *problem, const trx_plan_settings *plan,
                                     const trx_search_settings *settings, trx_search **search);
TRX_API void trx_search_destroy(trx_search *search);

/// Searches until a plan meets every goal, or the starts or the time are used up. The judged result of `plain`, a plan of the same
/// problem, is candidate 0 and the result to beat; NULL: none. The best candidate is optimized on the physical model. `callback`
/// may be NULL. Returns the status of trx_search_info, or an error. Errors: ARGUMENT, MEMORY.
TRX_API trx_status trx_search_solve(trx_search *search, const trx_plan *plain, trx_search_callback callback, void *user);

/// Progress of the running search up to its last round of candidates, or of the last search, as bytes owned by the search and valid
/// until its next call. A callback may call this function. Errors: ARGUMENT (the search is not resumable), MEMORY.
TRX_API trx_status trx_search_save(trx_search *search, const void **bytes, size_t *length);

/// The next trx_search_solve continues from a saved progress of the same search and plain plan, with the same result as without an
/// interruption. It reports the candidates before the interruption again, and its time limit counts the time before the
/// interruption. Errors: ARGUMENT (the search is not resumable); INPUT (damaged, or of another search or version); MEMORY.
TRX_API trx_status trx_search_restore(trx_search *search, const void *bytes, size_t length);

TRX_API trx_search_info trx_search_get_info(const trx_search *search);

/// The plan that holds the result, owned by the search; NULL when no candidate is better than `plain`.
TRX_API trx_plan *trx_search_plan(const trx_search *search);

TRX_END_C

#endif
