// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section `policy:`.

#ifndef TRXI_PROBLEM_READ_POLICY_H
#define TRXI_PROBLEM_READ_POLICY_H

#include "problem/reader.h"

#include <tractrix/policy.h>

/// policy: how the gains of the policy are made; keys that are missing keep their values.
void trxi_read_policy(trxi_reader *reader, const trxi_yaml_node *node, trx_policy_settings *settings);

#endif
