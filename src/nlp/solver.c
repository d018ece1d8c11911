// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The side of the caller: sends a nonlinear program to the process, then answers requests for values until the process
// reports an iteration or its end. The model stays here; the process knows numbers only. A process that dies, hangs or
// sends wrong frames is lost. This is an event with a text, and the caller keeps its results so far.
//
// One buffer with room for the largest frame serves all frames.

#include "nlp/solver.h"

#include "nlp/child.h"
#include "nlp/frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct trxi_nlp_solver {
    const char *program;
    double silence;     // [s]
    const trxi_nlp *nlp;
    trxi_child child;
    bool waits;         // the process waits for a word to go on
    size_t capacity;    // words in `words`
    uint64_t *words;
    double *x, *lambda; // of a request: n, m
    double *values;     // the answer
    char text[TRXI_NLP_TEXT];
};

static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t program_words(const trxi_nlp *nlp)
{
    return TRXI_NLP_HEAD + 3 * (size_t)nlp->n + 2 * (size_t)nlp->m + (size_t)nlp->njacobian + (size_t)nlp->nhessian;
}

static size_t most_values(const trxi_nlp *nlp)
{
    return largest(largest((size_t)nlp->n, (size_t)nlp->m), largest((size_t)nlp->njacobian, (size_t)nlp->nhessian)) + 1;
}

trx_status trxi_nlp_create(trx_context *context, const char *program, const trxi_nlp *sizes, double silence,
                           trxi_nlp_solver **solver)
{
    const size_t n = (size_t)sizes->n, m = (size_t)sizes->m, capacity = program_words(sizes) + 2 + n + m, most = most_values(sizes);
    const size_t name = strlen(program) + 1, numbers = capacity + n + m + most;
    *solver = NULL;
    trxi_nlp_solver *s = trxi_allocate(context, sizeof *s + numbers * sizeof(double) + name);
    if (!s) return TRX_ERR_MEMORY;
    s->words = (uint64_t *)(s + 1);
    s->x = (double *)(s->words + capacity);
    s->lambda = s->x + n;
    s->values = s->lambda + m;
    char *text = (char *)(s->values + most);
    memcpy(text, program, name);
    s->program = text;
    s->capacity = capacity;
    s->silence = silence;
    s->child.socket = -1;
    *solver = s;
    return TRX_OK;
}

void trxi_nlp_destroy(trx_context *context, trxi_nlp_solver *solver)
{
    if (solver) trxi_nlp_stop(solver);
    trxi_release(context, solver);
}

void trxi_nlp_stop(trxi_nlp_solver *solver)
{
    char how[TRXI_NLP_TEXT];
    trxi_child_stop(&solver->child, how, sizeof how);
}

const char *trxi_nlp_text(const trxi_nlp_solver *solver)
{
    return solver->text;
}

// ends the process and writes the reason; `what` may be NULL if the end of the process is the reason
static trxi_nlp_event lose(trxi_nlp_solver *s, const char *what)
{
    char how[TRXI_NLP_TEXT] = "not started";
    trxi_child_stop(&s->child, how, sizeof how);
    snprintf(s->text, sizeof s->text, "the process %.80s was lost: %.120s", s->program, what ? what : how);
    return TRXI_NLP_LOST;
}

static trxi_nlp_event lose_by(trxi_nlp_solver *s, trxi_frame_result result)
{
    char late[64];
    snprintf(late, sizeof late, "no answer for %g s", s->silence);
    if (result == TRXI_FRAME_LATE) return lose(s, late);
    return lose(s, result == TRXI_FRAME_BROKEN ? "it sent a damaged frame" : NULL);
}

// ---- the program ----

// copies numbers, or entries of a matrix, to the words from `at` on; returns the place after them
static size_t put(uint64_t *words, size_t at, const void *numbers, int count)
{
    if (count > 0) memcpy(words + at, numbers, (size_t)count * sizeof *words);
    return at + (size_t)count;
}

