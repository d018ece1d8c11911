// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drag of bodies in a fluid (trx_drag_def, theory 2): validated, and expressed in the links that it acts on. With sides s of the
// box, d = (s1 + s2 + s3)/3, velocity u and angular velocity w along its axes relative to the fluid, i, j, k different:
//
//     f_i = -(3 pi d mu + rho/2 s_j s_k |u_i|) u_i          m_i = -(pi d^3 mu + rho/64 s_i (s_j^4 + s_k^4) |w_i|) w_i

#include "math/constants.h"
#include "math/dense.h"
#include "math/rotation.h"
#include "model/build.h"

#include <math.h>

static bool acts(const trx_drag_def *drag)
{
    return drag->density != 0 || drag->viscosity != 0;
}

void trxi_validate_drag(trxi_build *build, const trx_body_def *body)
{
    const trx_drag_def *drag = &body->drag;
    if (!acts(drag)) return;
    const double numbers[2] = {drag->density, drag->viscosity};
    bool fine = trxi_all_finite(2, numbers) && drag->density >= 0 && drag->viscosity >= 0;
    if (!fine)
        trxi_error_at(build->context, drag->source, "the drag of '%s': density %g and viscosity %g must be finite and not negative",
                      body->name, drag->density, drag->viscosity);
    for (int i = 0; i < 3; i++)
        if (!(drag->size[i] >= 0 && isfinite(drag->size[i]))) {
            trxi_error_at(build->context, drag->source, "the drag of '%s': each size must be finite and not negative", body->name);
            break;
        }
    if (!trxi_all_finite(3, drag->wind))
        trxi_error_at(build->context, drag->source, "the drag of '%s': wind is not finite", body->name);
    if (!trxi_pose_usable(&drag->pose))
        trxi_error_at(build->context, drag->source, "the drag of '%s': its pose is not finite", body->name);
}

static void make(const trx_drag_def *from, const trxi_body *body, int link, trxi_drag *to)
{
    const double *s = from->size, d = (s[0] + s[1] + s[2]) / 3;
    *to = (trxi_drag){.link = link, .viscous = {3 * TRXI_PI * d * from->viscosity, TRXI_PI * d * d * d * from->viscosity}};
    for (int i = 0; i < 3; i++) {
        const double a = s[(i + 1) % 3], b = s[(i + 2) % 3];
        to->form[0][i] = from->density / 2 * a * b;
        to->form[1][i] = from->density / 64 * s[i] * (a * a * a * a + b * b * b * b);
    }
    trxi_copy3(from->wind, to->wind);
    trxi_fixture_pose(body, &from->pose, to->R_L, to->p_L);
}

trx_status trxi_build_drags(trxi_build *build)
{
    trx_model *m = &build->model;
    m->drags = TRXI_POOL(build->pool, trxi_drag, build->def->nbody);
    if (!m->drags) return TRX_ERR_MEMORY;
    for (int i = 0; i < build->def->nbody; i++)
        if (acts(&build->def->bodies[i].drag) && m->bodies[i].link >= 0)
            make(&build->def->bodies[i].drag, &m->bodies[i], m->bodies[i].link, &m->drags[m->ndrag++]);
    return TRX_OK;
}
