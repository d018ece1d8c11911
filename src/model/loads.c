// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Loads (trx_load_def): forces and torques over time. They are validated, expressed in the links they act on, and
// evaluated at a time. step/loads.c applies them.

#include "math/constants.h"
#include "math/dense.h"
#include "math/rotation.h"
#include "model/build.h"

#include <stdio.h>
#include <string.h>

enum { LOAD_ROW = 7 };

// ---- checks ----

static void check_wave(trxi_build *build, const trx_load_def *load, const char *what)
{
    trx_context *context = build->context;
    if (load->wave == TRX_LOAD_RAMP && !(load->duration > 0 && isfinite(load->duration)))
        trxi_error_at(context, load->source, "%s: its duration is %g; a ramp needs one above 0", what, load->duration);
    if (load->wave == TRX_LOAD_ROTATE && (!trxi_all_finite(3, load->axis) || !(trxi_norm3(load->axis) > 0)))
        trxi_error_at(context, load->source, "%s: the axis has no direction; give one such as [0, 0, 1]", what);
    if (load->wave != TRX_LOAD_TABLE) return;
    if (!trxi_validate_table(build, load->source, what, load->times, load->ntime)) return;
    if (!load->values || !trxi_all_finite(6 * load->ntime, load->values))
        trxi_error_at(context, load->source, "%s: a number of its table is not finite", what);
}

static void check_load(trxi_build *build, const trx_load_def *load)
{
    const trx_model_def *def = build->def;
    trx_context *context = build->context;
    if (load->body < 0 || load->body >= def->nbody) {
        trxi_error_at(context, load->source, "a load: there is no body number %d", load->body);
        return;
    }
    char what[160];
    snprintf(what, sizeof what, "the load on '%.100s'", def->bodies[load->body].name);
    if (!trxi_body_has_joints(def, load->body))
        trxi_error_at(context, load->source, "%s: no joint moves this body, so the load has no effect; remove it", what);
    if ((int)load->wave < 0 || load->wave > TRX_LOAD_TABLE) {
        trxi_error_at(context, load->source, "%s: there is no wave %d", what, (int)load->wave);
        return;
    }
    const double numbers[] = {load->frequency, load->phase, load->start};
    if (!trxi_all_finite(3, load->force) || !trxi_all_finite(3, load->torque) || !trxi_all_finite(3, load->at) ||
        !trxi_all_finite(3, numbers))
        trxi_error_at(context, load->source, "%s: a number is not finite", what);
    else if (!(load->stop > load->start))
        trxi_error_at(context, load->source, "%s: it stops at %g s, before it starts at %g s", what, load->stop,
                      load->start);
    check_wave(build, load, what);
}

void trxi_validate_loads(trxi_build *build)
{
    for (int i = 0; i < build->def->nload; i++) check_load(build, &build->def->loads[i]);
}

// ---- building ----

static trx_status copy_table(trxi_build *build, const trx_load_def *from, trxi_load *to)
{
    to->ntime = from->ntime;
    to->table = trxi_build_table(build, LOAD_ROW * from->ntime);
    if (to->table < 0) return TRX_ERR_MEMORY;
    for (int k = 0; k < from->ntime; k++) {
        double *row = build->model.tables + to->table + LOAD_ROW * k;
        row[0] = from->times[k];
        memcpy(row + 1, from->values + 6 * k, 6 * sizeof *row);
    }
    return TRX_OK;
}

trx_status trxi_build_loads(trxi_build *build)
{
    trx_model *m = &build->model;
    m->nload = build->def->nload;
    m->loads = TRXI_POOL(build->pool, trxi_load, m->nload);
    if (!m->loads) return TRX_ERR_MEMORY;
    for (int i = 0; i < m->nload; i++) {
        const trx_load_def *from = &build->def->loads[i];
        trxi_load *to = &m->loads[i];
        const trxi_body *body = &m->bodies[from->body];
        *to = (trxi_load){.source = from->source,
                          .link = body->link,
                          .wave = from->wave,
                          .frequency = from->frequency,
                          .phase = from->phase,
                          .duration = from->duration,
                          .start = from->start,
                          .stop = from->stop};
        trxi_copy3(from->force, to->force);
        trxi_copy3(from->torque, to->torque);
        trxi_copy3(from->at, to->at);
        trxi_normalize3(from->axis, to->axis);
        trxi_mulv3(body->R_LB, from->at, to->p_L);
        trxi_add3(to->p_L, body->p_LB, to->p_L);
        if (from->wave != TRX_LOAD_TABLE) continue;
        trx_status status = copy_table(build, from, to);
        if (status < 0) return status;
    }
    return TRX_OK;
}

// ---- values ----

static void table_value(const trx_model *model, const trxi_load *load, double t, double out[6])
{
    const double *low, *high;
    double share = trxi_table_locate(model->tables + load->table, LOAD_ROW, load->ntime, t, &low, &high);
    for (int i = 0; i < 6; i++) out[i] = low[1 + i] + share * (high[1 + i] - low[1 + i]);
}

void trx_model_load(const trx_model *model, int load, double t, double out[6])
{
    memset(out, 0, 6 * sizeof *out);
    if (load < 0 || load >= model->nload) return;
    const trxi_load *l = &model->loads[load];
    if (!(t >= l->start && t < l->stop)) return;
    double since = t - l->start, angle = 2 * TRXI_PI * l->frequency * since + l->phase, R[9], scale = 1;
    switch (l->wave) {
    case TRX_LOAD_CONSTANT: break;
    case TRX_LOAD_SINE: scale = sin(angle); break;
    case TRX_LOAD_RAMP: scale = fmin(since / l->duration, 1); break;
    case TRX_LOAD_ROTATE:
        trxi_axis_angle33(l->axis, angle, R);
        trxi_mulv3(R, l->force, out);
        trxi_mulv3(R, l->torque, out + 3);
        return;
    case TRX_LOAD_TABLE: table_value(model, l, t, out); return;
    }
    trxi_scale3(scale, l->force, out);
    trxi_scale3(scale, l->torque, out + 3);
}

bool trx_model_is_timed(const trx_model *model)
{
    bool timed = model->nprescribed > 0;
    for (int i = 0; i < model->nload; i++) {
        const trxi_load *l = &model->loads[i];
        timed = timed || l->wave != TRX_LOAD_CONSTANT || l->start > 0 || isfinite(l->stop);
    }
    return timed;
}
