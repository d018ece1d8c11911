// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A policy as C99 (theory 7, policies): tables of states, controls and gains, and an interpreter that needs math.h alone, for a
// processor on a robot. The interpreter computes what trx_policy_control computes, with the lead of the policy.

#include "report/policy_export.h"

#include "model/model.h"

#include <math.h>

static const double NO_LIMIT = 1e30; // in place of infinity, which is no constant of C99

static const char INTERPRETER[] =
    "/* the knot before t, and the share of the way from this knot to the next */\n"
    "static int knot_at(REAL t, REAL *share)\n"
    "{\n"
    "    const REAL steps = (t - START_TIME) / TIME_STEP, knot = (REAL)floor(steps + (REAL)1e-9);\n"
    "    *share = steps - knot > (REAL)1e-9 ? steps - knot : 0;\n"
    "    if (knot < 0) *share = 0;\n"
    "    if (knot >= STEPS) *share = 1;\n"
    "    return !(knot >= 0) ? 0 : knot >= STEPS ? STEPS - 1 : (int)knot;\n"
    "}\n"
    "\n"
    "/* w = Log(p^-1 q) for quaternions w x y z */\n"
    "static void turn(const REAL *q, const REAL *p, REAL *w)\n"
    "{\n"
    "    const REAL c = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3], side = c < 0 ? -1 : 1;\n"
    "    REAL s2, s;\n"
    "    w[0] = p[0] * q[1] - p[1] * q[0] - p[2] * q[3] + p[3] * q[2];\n"
    "    w[1] = p[0] * q[2] + p[1] * q[3] - p[2] * q[0] - p[3] * q[1];\n"
    "    w[2] = p[0] * q[3] - p[1] * q[2] + p[2] * q[1] - p[3] * q[0];\n"
    "    s2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];\n"
    "    s = (REAL)sqrt(s2);\n"
    "    if (s < (REAL)1e-3) {\n"
    "        s2 /= c * c;\n"
    "        s = 2 / c * (1 - s2 / 3 + s2 * s2 / 5);\n"
    "    } else s = side * 2 * (REAL)atan2(s, side * c) / s;\n"
    "    w[0] *= s, w[1] *= s, w[2] *= s;\n"
    "}\n"
    "\n"
    "/* out = q Exp(w), normalized */\n"
    "static void turn_by(const REAL *q, const REAL *w, REAL *out)\n"
    "{\n"
    "    const REAL a2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], a = (REAL)sqrt(a2), c = (REAL)cos(a / 2);\n"
    "    const REAL s = a < (REAL)1e-3 ? (REAL)0.5 - a2 / 48 : (REAL)sin(a / 2) / a;\n"
    "    const REAL x = s * w[0], y = s * w[1], z = s * w[2];\n"
    "    REAL norm = 0;\n"
    "    int i;\n"
    "    out[0] = q[0] * c - q[1] * x - q[2] * y - q[3] * z;\n"
    "    out[1] = q[0] * x + q[1] * c + q[2] * z - q[3] * y;\n"
    "    out[2] = q[0] * y - q[1] * z + q[2] * c + q[3] * x;\n"
    "    out[3] = q[0] * z + q[1] * y - q[2] * x + q[3] * c;\n"
    "    for (i = 0; i < 4; i++) norm += out[i] * out[i];\n"
    "    for (i = 0; i < 4; i++) out[i] /= (REAL)sqrt(norm);\n"
    "}\n"
    "\n"
    "/* u (NU) at the time t and the measured state x (NX). A control that is NaN, because t or x is not finite, becomes the\n"
    " * control of the plan */\n"
    "void policy_control(REAL t, const REAL *x, REAL *u)\n"
    "{\n"
    "    REAL share, unused, dx[NDX];\n"
    "    const int k = knot_at(t, &share), sent = knot_at(t + LEAD, &unused);\n"
    "    const REAL *from = X[k], *to = X[k + 1];\n"
    "    int i, j;\n"
    "    for (i = 0; i < LINES; i++) {\n"
    "        const int q = LINE[i][0];\n"
    "        dx[LINE[i][1]] = x[q] - (from[q] + share * (to[q] - from[q]));\n"
    "    }\n"
    "    for (i = 0; i < BALLS; i++) {\n"
    "        const int q = BALL[i][0];\n"
    "        REAL w[3], plan[4];\n"
    "        turn(to + q, from + q, w);\n"
    "        for (j = 0; j < 3; j++) w[j] *= share;\n"
    "        turn_by(from + q, w, plan);\n"
    "        turn(x + q, plan, dx + BALL[i][1]);\n"
    "    }\n"
    "    for (i = NQ; i < NX; i++) dx[NV - NQ + i] = x[i] - (from[i] + share * (to[i] - from[i]));\n"
    "    for (i = 0; i < NU; i++) {\n"
    "        u[i] = U[sent][i];\n"
    "        for (j = 0; j < NDX; j++) u[i] += K[k][i][j] * dx[j];\n"
    "        if (u[i] != u[i]) u[i] = U[sent][i];\n"
    "        u[i] = u[i] < LOWER[i] ? LOWER[i] : u[i] > UPPER[i] ? UPPER[i] : u[i];\n"
    "    }\n"
    "}\n";

