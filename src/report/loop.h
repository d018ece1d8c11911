// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The recording of a closed loop (loop.c): ticks, and what the files of the run show of them.

#ifndef TRXI_REPORT_LOOP_H
#define TRXI_REPORT_LOOP_H

#include "formats/json.h"
#include "report/run.h"

/// The object `loop` of summary.json.
void trxi_write_loop(const trx_run *run, trxi_json *json);

/// ticks.csv and pushes.csv.
void trxi_write_ticks(const trx_run *run, trxi_text *out);
void trxi_write_pushes(const trx_run *run, trxi_text *out);

#endif
