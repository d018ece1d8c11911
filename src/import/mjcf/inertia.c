// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Masses of bodies: given by `inertial`, or summed over geoms; then the compiler's own corrections (bounds,
// balance, total mass), in MuJoCo's order; then into the draft. Sums are about the common centre of mass.

#include "import/mjcf/mjcf.h"
#include "math/tensor.h"

#include <math.h>
#include <string.h>

void trxi_mjcf_eigen(const double tensor[6], double values[3], double R[9])
{
    double negative[6];
    for (int i = 0; i < 6; i++) negative[i] = -tensor[i];
    trxi_tensor_principal(negative, values, R);
    trxi_scale3(-1, values, values);
}

void trxi_mjcf_read_inertial(trxi_mjcf *reader, trxi_xml_node *node, int body, const trx_pose *frame)
{
    static const char *const forms[] = {"fullinertia", "diaginertia"};
    trxi_mjcf_body *to = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, body);
    trxi_mjcf_element e = trxi_mjcf_plain(reader, node), at;
    trx_pose pose = trxi_mjcf_pose(&e), placed = trxi_pose_mul(frame, &pose);
    double R[9], full[6] = {0}, mass = 0;

    trxi_mjcf_required(&e, "pos");
    if (trxi_mjcf_required(&e, "mass")) mass = trxi_mjcf_number(&e, "mass", 0);
    if (mass < 0) {
        trxi_mjcf_error(&e, node->source, "mass", "mass of this inertial is %g kg; it must not be negative", mass);
        mass = 0;
    }
    int form = trxi_mjcf_choice(&e, forms, 2, &at);
    if (form == 0) trxi_mjcf_numbers(&e, "fullinertia", 6, 6, full);
    if (form == 1) trxi_mjcf_numbers(&e, "diaginertia", 3, 3, full);
    if (form < 0)
        trxi_mjcf_error(&e, node->source, "diaginertia", "this inertial has neither diaginertia nor fullinertia");
    if (form == 0 && memcmp(pose.quat, trx_pose_identity().quat, sizeof pose.quat) != 0)
        trxi_mjcf_error(&e, node->source, "quat",
                        "this inertial has fullinertia and an orientation; keep one of them, or "
                        "write diaginertia");

    to->inertia_source = node->source;
    to->sum = (trxi_mjcf_solid){.mass = mass};
    trxi_copy3(placed.p, to->sum.com);
    trxi_quat_to_matrix(placed.quat, R);
    trxi_tensor_rotate(full, R, to->sum.tensor);
}

// For a body without mass, MuJoCo takes `pos` of the body as its centre of mass, in the body's own frame. boundmass may give such a
// body a mass
static void sum_solids(trxi_mjcf_body *body)
{
    trxi_mjcf_solid *sum = &body->sum;
    *sum = (trxi_mjcf_solid){0};
    for (int i = 0; i < body->solids.count; i++) {
        const trxi_mjcf_solid *part = TRXI_MJCF_AT(body->solids, trxi_mjcf_solid, i);
        sum->mass += part->mass;
        trxi_axpy3(part->mass, part->com, sum->com);
    }
    if (sum->mass > 0) trxi_scale3(1 / sum->mass, sum->com, sum->com);
    else trxi_copy3(body->pos, sum->com);
    for (int i = 0; i < body->solids.count; i++) {
        const trxi_mjcf_solid *part = TRXI_MJCF_AT(body->solids, trxi_mjcf_solid, i);
        double d[3];
        trxi_sub3(part->com, sum->com, d);
        trxi_tensor_add(part->tensor, NULL, part->mass, d, sum->tensor);
    }
}

// moments of the file are rounded on their way through the tensor: of a flat body, the sum of two may be less than the third
static const double ROUNDING = 1e-12;

static void correct(trxi_mjcf *reader, trxi_mjcf_body *body)
{
    const trxi_mjcf_compiler *c = &reader->compiler;
    if (!(c->bound_mass > 0) && !(c->bound_inertia > 0) && !c->balance_inertia) return;
    double moments[3], R[9];
    bool changed = body->sum.mass < c->bound_mass;
    body->sum.mass = fmax(body->sum.mass, c->bound_mass);
    trxi_mjcf_eigen(body->sum.tensor, moments, R);
    for (int i = 0; i < 3; i++) {
        changed |= moments[i] < c->bound_inertia;
        moments[i] = fmax(moments[i], c->bound_inertia);
    }
    if (changed)
        trxi_draft_tally(reader->draft, TRX_NOTE_REPAIRED, body->source, "", "body has", "bodies have",
                         " mass or inertia raised to boundmass or boundinertia of the compiler");
    if (c->balance_inertia && moments[1] + moments[2] < (1 - ROUNDING) * moments[0]) {
        trxi_draft_note(reader->draft, TRX_NOTE_REPAIRED, body->source,
                        "principal moments %g, %g, %g kg m^2 are no solid's; "
                        "all are set to their mean, as balanceinertia asks",
                        moments[0], moments[1], moments[2]);
        moments[0] = moments[1] = moments[2] = (moments[0] + moments[1] + moments[2]) / 3;
    }
    trxi_tensor_from_principal(moments, R, body->sum.tensor);
}

static void scale_to_total(trxi_mjcf *reader)
{
    double total = 0;
    for (int i = 0; i < reader->bodies.count; i++) total += TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, i)->sum.mass;
    if (!(reader->compiler.total_mass > 0) || !(total > 0)) return;
    double scale = reader->compiler.total_mass / total;
    for (int i = 0; i < reader->bodies.count; i++) {
        trxi_mjcf_solid *sum = &TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, i)->sum;
        sum->mass *= scale;
        for (int k = 0; k < 6; k++) sum->tensor[k] *= scale;
    }
}

void trxi_mjcf_finish_inertia(trxi_mjcf *reader)
{
    for (int i = 0; i < reader->bodies.count; i++) {
        trxi_mjcf_body *body = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, i);
        if (body->infer) sum_solids(body);
        correct(reader, body);
    }
    scale_to_total(reader);
    for (int i = 0; i < reader->bodies.count; i++) {
        const trxi_mjcf_body *body = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, i);
        bool massless = body->sum.mass == 0;
        for (int k = 0; k < 6; k++) massless &= body->sum.tensor[k] == 0;
        if (!massless)
            trxi_draft_inertia(reader->draft, body->draft, body->inertia_source, body->sum.mass, body->sum.com,
                               body->sum.tensor);
    }
}
