// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Kinks of the step map (theory 3 to 6): sign changes of phi0 (lagged friction starts), of phi0 + dt v_n (contact opens), of
// 1 - d v_n (dissipation saturates; z in place of v_n for similar), borders of sap's regions, regularized friction that
// passes the stiction tolerance, a gap that leaves the reach of an ipc barrier, a joint limit that starts to act, a drive that
// reaches its effort, a spring of a tendon that leaves its range of rest lengths, a tendon that leaves its obstacle, an
// activation that reaches or leaves its range, the pieces of the curves of a muscle, the gap 0 of a rigid contact, and a change
// of geometric feature. The near-rigid bound of sap depends only on the effective mass: it is a branch without a distance.

#include "step/sim.h"

#include "base/random.h"

enum { SPAN_KEY = 1000 }; // beside the keys of laws

// returns whether the step map depends on the contact's branch and on the features that touch; contacts of dojo always have an
// impulse
static bool acts(const trxi_row_block *c)
{
    return c->at.branch || c->at.gamma[2] > 0 || (c->law->uses_lagged && c->contact.branch0);
}

unsigned long long trxi_step_branches(const trxi_input *in, const trxi_smooth *smooth, const trxi_rows *rows)
{
    unsigned long long hash = in->activations.branches;
    for (int i = 0; i < in->model->nspan; i++)
        if (smooth->lengths.spans[i].at.branch != TRXI_STRAIGHT)
            hash += trxi_random_bits(~0ull - SPAN_KEY, (unsigned long long)i * 4 + smooth->lengths.spans[i].at.branch);
    for (int i = 0; i < rows->ncontact; i++) {
        const trxi_row_block *c = &rows->contacts[i];
        if (c->law->angular || !acts(c)) continue;
        const trxi_row *row = &rows->origins[i];
        int bits = c->at.branch | (c->law->uses_lagged ? c->contact.branch0 << 8 : 0);
        bits |= c->decided << 12;
        hash += trxi_random_bits((unsigned long long)row->pair << 32 | (unsigned)row->point,
                                 (unsigned long long)(unsigned)row->feature << 16 | (unsigned)bits);
    }
    for (int i = 0; i < rows->nscalar; i++) {
        const trxi_row_block *row = &rows->scalars[i];
        const unsigned long long place = (unsigned long long)row->index << 16 | (unsigned)row->at.branch;
        if (row->law->kink && row->at.branch) hash += trxi_random_bits(~0ull - row->law->key, place * 4 + (unsigned)row->part);
    }
    for (int i = 0; i < rows->nconstraint_rows; i++) {
        const unsigned decided = (unsigned)rows->scalars[rows->constraint_rows[i].first].decided;
        hash += trxi_random_bits(~0ull - trxi_equality.key, (unsigned long long)i * 16 + decided);
    }
    return hash;
}

// distance to the nearest kink of a contact: of its law, and of the features that touch
static double contact_kink(const trxi_input *in, const trxi_rows *rows, int i)
{
    const trxi_row_block *c = &rows->contacts[i];
    const trxi_row *row = &rows->origins[i];
    if (!c->law->kink) return INFINITY;
    return fmin(c->law->kink(c, &in->law), acts(c) ? row->tie : INFINITY);
}

double trxi_step_kink_distance(const trxi_input *in, const trxi_smooth *smooth, const trxi_rows *rows)
{
    double nearest = in->activations.kink;
    for (int i = 0; i < in->model->nspan; i++) nearest = fmin(nearest, smooth->lengths.spans[i].at.margin);
    for (int i = 0; i < rows->ncontact; i++) nearest = fmin(nearest, contact_kink(in, rows, i));
    for (int i = 0; i < rows->nscalar; i++) {
        const trxi_row_block *row = &rows->scalars[i];
        if (row->law->kink) nearest = fmin(nearest, row->law->kink(row, &in->law));
    }
    return nearest;
}