static void write_numbers(trxi_text *out, const double *values, int count, int stride)
{
    enum { PER_LINE = 8 };
    trxi_text_char(out, '{');
    for (int i = 0; i < count; i++) {
        if (i > 0) trxi_text_string(out, i % PER_LINE ? ", " : ",\n    ");
        trxi_text_number(out, values[(size_t)i * (size_t)stride]);
    }
    trxi_text_char(out, '}');
}

// one row of numbers for each of `count` knots
static void write_rows(trxi_text *out, const char *head, const double *values, int length, int count)
{
    trxi_text_printf(out, "static const REAL %s = {\n", head);
    for (int k = 0; k < count; k++) {
        trxi_text_string(out, "  ");
        write_numbers(out, values + (size_t)length * (size_t)k, length, 1);
        trxi_text_string(out, ",\n");
    }
    trxi_text_string(out, "};\n");
}

static void write_gains(trxi_text *out, const trx_policy_def *def, int nu, int nx)
{
    trxi_text_string(out, "static const REAL K[STEPS][NU][NDX] = {\n");
    for (int k = 0; k < def->steps; k++) {
        trxi_text_string(out, "  {");
        for (int i = 0; i < nu; i++) {
            if (i > 0) trxi_text_string(out, ",\n   ");
            write_numbers(out, def->K + (size_t)(nu * nx) * (size_t)k + i, nx, nu);
        }
        trxi_text_string(out, "},\n");
    }
    trxi_text_string(out, "};\n");
}

static void write_limits(trxi_text *out, const trx_model *model)
{
    for (int upper = 0; upper < 2; upper++) {
        trxi_text_printf(out, "static const REAL %s[NU] = {", upper ? "UPPER" : "LOWER");
        for (int i = 0; i < model->nu; i++) {
            const double limit = upper ? model->actuators[i].upper : model->actuators[i].lower;
            if (i > 0) trxi_text_string(out, ", ");
            trxi_text_number(out, fmin(fmax(limit, -NO_LIMIT), NO_LIMIT));
        }
        trxi_text_string(out, "};\n");
    }
}

// a table with the indices in q and v of each ball, or of each other coordinate
static void write_coordinates(trxi_text *out, const trx_model *model, bool balls)
{
    int count = 0;
    trxi_text_printf(out, "static const int %s[][2] = {", balls ? "BALL" : "LINE");
    for (int i = 0; i < model->nlink; i++) {
        const trxi_link *link = &model->links[i];
        if ((link->type == TRXI_BALL) != balls) continue;
        for (int k = 0; k < (balls ? 1 : link->nv); k++)
            trxi_text_printf(out, "%s{%d, %d}", count++ ? ", " : "", link->q + k, link->v + k);
    }
    trxi_text_printf(out, "%s}; /* numbers in x and in the change of x */\nenum { %s = %d };\n", count ? "" : "{0, 0}",
                     balls ? "BALLS" : "LINES", count);
}

static void write_names(trxi_text *out, const char *what, const trx_model *model, int count,
                        const char *(*name)(const trx_model *, int))
{
    trxi_text_printf(out, " * %s:", what);
    for (int i = 0; i < count; i++) trxi_text_printf(out, "%s %s", i % 8 == 7 ? "\n *     " : "", name(model, i));
    trxi_text_char(out, '\n');
}

static void write_constant(trxi_text *out, const char *name, double value)
{
    trxi_text_printf(out, "static const REAL %s = (REAL)", name);
    trxi_text_number(out, value);
    trxi_text_string(out, ";\n");
}

void trxi_write_policy_c(const trx_model *model, const trx_policy_def *def, trxi_text *out)
{
    trxi_text_string(out, "/* A policy written by tractrix: u = clamp(u_plan(t + lead) + K (x (-) x_plan(t))).\n"
                          " * policy_control(t, x, u) in C99; compile with -DREAL=float on a processor without double.\n");
    write_names(out, "x", model, model->nq, trx_model_q_name);
    write_names(out, "then the velocities", model, model->nv, trx_model_v_name);
    if (model->na > 0) write_names(out, "then the activations", model, model->na, trxi_model_activation_name);
    write_names(out, "u", model, model->nu, trx_model_actuator_name);
    trxi_text_string(out, " */\n#include <math.h>\n\n#ifndef REAL\n#define REAL double\n#endif\n\n");
    trxi_text_printf(out, "enum { NQ = %d, NV = %d, NX = %d, NDX = %d, NU = %d, STEPS = %d };\n", model->nq, model->nv,
                     model->nstate, model->ntangent, model->nu, def->steps);
    write_constant(out, "START_TIME", def->start_time);
    write_constant(out, "TIME_STEP", def->time_step);
    write_constant(out, "LEAD", def->lead);
    write_coordinates(out, model, false);
    write_coordinates(out, model, true);
    write_limits(out, model);
    write_rows(out, "X[STEPS + 1][NX]", def->x, model->nstate, def->steps + 1);
    write_rows(out, "U[STEPS][NU]", def->u, model->nu, def->steps);
    write_gains(out, def, model->nu, model->ntangent);
    trxi_text_char(out, '\n');
    trxi_text_string(out, INTERPRETER);
}
