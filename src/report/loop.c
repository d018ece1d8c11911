// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The recording of a closed loop: its ticks and the pushes on its plant, with their tables ticks.csv and pushes.csv, and the object
// `loop` of summary.json (docs/run_folder.md).

#include "report/loop.h"

#include "problem/problem.h"
#include "trial/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- recording ----

void trx_run_set_loop(trx_run *run, double period, unsigned long long seed)
{
    run->loop = (trxi_loop){.closed = true, .period = period, .seed = seed};
}

static trx_status add_tick(trx_run *run, const trx_tick *tick)
{
    trxi_loop *loop = &run->loop;
    if (loop->count == loop->capacity) {
        trx_tick *grown = trxi_pool_grow(run->pool, loop->ticks, loop->count, &loop->capacity, sizeof *grown);
        if (!grown) return TRX_ERR_MEMORY;
        loop->ticks = grown;
    }
    loop->ticks[loop->count] = *tick;
    loop->ticks[loop->count++].policy = NULL; // the policy changes with the next tick
    if (!tick->policy) return TRX_OK;
    trxi_horizons *horizons = &loop->horizons;
    const trx_status status = horizons->capacity ? TRX_OK : trxi_horizons_begin(run->pool, run->model, horizons);
    if (status >= 0) trxi_horizons_add(horizons, tick->time, tick->policy);
    return status;
}

trx_status trx_run_add_tick(trx_run *run, const trx_tick *tick)
{
    const trx_status status = add_tick(run, tick);
    if (status < 0) run->loop.failure = status;
    return status;
}

const trx_tick *trx_run_ticks(const trx_run *run, int *count)
{
    *count = run->loop.count;
    return run->loop.ticks;
}

// ---- summary ----

static bool is_dropped(const trx_tick *tick)
{
    return tick->status == TRX_INTERRUPTED;
}

// sorted seconds of the ticks that were not dropped; the caller releases them
static double *sorted_seconds(const trx_run *run, int *count)
{
    const trxi_loop *loop = &run->loop;
    double *seconds = trxi_allocate(run->context, ((size_t)loop->count + 1) * sizeof *seconds);
    *count = 0;
    for (int i = 0; seconds && i < loop->count; i++)
        if (!is_dropped(&loop->ticks[i])) seconds[(*count)++] = loop->ticks[i].seconds;
    if (seconds) trxi_sort(*count, seconds);
    return seconds;
}

// the bin of a tick (TRX_TICK_BINS)
static int bin_of(double seconds)
{
    int i = 0;
    while (i + 1 < TRX_TICK_BINS && seconds > ldexp(1, i - 20)) i++;
    return i;
}

trx_status trx_run_get_loop(const trx_run *run, trx_loop_info *info)
{
    const trxi_loop *loop = &run->loop;
    int solved;
    double *seconds = sorted_seconds(run, &solved);
    if (!seconds) return TRX_ERR_MEMORY;
    *info = (trx_loop_info){.period = loop->period, .ticks = loop->count, .pushes = run->problem->nadded};
    for (int i = 0; i < loop->count; i++) {
        info->failed += loop->ticks[i].status < 0;
        info->dropped += is_dropped(&loop->ticks[i]);
        info->late += loop->ticks[i].seconds > loop->period;
    }
    for (int i = 0; i < solved; i++) info->histogram[bin_of(seconds[i])]++;
    if (solved > 0) {
        info->median = seconds[solved / 2];
        info->p99 = seconds[(99 * (long long)(solved - 1)) / 100];
        info->most = seconds[solved - 1];
    }
    trxi_release(run->context, seconds);
    return TRX_OK;
}

// [{up_to, ticks}], from the first bin with a tick to the last one
static void write_histogram(const int *histogram, trxi_json *json)
{
    int first = 0, last = TRX_TICK_BINS - 1;
    while (first <= last && histogram[first] == 0) first++;
    while (last > first && histogram[last] == 0) last--;
    trxi_json_put_array(json, "histogram");
    for (int i = 0; trxi_json_next_object(json, i, last - first + 1); i++) {
        trxi_json_put_number(json, "up_to", ldexp(1, first + i - 20));
        trxi_json_put_int(json, "ticks", histogram[first + i]);
    }
}

// null without a loop
void trxi_write_loop(const trx_run *run, trxi_json *json)
{
    trx_loop_info info;
    const trx_status status = run->loop.closed ? trx_run_get_loop(run, &info) : TRX_OK;
    if (status < 0) json->out->status = status;
    if (!trxi_json_put_object_if(json, "loop", run->loop.closed && status >= 0)) return;
    trxi_json_put_number(json, "period", info.period);
    trxi_json_put_number(json, "seed", (double)run->loop.seed);
    trxi_json_put_int(json, "ticks", info.ticks);
    trxi_json_put_int(json, "failed", info.failed);
    trxi_json_put_int(json, "dropped", info.dropped);
    trxi_json_put_int(json, "late", info.late);
    trxi_json_put_int(json, "pushes", info.pushes);
    trxi_json_put_named(json, "seconds", 3, (const char *const[]){"median", "p99", "most"},
                        (const double[]){info.median, info.p99, info.most});
    write_histogram(info.histogram, json);
    trxi_json_end_object(json);
}

// ---- tables ----

void trxi_write_ticks(const trx_run *run, trxi_text *out)
{
    const trxi_loop *loop = &run->loop;
    trxi_text_string(out, "t,status,knots,cost,seconds,late,dropped\n");
    for (int i = 0; i < loop->count; i++) {
        const trx_tick *k = &loop->ticks[i];
        trxi_text_printf(out, "%.9g,%d,%d,", k->time, (int)k->status, k->knots);
        if (k->status >= 0 && isfinite(k->cost)) trxi_text_printf(out, "%.9g", k->cost);
        trxi_text_printf(out, ",%.6g,%d,%d\n", k->seconds, k->seconds > loop->period, is_dropped(k));
    }
}

void trxi_write_pushes(const trx_run *run, trxi_text *out)
{
    const trx_model_def *def = &run->problem->scene.def;
    const trx_load_def *loads = def->loads + (def->nload - run->problem->nadded);
    trxi_text_string(out, "t,duration,body,fx,fy,fz\n");
    for (int i = 0; i < run->problem->nadded; i++) {
        const trx_load_def *load = &loads[i];
        trxi_text_printf(out, "%.9g,%.9g,%s,%.9g,%.9g,%.9g\n", load->start, load->stop - load->start,
                         run->problem->scene.bodies[load->body].name, load->force[0], load->force[1], load->force[2]);
    }
}
