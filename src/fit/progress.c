// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The progress of a fit (theory 10); see progress.h. The file is a head, the journal, and the CRC-32 of both, in the byte order of
// the machine. The head identifies the fit by a hash of its settings, parameters and recordings, and of the objective that every
// window has at the start, on which the model acts. Writing takes at most a twentieth of the time. A file that cannot be written
// costs a warning, not the fit.

#include "fit/progress.h"

#include "base/context.h"
#include "formats/files.h"
#include "formats/npz.h"
#include "formats/sha256.h"

#include <tractrix/version.h>

#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { PART, DESCENT, ENDS = 1 << PART | 1 << DESCENT }; // kinds of records
enum { MAX_PROGRESS = 1 << 30 };
static const double EVERY = 1;      // [s]
static const double WRITING = 0.05; // share of the time

typedef struct head {
    char name[24], version[24], fit[65];
} head;

static const char NAME[24] = "tractrix fit progress";

// ---- the identity of a fit ----

static void visit_recording(trxi_visitor *v, const trx_fit_problem *p, const trx_fit_recording *r)
{
    trx_fit_recording copy = *r;
    const size_t rows = (size_t)r->rows;
    TRXI_VISIT(v, copy.rows);
    TRXI_VISIT(v, copy.window);
    TRXI_VISIT(v, copy.held_out);
    trxi_visit_doubles(v, (double *)r->t, rows);
    trxi_visit_doubles(v, (double *)r->values, rows * (size_t)p->columns);
    trxi_visit_doubles(v, (double *)r->u, rows * (size_t)trx_model_get_size(p->model).nu);
}

static void visit_parameter(trxi_visitor *v, const trx_fit_parameter *p)
{
    trx_fit_parameter copy = *p;
    trxi_visit(v, (char *)p->name, strlen(p->name));
    TRXI_VISIT(v, copy.start);
    TRXI_VISIT(v, copy.min);
    TRXI_VISIT(v, copy.max);
    TRXI_VISIT(v, copy.prior_mean);
    TRXI_VISIT(v, copy.prior_sd);
    TRXI_VISIT(v, copy.same_as);
    TRXI_VISIT(v, copy.ratio);
    TRXI_VISIT(v, copy.per);
    TRXI_VISIT(v, copy.profile);
    TRXI_VISIT(v, copy.body_number);
}

static void visit_identity(trxi_visitor *v, void *object)
{
    trx_fit *fit = object;
    trx_fit_settings s = fit->settings;
    TRXI_VISIT(v, s.solver);
    TRXI_VISIT(v, s.iterations);
    TRXI_VISIT(v, s.rounds);
    TRXI_VISIT(v, s.tolerance);
    TRXI_VISIT(v, s.huber);
    TRXI_VISIT(v, s.start_position);
    TRXI_VISIT(v, s.start_velocity);
    TRXI_VISIT(v, s.first_velocity);
    TRXI_VISIT(v, s.start_activation);
    TRXI_VISIT(v, s.starts);
    TRXI_VISIT(v, s.seed);
    TRXI_VISIT(v, s.start_in_impacts);
    for (int g = 0; g < fit->problem.ngroup; g++) {
        trx_fit_group group = fit->problem.groups[g];
        TRXI_VISIT(v, group.noise);
        TRXI_VISIT(v, group.ignored);
    }
    for (int i = 0; i < fit->problem.nparameter; i++) visit_parameter(v, &fit->problem.parameters[i]);
    for (int i = 0; i < fit->problem.nrecording; i++) visit_recording(v, &fit->problem, &fit->problem.recordings[i]);
    for (int i = 0; i < fit->fitted.count; i++) TRXI_VISIT(v, fit->fitted.now[i].objective);
}

static trx_status identify(trx_fit *fit, char hash[65])
{
    trxi_text inputs = trxi_text_create(fit->context);
    trxi_visit_into(&inputs, visit_identity, fit);
    const trx_status status = inputs.status;
    if (status >= 0) trxi_sha256(trxi_text_get(&inputs), inputs.length, hash);
    trxi_text_destroy(&inputs);
    return status;
}

// ---- the file ----

static trx_status write_file(trx_fit *fit)
{
    trxi_text out = trxi_text_create(fit->context);
    head h = {0};
    memcpy(h.name, NAME, sizeof NAME);
    strncpy(h.version, trx_version(), sizeof h.version - 1);
    memcpy(h.fit, fit->hash, sizeof h.fit);
    trxi_text_append(&out, &h, sizeof h);
    trxi_text_append(&out, trxi_text_get(&fit->journal.bytes), fit->journal.bytes.length);
    const uint32_t sum = trxi_crc32(0, trxi_text_get(&out), out.length);
    trxi_text_append(&out, &sum, sizeof sum);
    const trx_status status = out.status < 0 ? out.status
                                             : trxi_file_replace(fit->context, fit->settings.save, trxi_text_get(&out), out.length);
    trxi_text_destroy(&out);
    return status;
}

static void write_when_due(trx_fit *fit, bool now)
{
    const double begun = trx_clock();
    if (fit->journal.closed || (begun < fit->due && !now)) return;
    if (fit->journal.bytes.status < 0 || write_file(fit) < 0) {
        fit->journal.closed = true;
        trxi_warn_at(fit->context, (trx_source){fit->settings.save, 0, 0}, "the progress is not saved");
    }
    const double end = trx_clock(), wait = (end - begun) / WRITING;
    fit->due = end + (wait > EVERY ? wait : EVERY);
}

