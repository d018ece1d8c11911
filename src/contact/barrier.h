// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Where the solver may go when contacts have barriers (theory 3): see barrier.c.

#ifndef TRXI_CONTACT_BARRIER_H
#define TRXI_CONTACT_BARRIER_H

#include "contact/contact.h"

/// Most of a feasible step that is taken.
static const double trxi_barrier_share = 0.99;

/// Largest alpha > 0 at which the argument of the contact's barrier stays above 0 along v_c + alpha dv_c, where v_c itself is
/// feasible; INFINITY when there is none, and for laws without a barrier.
double trxi_contact_longest_step(const trxi_contact *contact, double dt, const double v_c[3], const double dv_c[3]);

/// min(most, 0.99 of the largest alpha feasible along v_c + alpha dv_c for the contact `first` and those chained to it).
double trxi_barrier_step(const trxi_contact *contacts, int first, double dt, double most);

/// True when one of these contacts has a barrier.
bool trxi_barrier_any(const trxi_contact *contacts, int first);

/// The separation speed z that a contact's law sees at v_c: v_n, for similar less the cushion mu |x|_s [m/s].
double trxi_contact_separation(const trxi_contact *contact, const double v_c[3]);

/// Scale in [0, 1] by which the velocities v (of all dofs) come to lie inside the barriers of these contacts, as v = 0 does
/// unless a body that moves by itself closes one.
double trxi_barrier_entry(const trxi_contact *contacts, int first, double dt, const double *v);

#endif
