// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section `time:`.

#ifndef TRXI_PROBLEM_READ_TIME_H
#define TRXI_PROBLEM_READ_TIME_H

#include "problem/reader.h"

#include <tractrix/sim.h>

/// time: step, scheme and its options into `sim`, and the number of steps.
void trxi_read_time(trxi_reader *reader, const trxi_yaml_node *node, trx_sim_settings *sim, int *steps);

#endif
