// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section time: step, number of steps or duration, scheme and its parameters.

#include "problem/read_time.h"

#include <math.h>
#include <string.h>

enum { SCHEMES = TRX_THETA + 1, MAX_STEPS = 10000000 };

typedef struct time_record {
    double step, duration, theta, theta_vq;
    int steps, scheme, contact, spin;
} time_record;

static const char *const scheme_words[SCHEMES] = {"symplectic", "implicit", "midpoint", "theta"};
static const char *const contact_words[] = {"end", "midpoint"};
static const char *const spin_words[] = {"explicit", "momentum"};

static const trxi_field time_fields[] = {
    TRXI_FIELD("step", TRXI_POSITIVE, time_record, step, .required = true, .of = TRXI_OF_TIME_STEP),
    TRXI_FIELD("steps", TRXI_COUNT, time_record, steps, .of = TRXI_OF_STEPS),
    TRXI_FIELD("duration", TRXI_POSITIVE, time_record, duration, .of = TRXI_OF_TIME),
    TRXI_FIELD("scheme", TRXI_WORD, time_record, scheme, .words = scheme_words, .count = SCHEMES),
    TRXI_FIELD("theta", TRXI_NUMBER, time_record, theta),
    TRXI_FIELD("theta_vq", TRXI_NUMBER, time_record, theta_vq),
    TRXI_FIELD("contact", TRXI_WORD, time_record, contact, .words = contact_words, .count = 2),
    TRXI_FIELD("spin", TRXI_WORD, time_record, spin, .words = spin_words, .count = 2),
};

// the parameters of the theta scheme: required with it, from 0 to 1
static void check_theta(trxi_reader *reader, const trxi_yaml_node *node, const time_record *record)
{
    static const char *const keys[] = {"theta", "theta_vq"};
    const double values[] = {record->theta, record->theta_vq};
    for (int i = 0; i < 2; i++) {
        const trxi_yaml_node *value = trxi_yaml_get(node, keys[i]);
        if (!value && record->scheme == TRX_THETA)
            trxi_error_at(reader->context, trxi_yaml_get(node, "scheme")->source,
                          "scheme: theta needs theta and theta_vq: add %s, from 0 to 1", keys[i]);
        if (!value) continue;
        if (record->scheme != TRX_THETA)
            trxi_error_at(reader->context, trxi_key_source(node, keys[i]),
                          "%s serves scheme: theta: remove it, or write that", keys[i]);
        else if (values[i] < 0 || values[i] > 1)
            trxi_error_at(reader->context, value->source, "%s is %.60s: write a number from 0 to 1", keys[i],
                          value->text);
    }
}

// keys that only some schemes take
static void check_choices(trxi_reader *reader, const trxi_yaml_node *node, const time_record *record)
{
    const trxi_yaml_node *contact = trxi_yaml_get(node, "contact"), *spin = trxi_yaml_get(node, "spin");
    const bool theta = record->scheme == TRX_THETA, middle = theta || record->scheme == TRX_MIDPOINT;
    const bool whole = trxi_yaml_get(node, "theta") && trxi_yaml_get(node, "theta_vq");
    if (record->contact && !middle)
        trxi_error_at(reader->context, contact->source,
                      "contact: midpoint serves scheme: midpoint and scheme: theta: write end, or one of those");
    else if (record->contact && theta && whole && !(record->theta > 0 && record->theta_vq > 0))
        trxi_error_at(reader->context, contact->source, "contact: midpoint needs theta and theta_vq above 0: write end, or those");
    if (record->spin && record->scheme != TRX_SYMPLECTIC)
        trxi_error_at(reader->context, spin->source,
                      "spin: momentum serves scheme: symplectic; the others solve for the spin: write explicit");
}

static int count_steps(trxi_reader *reader, const trxi_yaml_node *node, const time_record *record)
{
    double steps = record->steps > 0 ? record->steps : round(record->duration / record->step);
    const trxi_yaml_node *value = trxi_yaml_get(node, record->steps > 0 ? "steps" : "duration");
    if (!value || !(record->step > 0) || !(steps >= 0)) return 0;
    if (steps < 1)
        trxi_error_at(reader->context, value->source,
                      "duration is %.60s, less than one step of %g s: write a longer one", value->text, record->step);
    else if (steps > MAX_STEPS)
        trxi_error_at(reader->context, value->source, "%.6g steps: write at most %d", steps, MAX_STEPS);
    else
        return (int)steps;
    return 0;
}

void trxi_read_time(trxi_reader *reader, const trxi_yaml_node *node, trx_sim_settings *sim, int *steps)
{
    time_record record = {0};
    *steps = 0;
    if (!node || !TRXI_READ_RECORD(reader, node, "time", time_fields, &record)) return;
    bool has_steps = trxi_yaml_get(node, "steps"), has_duration = trxi_yaml_get(node, "duration");
    trx_source s = trxi_key_source(node, "steps"), d = trxi_key_source(node, "duration");
    if (has_steps && has_duration)
        trxi_error_at(reader->context, trxi_source_after(s, d) ? s : d,
                      "steps and duration both give the length: remove one");
    else if (!has_steps && !has_duration)
        trxi_error_at(reader->context, node->source, "time: missing key \"steps\": add it, or duration");
    else
        *steps = count_steps(reader, node, &record);
    check_theta(reader, node, &record);
    check_choices(reader, node, &record);
    if (record.step > 0) sim->time_step = record.step;
    sim->scheme = (trx_scheme)record.scheme;
    if (sim->scheme == TRX_THETA) sim->theta = record.theta, sim->theta_vq = record.theta_vq;
    sim->contact_midpoint = record.contact == 1;
    sim->spin = (trx_spin)record.spin;
}
