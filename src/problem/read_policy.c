// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section policy: how the gains of a plan's policy are made (docs/problem_file.md, policy).

#include "problem/read_policy.h"

static const trxi_field policy_fields[] = {
    TRXI_FIELD("delay", TRXI_NOT_NEGATIVE, trx_policy_settings, delay, .of = TRXI_OF_TIME),
    TRXI_FIELD("smoothing", TRXI_NOT_NEGATIVE, trx_policy_settings, smoothing, .of = TRXI_OF_LENGTH),
};

void trxi_read_policy(trxi_reader *reader, const trxi_yaml_node *node, trx_policy_settings *settings)
{
    trx_policy_settings record = *settings;
    if (!node || !TRXI_READ_RECORD(reader, node, "policy", policy_fields, &record)) return;
    if (record.delay > 10)
        trxi_error_at(reader->context, trxi_yaml_get(node, "delay")->source, "delay: %g s: write at most 10", record.delay);
    *settings = record;
}
