// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The tables of a simulation are written while it runs. Rows are collected in one text per table and written in
// blocks, so memory does not grow after the first block. The other files of the folder follow at the end, from the
// data of the run (frames, sums) and from the tables.

#include "report/stream.h"

enum { BLOCK = 1 << 16 };

static const char *const NAMES[TRXI_TABLES] = {"trajectory.csv", "contacts.csv", "steps.csv"};

// writes the rows of a table when they have at least `enough` bytes
static trx_status flush(trxi_stream *s, trxi_stream_table table, size_t enough)
{
    trxi_text *rows = &s->rows[table];
    if (rows->status < 0) return rows->status;
    if (rows->length < enough) return TRX_OK;
    trx_status status = trxi_folder_append(s->folder, s->files[table], trxi_text_get(rows), rows->length);
    trxi_text_clear(rows);
    return status;
}

trx_status trxi_stream_begin(trx_run *run, const trxi_file_ops *ops, const trx_simulation *simulation,
                             trxi_stream *stream)
{
    *stream = (trxi_stream){.run = run};
    double begun = trx_clock();
    for (int i = 0; i < TRXI_TABLES; i++) {
        stream->files[i] = -1;
        stream->rows[i] = trxi_text_create(run->context);
    }
    trx_status status = trxi_folder_begin_with(run->context, ops, simulation->folder, &stream->folder);
    for (int i = 0; i < TRXI_TABLES && status >= 0; i++)
        if (i != TRXI_STEPS || simulation->statistics) status = trxi_folder_open(stream->folder, NAMES[i], &stream->files[i]);
    if (status < 0) {
        trxi_stream_abort(stream);
        return status;
    }
    trxi_write_trajectory_head(run, &stream->rows[TRXI_TRAJECTORY]);
    trxi_write_contacts_head(&stream->rows[TRXI_CONTACTS]);
    if (simulation->statistics) trxi_write_steps_head(simulation->condition, &stream->rows[TRXI_STEPS]);
    stream->seconds = trx_clock() - begun;
    return TRX_OK;
}

trx_status trxi_stream_knot(trxi_stream *stream, int knot, const double *x, const double *u)
{
    trxi_write_knot(stream->run, knot, x, u, &stream->rows[TRXI_TRAJECTORY]);
    return flush(stream, TRXI_TRAJECTORY, BLOCK);
}

trx_status trxi_stream_contacts(trxi_stream *stream, int knot, const trx_contact *contacts, int count)
{
    trx_status status = TRX_OK;
    for (int i = 0; i < count && status >= 0; i++) {
        trxi_write_contact(stream->run, knot, &contacts[i], &stream->rows[TRXI_CONTACTS]);
        stream->run->contact_rows++;
        status = flush(stream, TRXI_CONTACTS, BLOCK);
    }
    return status;
}

trx_status trxi_stream_step(trxi_stream *stream, const trxi_step_record *step)
{
    if (stream->files[TRXI_STEPS] < 0) return TRX_OK;
    trxi_write_step(stream->run, step, &stream->rows[TRXI_STEPS]);
    return flush(stream, TRXI_STEPS, BLOCK);
}

static void release(trxi_stream *stream)
{
    for (int i = 0; i < TRXI_TABLES; i++) trxi_text_destroy(&stream->rows[i]);
    stream->folder = NULL;
}

trx_status trxi_stream_commit(trxi_stream *stream)
{
    trx_status status = TRX_OK;
    double begun = trx_clock() - stream->seconds;
    for (int i = 0; i < TRXI_TABLES && status >= 0; i++) {
        if (stream->files[i] < 0) continue;
        status = flush(stream, (trxi_stream_table)i, 1);
        if (status >= 0) status = trxi_folder_close(stream->folder, stream->files[i]);
    }
    if (status >= 0) status = trxi_run_put_rest(stream->run, stream->folder, begun);
    if (status < 0) {
        trxi_stream_abort(stream);
        return status;
    }
    status = trxi_folder_commit(stream->folder);
    stream->run->written = status >= 0;
    release(stream);
    return status;
}

void trxi_stream_abort(trxi_stream *stream)
{
    if (!stream->run) return;
    trxi_folder_abort(stream->folder);
    release(stream);
}
