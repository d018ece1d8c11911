// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A run to look at: a ball pushes a box along x.

#ifndef TESTS_REPORT_PLAYER_SAMPLE_H
#define TESTS_REPORT_PLAYER_SAMPLE_H

#include "formats/text.h"

/// The texts of a run folder, made by simulating the push in one dimension: box (0.5 kg, friction 0.3), ball
/// (0.3 kg) driven by a force, contact between them a damped spring. `knots` over `duration` seconds.
typedef struct player_sample {
    trxi_text scene, trajectory, contacts, summary;
} player_sample;

player_sample player_sample_create(trx_context *context, int knots, double duration);
void player_sample_destroy(player_sample *sample);

#endif
