// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The medium of the option: drag on every body with mass, as a box of the body's mass and principal moments, which is MuJoCo's
// model for bodies without fluidshape:
//
//     s_i = sqrt(6 (I_j + I_k - I_i)/m)

#include "import/mjcf/mjcf.h"

#include <math.h>

void trxi_mjcf_read_fluid(const trxi_mjcf_element *e)
{
    trxi_mjcf_fluid *fluid = &e->reader->fluid;
    static const char *const keys[] = {"density", "viscosity"};
    double *numbers[] = {&fluid->density, &fluid->viscosity};
    for (int i = 0; i < 2; i++) {
        *numbers[i] = trxi_mjcf_number(e, keys[i], *numbers[i]);
        if (*numbers[i] < 0)
            trxi_mjcf_error(e, e->node->source, keys[i], "%s of the medium is %g; it must not be negative", keys[i], *numbers[i]);
    }
    trxi_mjcf_numbers(e, "wind", 3, 3, fluid->wind);
    fluid->source = e->node->source;
}

void trxi_mjcf_finish_fluid(trxi_mjcf *reader)
{
    const trxi_mjcf_fluid *fluid = &reader->fluid;
    if (!(fluid->density > 0) && !(fluid->viscosity > 0)) return;
    for (int i = 0; i < reader->bodies.count; i++) {
        const trxi_mjcf_body *body = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, i);
        if (!(body->sum.mass > 0)) continue;
        double moments[3], R[9];
        trx_drag_def drag = {.source = fluid->source, .density = fluid->density, .viscosity = fluid->viscosity};
        trxi_mjcf_eigen(body->sum.tensor, moments, R);
        for (int k = 0; k < 3; k++) {
            const double square = 6 * (moments[(k + 1) % 3] + moments[(k + 2) % 3] - moments[k]) / body->sum.mass;
            drag.size[k] = sqrt(fmax(square, 0));
        }
        trxi_copy3(fluid->wind, drag.wind);
        trxi_copy3(body->sum.com, drag.pose.p);
        trxi_quat_from_matrix(R, drag.pose.quat);
        trxi_draft_body_at(reader->draft, body->draft)->drag = drag;
    }
}
