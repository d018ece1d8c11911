// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The page fit.html (docs/run_folder.md): the summary, and the recordings with what was predicted, as JSON in the template of
// player/fit.html.in. Recordings with more numbers than MOST_NUMBERS together show every second, third, ... sample. The JSON writer
// escapes '<', so no text can end its element. Cost: one pass over the samples.

#include "report/fit_page.h"

#include "fit/channel.h"
#include "fit/residuals.h"
#include "fit/write.h"
#include "report/page.h"
#include "report/player/sources.h"

#include <math.h>

enum { MOST_NUMBERS = 300000 };

static const trxi_page_library LIBRARIES[] = {
    {"dygraphs/dygraph.min.css", "libjs-dygraphs", true},
    {"dygraphs/dygraph.min.js", "libjs-dygraphs", false},
};

typedef struct page {
    const trx_fit *fit;
    trxi_text libraries;
    trxi_page_missing missing;
    trxi_text *out;
} page;

// ---- recordings ----

typedef enum curve { RECORDED, PREDICTED, WINDOWED } curve;

// 7 digits are more than a picture shows
static double rounded(double x)
{
    if (!isfinite(x) || x == 0) return x;
    const double scale = pow(10, 6 - floor(log10(fabs(x))));
    return isfinite(scale) && scale > 0 ? round(x * scale) / scale : x;
}

static double number_at(const trx_fit *fit, int recording, int row, int channel, int column, curve which)
{
    double numbers[4];
    if (which == RECORDED)
        return fit->problem.recordings[recording].values[(size_t)row * (size_t)fit->problem.columns +
                                                         (size_t)(fit->problem.channels[channel].column + column)];
    trxi_predicted(fit, which == PREDICTED ? fit->whole : fit->windowed, recording, row, channel, numbers);
    return numbers[column];
}

static void put_curve(trxi_json *json, const char *key, const trx_fit *fit, int recording, int channel, int column, curve which,
                      int every)
{
    trxi_json_put_array(json, key);
    for (int row = 0; row < fit->problem.recordings[recording].rows; row += every)
        trxi_json_number(json, rounded(number_at(fit, recording, row, channel, column, which)));
    trxi_json_end_array(json);
}

static void put_channel(trxi_json *json, const trx_fit *fit, int recording, int channel, int column, int every)
{
    char name[TRXI_COLUMN_NAME];
    trxi_json_begin_object(json);
    trxi_json_put_string(json, "name", trxi_fit_column_name(fit, channel, column, name));
    put_curve(json, "recorded", fit, recording, channel, column, RECORDED, every);
    put_curve(json, "predicted", fit, recording, channel, column, PREDICTED, every);
    if (trxi_fit_is_windowed(fit)) put_curve(json, "windowed", fit, recording, channel, column, WINDOWED, every);
    trxi_json_end_object(json);
}

static void put_recording(trxi_json *json, const trx_fit *fit, int recording, int every)
{
    const trx_fit_recording_info *info = &fit->recordings[recording];
    const trx_fit_recording *r = &fit->problem.recordings[recording];
    trxi_json_put_string(json, "name", info->name);
    trxi_json_put_bool(json, "held_out", info->held_out);
    trxi_json_put_int(json, "rows", info->rows);
    trxi_json_put_number(json, "position", info->position);
    trxi_json_put_number(json, "rotation", info->rotation);
    trxi_json_put_array(json, "t");
    for (int row = 0; row < r->rows; row += every) trxi_json_number(json, rounded(r->t[row] - r->t[0]));
    trxi_json_end_array(json);
    trxi_json_put_array(json, "channels");
    for (int c = 0; c < fit->problem.nchannel; c++)
        for (int k = 0; fit->benches[0].used[c] && k < trxi_channel_columns(fit->problem.channels[c].kind); k++)
            put_channel(json, fit, recording, c, k, every);
    trxi_json_end_array(json);
}

static int thinning(const trx_fit *fit)
{
    double columns = 1, rows = 0;
    for (int c = 0; c < fit->problem.nchannel; c++)
        if (fit->benches[0].used[c]) columns += 3 * trxi_channel_columns(fit->problem.channels[c].kind);
    for (int i = 0; i < fit->problem.nrecording; i++) rows += fit->problem.recordings[i].rows;
    return (int)ceil(fmax(columns * rows / MOST_NUMBERS, 1));
}

// ---- the page ----

static void append_style(void *user)
{
    const page *p = user;
    trxi_text_string(p->out, trxi_player_compare_css);
    trxi_text_string(p->out, trxi_player_fit_css);
}

static void append_notice(void *user)
{
    const page *p = user;
    if (!p->missing.what[0]) return;
    trxi_text_string(p->out, "The page cannot draw recordings: ");
    trxi_page_escape(p->out, p->missing.what);
    trxi_text_printf(p->out, ". Install it with <code>apt install %s</code> and fit again.", p->missing.package);
}

static void append_recordings(void *user)
{
    const page *p = user;
    const int every = thinning(p->fit);
    trxi_json json = trxi_json_create(p->out, 0);
    trxi_json_begin_object(&json);
    trxi_json_put_int(&json, "every", every);
    trxi_json_put_array(&json, "recordings");
    for (int i = 0; trxi_json_next_object(&json, i, p->fit->info.nrecording); i++) put_recording(&json, p->fit, i, every);
    trxi_json_end_object(&json);
    trxi_text_char(p->out, '\n');
}

trx_status trxi_fit_page_write(const trx_fit *fit, const char *title, const trxi_text *summary, const char *scripts,
                               trxi_text *out)
{
    page p = {.fit = fit, .libraries = trxi_text_create(fit->context), .out = out};
    trxi_page_libraries(LIBRARIES, 2, scripts, &p.libraries, &p.missing);
    const trxi_page_mark marks[] = {{"@TITLE@", .plain = title},
                                    {"@STYLE@", .append = append_style},
                                    {"@NOTICE@", .append = append_notice},
                                    {"@SUMMARY@", .html = trxi_text_get(summary)},
                                    {"@RECORDINGS@", .append = append_recordings},
                                    {"@LIBRARIES@", .html = trxi_text_get(&p.libraries)},
                                    {"@SCRIPT@", .html = trxi_player_fit_js}};
    trxi_page_expand(trxi_player_fit_html, marks, sizeof marks / sizeof *marks, &p, out);
    const trx_status status = p.libraries.status < 0 ? p.libraries.status : out->status;
    trxi_text_destroy(&p.libraries);
    return status;
}
