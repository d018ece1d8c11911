// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The sections policy and trial: how the gains of a plan's policy are made, and how the worlds of `tractrix trial` differ from the
// model (docs/problem_file.md).

#include "problem/read_trial.h"

#include <math.h>

// ---- the gains of a plan's policy ----

static const trxi_field policy_fields[] = {
    TRXI_FIELD("delay", TRXI_NOT_NEGATIVE, trx_policy_settings, delay, .of = TRXI_OF_TIME),
    TRXI_FIELD("smoothing", TRXI_NOT_NEGATIVE, trx_policy_settings, smoothing, .of = TRXI_OF_LENGTH),
};

void trxi_read_policy(trxi_reader *reader, const trxi_yaml_node *node, trx_policy_settings *settings)
{
    if (!node || !TRXI_READ_RECORD(reader, node, "policy", policy_fields, settings)) return;
    if (settings->delay > 10)
        trxi_error_at(reader->context, trxi_yaml_get(node, "delay")->source, "delay: %g s: write at most 10", settings->delay);
}

// ---- worlds ----

static const trxi_field start_fields[] = {
    TRXI_FIELD("position", TRXI_NOT_NEGATIVE, trx_trial_settings, start_position),
    TRXI_FIELD("rotation", TRXI_NOT_NEGATIVE, trx_trial_settings, start_rotation),
};

static const trxi_field noise_fields[] = {
    TRXI_FIELD("position", TRXI_NOT_NEGATIVE, trx_trial_settings, noise_position),
    TRXI_FIELD("rotation", TRXI_NOT_NEGATIVE, trx_trial_settings, noise_rotation),
    TRXI_FIELD("velocity", TRXI_NOT_NEGATIVE, trx_trial_settings, noise_velocity),
};

static const trxi_field success_fields[] = {
    TRXI_FIELD("tolerances", TRXI_POSITIVE, trx_trial_settings, tolerance_factor),
    TRXI_FIELD("distance", TRXI_NOT_NEGATIVE, trx_trial_settings, least_tolerance),
};

typedef struct trial_record {
    trx_trial_settings set;
    const trxi_yaml_node *start, *noise, *success;
} trial_record;

static const trxi_field trial_fields[] = {
    TRXI_FIELD("worlds", TRXI_COUNT, trial_record, set.worlds, .of = TRXI_OF_WORLDS),
    TRXI_FIELD("time_step", TRXI_POSITIVE, trial_record, set.step_share),
    TRXI_FIELD("friction", TRXI_NOT_NEGATIVE, trial_record, set.friction),
    TRXI_FIELD("stiffness", TRXI_NOT_NEGATIVE, trial_record, set.stiffness),
    TRXI_FIELD("dissipation", TRXI_NOT_NEGATIVE, trial_record, set.dissipation),
    TRXI_FIELD("mass", TRXI_NOT_NEGATIVE, trial_record, set.mass),
    TRXI_FIELD("damping", TRXI_NOT_NEGATIVE, trial_record, set.damping),
    TRXI_FIELD("delay", TRXI_NOT_NEGATIVE, trial_record, set.delay, .of = TRXI_OF_TIME),
    TRXI_FIELD("push", TRXI_NOT_NEGATIVE, trial_record, set.push),
    TRXI_FIELD("start", TRXI_MAP, trial_record, start),
    TRXI_FIELD("noise", TRXI_MAP, trial_record, noise),
    TRXI_FIELD("success", TRXI_MAP, trial_record, success),
};

// reports a relative range of 1 or more, which would reach 0
static void check_relative(trxi_reader *reader, const trxi_yaml_node *node, const char *key, double value)
{
    if (value < 1) return;
    trxi_error_at(reader->context, trxi_yaml_get(node, key)->source, "%s: %g of the value on both sides: write a number below 1",
                  key, value);
}

static void check_step(trxi_reader *reader, const trxi_yaml_node *node, double share)
{
    const double parts = 1 / share;
    if (share <= 1 && parts <= 1000 && fabs(parts - round(parts)) < 1e-6) return;
    trxi_error_at(reader->context, trxi_yaml_get(node, "time_step")->source,
                  "time_step: %g of the step: write 1, 0.5, 0.1 or another number whose inverse is whole and at most 1000", share);
}

void trxi_read_trial(trxi_reader *reader, const trxi_yaml_node *node, trx_trial_settings *settings)
{
    trial_record record = {.set = *settings};
    if (!node || !TRXI_READ_RECORD(reader, node, "trial", trial_fields, &record)) return;
    trx_trial_settings *s = &record.set;
    if (record.start) TRXI_READ_RECORD(reader, record.start, "start", start_fields, s);
    if (record.noise) TRXI_READ_RECORD(reader, record.noise, "noise", noise_fields, s);
    if (record.success) TRXI_READ_RECORD(reader, record.success, "success", success_fields, s);
    check_step(reader, node, s->step_share);
    check_relative(reader, node, "friction", s->friction);
    check_relative(reader, node, "stiffness", s->stiffness);
    check_relative(reader, node, "dissipation", s->dissipation);
    check_relative(reader, node, "mass", s->mass);
    check_relative(reader, node, "damping", s->damping);
    *settings = *s;
}
