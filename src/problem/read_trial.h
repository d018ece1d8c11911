// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The sections `policy:` and `trial:`.

#ifndef TRXI_PROBLEM_READ_TRIAL_H
#define TRXI_PROBLEM_READ_TRIAL_H

#include "problem/reader.h"

#include <tractrix/policy.h>
#include <tractrix/trial.h>

/// policy: how the gains of the policy are made; keys that are missing keep their values.
void trxi_read_policy(trxi_reader *reader, const trxi_yaml_node *node, trx_policy_settings *settings);

/// trial: the ranges of worlds; keys that are missing keep their values.
void trxi_read_trial(trxi_reader *reader, const trxi_yaml_node *node, trx_trial_settings *settings);

#endif
