// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Tables of an identification with a row per channel or per sample (theory 10, docs/run_folder.md): residuals.csv, profiles.csv and
// predictions.csv. Cost: one pass over the samples.

#include "fit/write.h"

#include "fit/channel.h"
#include "fit/residuals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 1 << 16 }; // bytes after which predictions are written

void trxi_fit_put_cell(trxi_text *out, double number)
{
    trxi_text_char(out, ',');
    if (isfinite(number)) trxi_text_number(out, number);
}

// ---- residuals.csv ----

static const char *whiteness_word(trx_fit_whiteness whiteness)
{
    return whiteness == TRX_FIT_TOO_FEW ? "too few" : whiteness == TRX_FIT_WHITE ? "white" : "not white";
}

trx_status trxi_fit_write_residuals(trx_fit *fit, trxi_text *out)
{
    trxi_text_string(out, "channel,of,count,noise,mean,rms,rms_held_out,band,verdict");
    for (int k = 1; k <= TRX_FIT_LAGS; k++) trxi_text_printf(out, ",autocorrelation_%d", k);
    trxi_text_char(out, '\n');
    for (int i = 0; i < fit->info.nresidual; i++) {
        const trx_fit_residual_info *r = &fit->residuals[i];
        trxi_text_quoted(out, r->name);
        trxi_text_char(out, ',');
        trxi_text_quoted(out, fit->problem.groups[r->group].name);
        trxi_text_printf(out, ",%lld", r->count);
        trxi_fit_put_cell(out, fit->noise[r->group]);
        trxi_fit_put_cell(out, r->mean);
        trxi_fit_put_cell(out, r->rms);
        trxi_fit_put_cell(out, r->rms_held);
        trxi_fit_put_cell(out, r->band);
        trxi_text_printf(out, ",%s", whiteness_word(r->whiteness));
        for (int k = 0; k < TRX_FIT_LAGS; k++) trxi_fit_put_cell(out, r->autocorrelation[k]);
        trxi_text_char(out, '\n');
    }
    return TRX_OK;
}

// ---- profiles.csv ----

trx_status trxi_fit_write_profiles(trx_fit *fit, trxi_text *out)
{
    trxi_text_string(out, "name,value,rise,bound\n");
    for (int i = 0; i < fit->info.nprofile; i++) {
        const trx_fit_profile *p = &fit->profiles[i];
        for (int k = 0; k < p->count; k++) {
            trxi_text_quoted(out, trx_fit_get_estimate(fit, p->estimate).name);
            trxi_fit_put_cell(out, p->values[k]);
            trxi_fit_put_cell(out, p->rises[k]);
            trxi_fit_put_cell(out, p->bound);
            trxi_text_char(out, '\n');
        }
    }
    return TRX_OK;
}

// ---- predictions.csv ----

const char *trxi_fit_column_name(const trx_fit *fit, int channel, int column, char name[TRXI_COLUMN_NAME])
{
    const trx_fit_channel *c = &fit->problem.channels[channel];
    if (trxi_channel_is_rotation(c->kind)) snprintf(name, TRXI_COLUMN_NAME, "%.190s.%c", c->name, "wxyz"[column]);
    else snprintf(name, TRXI_COLUMN_NAME, "%.190s", c->name);
    return name;
}

bool trxi_fit_is_windowed(const trx_fit *fit)
{
    for (int i = 1; i < fit->fitted.count; i++)
        if (fit->fitted.list[i].recording == fit->fitted.list[i - 1].recording) return true;
    for (int i = 1; i < fit->held.count; i++)
        if (fit->held.list[i].recording == fit->held.list[i - 1].recording) return true;
    return false;
}

static void put_names(const trx_fit *fit, trxi_text *out)
{
    const bool windowed = trxi_fit_is_windowed(fit);
    trxi_text_string(out, "recording,held_out,t");
    for (int c = 0; c < fit->problem.nchannel; c++)
        for (int k = 0; fit->benches[0].used[c] && k < trxi_channel_columns(fit->problem.channels[c].kind); k++) {
            char name[TRXI_COLUMN_NAME];
            trxi_fit_column_name(fit, c, k, name);
            const char *quote = strchr(name, ',') ? "\"" : ""; // force(A, B).x
            trxi_text_printf(out, ",%s%s%s,%s%s.predicted%s", quote, name, quote, quote, name, quote);
            if (windowed) trxi_text_printf(out, ",%s%s.windowed%s", quote, name, quote);
        }
    trxi_text_char(out, '\n');
}

static void put_sample(const trx_fit *fit, int recording, int row, bool windowed, trxi_text *out)
{
    const trx_fit_recording *r = &fit->problem.recordings[recording];
    trxi_text_quoted(out, r->name);
    trxi_text_printf(out, ",%d,", r->held_out);
    trxi_text_number(out, r->t[row]);
    for (int c = 0; c < fit->problem.nchannel; c++) {
        const trx_fit_channel *channel = &fit->problem.channels[c];
        const double *recorded = r->values + (size_t)row * (size_t)fit->problem.columns + channel->column;
        double predicted[4], from_window[4];
        if (!trxi_predicted(fit, fit->whole, recording, row, c, predicted)) continue;
        trxi_predicted(fit, fit->windowed, recording, row, c, from_window);
        for (int k = 0; k < trxi_channel_columns(channel->kind); k++) {
            trxi_fit_put_cell(out, recorded[k]);
            trxi_fit_put_cell(out, predicted[k]);
            if (windowed) trxi_fit_put_cell(out, from_window[k]);
        }
    }
    trxi_text_char(out, '\n');
}

static trx_status flush(trxi_folder *folder, int file, trxi_text *text)
{
    const trx_status status = text->status < 0 ? text->status
                                               : trxi_folder_append(folder, file, trxi_text_get(text), text->length);
    trxi_text_clear(text);
    return status;
}

trx_status trxi_fit_put_predictions(trx_fit *fit, trxi_folder *folder)
{
    int file;
    trx_status status = trxi_folder_open(folder, "predictions.csv", &file);
    if (status < 0) return status;
    const bool windowed = trxi_fit_is_windowed(fit);
    trxi_text text = trxi_text_create(fit->context);
    put_names(fit, &text);
    for (int i = 0; i < fit->problem.nrecording && status >= 0; i++)
        for (int row = 0; row < fit->problem.recordings[i].rows && status >= 0; row++) {
            put_sample(fit, i, row, windowed, &text);
            if (text.length > BLOCK || text.status < 0) status = flush(folder, file, &text);
        }
    if (status >= 0) status = flush(folder, file, &text);
    trxi_text_destroy(&text);
    return status < 0 ? status : trxi_folder_close(folder, file);
}