static trx_status read_file(trx_fit *fit)
{
    const trx_source source = {fit->settings.save, 0, 0};
    char *bytes;
    size_t length;
    uint32_t sum;
    head h;
    if (access(fit->settings.save, F_OK) != 0) return TRX_OK;
    const trx_status status = trxi_file_read(fit->context, fit->pool, fit->settings.save, MAX_PROGRESS, &bytes, &length);
    if (status < 0) return status;
    bool whole = length >= sizeof h + sizeof sum;
    if (whole) memcpy(&h, bytes, sizeof h);
    if (whole) memcpy(&sum, bytes + length - sizeof sum, sizeof sum);
    whole = whole && memcmp(h.name, NAME, sizeof NAME) == 0 && sum == trxi_crc32(0, bytes, length - sizeof sum);
    if (!whole) return trxi_error_at(fit->context, source, "not the progress of a fit, or damaged");
    if (strncmp(h.version, trx_version(), sizeof h.version) != 0 || memcmp(h.fit, fit->hash, sizeof h.fit) != 0)
        return trxi_error_at(fit->context, source,
                             "the progress of another fit, data, version or other --set values: start again without --resume");
    if (trxi_journal_load(&fit->journal, bytes + sizeof h, length - sizeof h - sizeof sum, ENDS)) return TRX_OK;
    return fit->journal.bytes.status < 0 ? TRX_ERR_MEMORY : trxi_error_at(fit->context, source, "damaged");
}

trx_status trxi_progress_begin(trx_fit *fit)
{
    if (!fit->settings.save) return TRX_OK;
    fit->journal = trxi_journal_create(fit->context);
    fit->due = trx_clock() + EVERY;
    const trx_status status = identify(fit, fit->hash);
    return status < 0 || !fit->settings.resume ? status : read_file(fit);
}

// ---- parts ----

typedef struct record {
    trx_fit *fit;
    trxi_windows *windows;
    trx_status status;
    trxi_descent descent;
} record;

static void visit_window(trxi_visitor *v, const trx_fit *fit, trxi_windows *windows, int i)
{
    const trx_model_size size = trx_model_get_size(fit->problem.model);
    trxi_evaluation *now = &windows->now[i];
    trxi_visit_doubles(v, windows->list[i].x, (size_t)size.nstate);
    TRXI_VISIT(v, windows->damping[i]);
    TRXI_VISIT(v, now->status);
    TRXI_VISIT(v, now->objective);
    trxi_visit(v, now->sums, sizeof *now->sums * (size_t)fit->problem.ngroup);
}

static void visit_record(trxi_visitor *v, void *object)
{
    record *r = object;
    trx_fit *fit = r->fit;
    const size_t sessions = (size_t)fit->sessions.count;
    TRXI_VISIT(v, r->status);
    TRXI_VISIT(v, r->descent);
    TRXI_VISIT(v, fit->damping);
    TRXI_VISIT(v, fit->rough);
    TRXI_VISIT(v, fit->info.rounds);
    TRXI_VISIT(v, fit->info.iterations);
    trxi_visit_doubles(v, fit->z, sessions * (size_t)fit->unknowns.count);
    trxi_visit_doubles(v, fit->values, (sessions + 1) * (size_t)fit->problem.nparameter);
    trxi_visit_doubles(v, fit->noise, (size_t)fit->problem.ngroup);
    TRXI_VISIT(v, fit->nrow);
    if (fit->nrow < 0 || fit->nrow > fit->row_capacity) fit->nrow = 0;
    trxi_visit(v, fit->rows, sizeof *fit->rows * (size_t)fit->nrow);
    for (int i = 0; i < r->windows->count; i++) visit_window(v, fit, r->windows, i);
}

static bool recall(trx_fit *fit, int kind, record *r)
{
    const int shown = fit->nrow;
    if (!fit->settings.save || !trxi_journal_recalls(&fit->journal)) return false;
    if (!trxi_journal_recall(&fit->journal, kind, visit_record, r)) return false;
    for (int i = shown; i < fit->nrow && fit->progress; i++) fit->progress(&fit->rows[i], fit->user);
    return true;
}

bool trxi_progress_recall(trx_fit *fit, trxi_windows *windows, trx_status *status)
{
    record r = {.fit = fit, .windows = windows};
    if (!recall(fit, PART, &r)) return false;
    *status = r.status;
    return true;
}

bool trxi_progress_recall_descent(trx_fit *fit, trxi_descent *descent)
{
    record r = {.fit = fit, .windows = &fit->fitted};
    if (!recall(fit, DESCENT, &r)) return false;
    *descent = r.descent;
    return true;
}

void trxi_progress_keep(trx_fit *fit, trxi_windows *windows, trx_status status)
{
    if (!fit->settings.save) return;
    trxi_journal_keep(&fit->journal, PART, visit_record, &(record){.fit = fit, .windows = windows, .status = status});
    write_when_due(fit, false);
}

void trxi_progress_keep_descent(trx_fit *fit, const trxi_descent *descent)
{
    if (!fit->settings.save) return;
    trxi_journal_keep_state(&fit->journal, DESCENT, visit_record,
                            &(record){.fit = fit, .windows = &fit->fitted, .descent = *descent});
    write_when_due(fit, false);
}

void trxi_progress_stop(trx_fit *fit)
{
    if (!fit->settings.save) return;
    write_when_due(fit, true);
    fit->journal.closed = true;
}
