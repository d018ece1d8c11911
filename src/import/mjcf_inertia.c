// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Masses of bodies: stated by `inertial`, or summed over geoms; then the compiler's own corrections (bounds, balance,
// total mass), in MuJoCo's order; then into the draft. Sums are taken about the common centre of mass.

#include "import/mjcf.h"

#include <math.h>
#include <string.h>

// Jacobi's method: rotations in the plane of the largest element off the diagonal
void trxi_mjcf_eigen(const double tensor[6], double values[3], double R[9])
{
    static const int packed[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    double A[9];
    for (int i = 0; i < 9; i++) A[i] = tensor[packed[i]];
    trxi_identity33(R);
    for (int sweep = 0; sweep < 100; sweep++) {
        int p = 0, q = 1;
        if (fabs(A[6]) > fabs(A[p + 3 * q])) q = 2;
        if (fabs(A[7]) > fabs(A[p + 3 * q])) p = 1, q = 2;
        double off = A[p + 3 * q];
        if (fabs(off) <= 1e-18 * (fabs(A[0]) + fabs(A[4]) + fabs(A[8]))) break;
        double angle = 0.5 * atan2(2 * off, A[4 * q] - A[4 * p]), G[9], left[9];
        trxi_identity33(G);
        G[4 * p] = G[4 * q] = cos(angle);
        G[p + 3 * q] = sin(angle);
        G[q + 3 * p] = -sin(angle);
        trxi_mul33_at(G, A, left);
        trxi_mul33(left, G, A);
        trxi_mul33(R, G, left);
        memcpy(R, left, sizeof left);
    }

    // descending, right-handed
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (A[4 * order[j]] < A[4 * order[j + 1]]) {
                int swap = order[j];
                order[j] = order[j + 1], order[j + 1] = swap;
            }
    double sorted[9];
    for (int i = 0; i < 3; i++) {
        values[i] = A[4 * order[i]];
        trxi_copy3(R + 3 * order[i], sorted + 3 * i);
    }
    trxi_cross3(sorted, sorted + 3, sorted + 6);
    memcpy(R, sorted, sizeof sorted);
}

void trxi_mjcf_add_tensor(const double t[6], const double R[9], double mass, const double d[3], double out[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const double full[9] = {t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2]};
    double left[9], rotated[9], square = trxi_dot3(d, d);
    trxi_mul33(R, full, left);
    trxi_mul33_bt(left, R, rotated);
    for (int k = 0; k < 6; k++) {
        int i = row[k], j = column[k];
        out[k] += rotated[i + 3 * j] + mass * ((i == j ? square : 0) - d[i] * d[j]);
    }
}

static void set_diagonal(const double values[3], const double R[9], double tensor[6])
{
    static const double zero[3] = {0, 0, 0};
    const double diagonal[6] = {values[0], values[1], values[2], 0, 0, 0};
    memset(tensor, 0, 6 * sizeof *tensor);
    trxi_mjcf_add_tensor(diagonal, R, 0, zero, tensor);
}

void trxi_mjcf_read_inertial(trxi_mjcf *reader, trxi_xml_node *node, int body, const trx_pose *frame)
{
    static const char *const forms[] = {"fullinertia", "diaginertia"};
    trxi_mjcf_body *to = TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, body);
    trxi_mjcf_element e = trxi_mjcf_plain(reader, node), at;
    trx_pose pose = trxi_mjcf_pose(&e), placed = trxi_pose_mul(frame, &pose);
    double R[9], full[6] = {0}, mass = 0;
    static const double zero[3] = {0, 0, 0};

    trxi_mjcf_required(&e, "pos");
    if (trxi_mjcf_required(&e, "mass")) mass = trxi_mjcf_number(&e, "mass", 0);
    if (mass < 0)
        trxi_mjcf_error(&e, node->source, "mass", "mass of this inertial is %g kg; it must not be negative", mass);
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
    trxi_mjcf_add_tensor(full, R, 0, zero, to->sum.tensor);
}

static void sum_solids(trxi_mjcf_body *body)
{
    static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    trxi_mjcf_solid *sum = &body->sum;
    *sum = (trxi_mjcf_solid){0};
    for (int i = 0; i < body->solids.count; i++) {
        const trxi_mjcf_solid *part = TRXI_MJCF_AT(body->solids, trxi_mjcf_solid, i);
        sum->mass += part->mass;
        trxi_axpy3(part->mass, part->com, sum->com);
    }
    if (sum->mass > 0) trxi_scale3(1 / sum->mass, sum->com, sum->com);
    for (int i = 0; i < body->solids.count; i++) {
        const trxi_mjcf_solid *part = TRXI_MJCF_AT(body->solids, trxi_mjcf_solid, i);
        double d[3];
        trxi_sub3(part->com, sum->com, d);
        trxi_mjcf_add_tensor(part->tensor, axes, part->mass, d, sum->tensor);
    }
}

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
    if (c->balance_inertia && moments[1] + moments[2] < moments[0]) {
        trxi_draft_note(reader->draft, TRX_NOTE_REPAIRED, body->source,
                        "principal moments %g, %g, %g kg m^2 are no solid's; "
                        "all are set to their mean, as balanceinertia asks",
                        moments[0], moments[1], moments[2]);
        moments[0] = moments[1] = moments[2] = (moments[0] + moments[1] + moments[2]) / 3;
    }
    set_diagonal(moments, R, body->sum.tensor);
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