bool trxi_nlp_start(trxi_nlp_solver *s, const trxi_nlp *nlp)
{
    char why[TRXI_NLP_TEXT];
    s->nlp = nlp;
    s->waits = false;
    s->text[0] = '\0';
    trxi_nlp_stop(s);
    if (!trxi_child_start(s->program, &s->child, why, sizeof why)) {
        lose(s, why);
        return false;
    }
    uint64_t *w = s->words;
    w[TRXI_NLP_N] = (uint64_t)nlp->n, w[TRXI_NLP_M] = (uint64_t)nlp->m;
    w[TRXI_NLP_NJACOBIAN] = (uint64_t)nlp->njacobian, w[TRXI_NLP_NHESSIAN] = (uint64_t)nlp->nhessian;
    w[TRXI_NLP_MEMORY] = (uint64_t)nlp->memory, w[TRXI_NLP_WARM] = nlp->warm;
    w[TRXI_NLP_TOLERANCE] = trxi_word(nlp->tolerance);
    size_t at = put(w, TRXI_NLP_HEAD, nlp->x_lower, nlp->n);
    at = put(w, at, nlp->x_upper, nlp->n);
    at = put(w, at, nlp->g_lower, nlp->m);
    at = put(w, at, nlp->g_upper, nlp->m);
    at = put(w, at, nlp->start, nlp->n);
    at = put(w, at, nlp->jacobian, nlp->njacobian);
    at = put(w, at, nlp->hessian, nlp->nhessian);
    const double deadline = trx_clock() + s->silence;
    trxi_frame_result sent = trxi_frame_send(s->child.socket, TRXI_NLP_SIZES, w, TRXI_NLP_HEAD, deadline);
    if (sent == TRXI_FRAME_OK) sent = trxi_frame_send(s->child.socket, TRXI_NLP_PROGRAM, w, at, deadline);
    if (sent != TRXI_FRAME_OK) lose_by(s, sent);
    return sent == TRXI_FRAME_OK;
}

// ---- requests ----

static int count_of(const trxi_nlp *nlp, trxi_nlp_value what)
{
    switch (what) {
    case TRXI_NLP_F: return 1;
    case TRXI_NLP_GRADIENT: return nlp->n;
    case TRXI_NLP_G: return nlp->m;
    case TRXI_NLP_JACOBIAN: return nlp->njacobian;
    default: return nlp->nhessian;
    }
}

// the answer to a request of `count` words
static trxi_frame_result answer(trxi_nlp_solver *s, size_t count)
{
    const trxi_nlp *nlp = s->nlp;
    const size_t n = (size_t)nlp->n, m = (size_t)nlp->m;
    if (count != 2 + n + m || s->words[0] > TRXI_NLP_HESSIAN) return TRXI_FRAME_BROKEN;
    const trxi_nlp_value what = (trxi_nlp_value)s->words[0];
    memcpy(s->x, s->words + 2, n * sizeof(double));
    if (m > 0) memcpy(s->lambda, s->words + 2 + n, m * sizeof(double));
    const bool known = nlp->evaluate(nlp->user, what, s->x, trxi_number(s->words[1]), s->lambda, s->values);
    const size_t length = known ? (size_t)count_of(nlp, what) : 0;
    s->words[0] = known;
    if (length > 0) memcpy(s->words + 1, s->values, length * sizeof(double));
    return trxi_frame_send(s->child.socket, TRXI_NLP_VALUES, s->words, 1 + length, trx_clock() + s->silence);
}

static trxi_frame_result go_on(trxi_nlp_solver *s)
{
    if (!s->waits) return TRXI_FRAME_OK;
    s->waits = false;
    s->words[0] = 1;
    return trxi_frame_send(s->child.socket, TRXI_NLP_CONTINUE, s->words, 1, trx_clock() + s->silence);
}

trxi_nlp_event trxi_nlp_serve(trxi_nlp_solver *s, double deadline, trxi_nlp_iteration *line, int *result)
{
    trxi_frame_result done = go_on(s);
    while (done == TRXI_FRAME_OK) {
        uint32_t kind;
        size_t count;
        const double patience = trx_clock() + s->silence;
        done = trxi_frame_receive(s->child.socket, &kind, s->words, s->capacity, &count, fmin(deadline, patience));
        if (done == TRXI_FRAME_LATE && trx_clock() >= deadline) return TRXI_NLP_OUT_OF_TIME;
        if (done != TRXI_FRAME_OK) break;
        if (kind == TRXI_NLP_REQUEST) {
            done = answer(s, count);
        } else if (kind == TRXI_NLP_ITERATION && count == TRXI_NLP_NUMBERS) {
            memcpy(line, s->words, sizeof *line);
            s->waits = true;
            return TRXI_NLP_ITERATED;
        } else if (kind == TRXI_NLP_END && count == 1) {
            *result = (int)(int64_t)s->words[0];
            trxi_nlp_stop(s);
            return TRXI_NLP_SOLVED;
        } else {
            done = TRXI_FRAME_BROKEN;
        }
    }
    return lose_by(s, done);
}
