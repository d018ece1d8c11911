// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Many free boxes, all of which may meet each other and a floor.

#ifndef TRACTRIX_TESTS_STEP_MANY_H
#define TRACTRIX_TESTS_STEP_MANY_H

#include <tractrix/model.h>

/// Boxes of side 0.1 m and a floor.
trx_model *many_boxes(trx_context *context, int count);

/// A state at rest (13 count): boxes in a row, 0.2 m apart, their lower faces `height` over the floor [m].
void lift_boxes(const trx_model *model, int count, double height, double *x);

#endif
