// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Sums over the steps of a simulation; their memory does not grow with the steps.

#ifndef TRXI_REPORT_STATISTICS_H
#define TRXI_REPORT_STATISTICS_H

#include "base/context.h"

#include <tractrix/sim.h>

enum { TRXI_TIME_BINS = 1400 };

typedef struct trxi_statistics {
    long long steps, iterations, contacts; // sums
    int most_iterations, most_contacts, round_off;
    double seconds, longest;               // of trx_step alone [s]
    unsigned bins[TRXI_TIME_BINS];         // steps by time: bin i from 1e-8 1.02^i s on
    double kinetic[2], gravity[2], springs[2]; // at the start, at the end [J]
    double work;                           // of the actuators [J]
    trx_contact_residual contact;          // largest of all steps whose residuals were asked for
} trxi_statistics;

/// Adds the last step: its status, its solve, its time.
void trxi_statistics_add(trxi_statistics *statistics, const trx_step_info *info, trx_status status, double seconds);

/// Adds the residuals of the last step against rigid contact.
void trxi_statistics_add_contact(trxi_statistics *statistics, const trx_contact_residual *contact);

/// Median of the steps' times, to 1 %; 0 without steps [s].
double trxi_statistics_median(const trxi_statistics *statistics);

/// Work of the actuators over the sim's last step, which ended with velocities v (nv): f times the change of length
/// (trx_actuator_def) [J].
double trxi_actuator_work(const trx_sim *sim, const double *v);

/// Energy at x (nstate), as the start (end 0) or the end (1). Errors: MEMORY.
trx_status trxi_statistics_energy(trx_context *context, const trx_model *model, const double *x, int end,
                                  trxi_statistics *statistics);

#endif
