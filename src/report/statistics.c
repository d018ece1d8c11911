// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Statistics of a simulation: means and extremes as running sums; the median time of a step, accurate to 1 %, from a
// histogram whose bins grow by 2 % each; the energy at start and end; and the work of the actuators,
//
//     W = sum over steps and actuators of  f dt dl/dt,      dl/dt = dl/dq v at the end of the step.
//
// The difference between E_start + W and the energy at the end was lost in friction, contacts, damping and the time
// scheme.

#include "step/sim.h"
#include "report/run.h"

#include "dynamics/model_checks.h"

#include <math.h>

static const double FIRST_BIN = 1e-8, GROWTH = 1.02; // [s], [1]

static int bin_of(double seconds)
{
    if (!(seconds > FIRST_BIN)) return 0;
    double bin = log(seconds / FIRST_BIN) / log(GROWTH);
    return bin < TRXI_TIME_BINS - 1 ? (int)bin : TRXI_TIME_BINS - 1;
}

void trxi_statistics_add(trxi_statistics *statistics, const trx_step_info *info, trx_status status, double seconds)
{
    statistics->steps++;
    statistics->iterations += info->iterations;
    statistics->contacts += info->contacts;
    if (info->iterations > statistics->most_iterations) statistics->most_iterations = info->iterations;
    if (info->contacts > statistics->most_contacts) statistics->most_contacts = info->contacts;
    if (status == TRX_ROUND_OFF) statistics->round_off++;
    statistics->seconds += seconds;
    statistics->longest = fmax(statistics->longest, seconds);
    statistics->bins[bin_of(seconds)]++;
}

void trxi_statistics_add_contact(trxi_statistics *statistics, const trx_contact_residual *contact)
{
    trx_contact_residual *worst = &statistics->contact;
    worst->e_p = fmax(worst->e_p, contact->e_p);
    worst->e_d = fmax(worst->e_d, contact->e_d);
    worst->e_c = fmax(worst->e_c, contact->e_c);
}

double trxi_statistics_median(const trxi_statistics *statistics)
{
    long long before = 0;
    for (int i = 0; i < TRXI_TIME_BINS && statistics->steps > 0; i++) {
        before += statistics->bins[i];
        if (2 * before >= statistics->steps) return FIRST_BIN * pow(GROWTH, i + 0.5);
    }
    return 0;
}

double trxi_actuator_work(const trx_sim *sim, const double *v)
{
    const trx_model *model = trx_sim_model(sim);
    double dt = trx_sim_get_settings(sim).time_step, work = 0;
    for (int i = 0; i < model->nu; i++) {
        const trxi_actuator *a = &model->actuators[i];
        const double rate = a->gear * trxi_length_rate(model, &sim->smooth.lengths, a->length, v);
        work += trx_sim_actuator_force(sim, i) * rate * dt;
    }
    return work;
}

trx_status trxi_statistics_energy(trx_context *context, const trx_model *model, const double *x, int end,
                                  trxi_statistics *statistics)
{
    trxi_energy energy;
    trx_status status = trxi_model_energy(context, model, x, x + model->nq, &energy);
    if (status < 0) return status;
    statistics->kinetic[end] = energy.kinetic;
    statistics->gravity[end] = energy.gravity;
    statistics->springs[end] = energy.springs;
    return TRX_OK;
}

trx_simulation_info trx_run_get_simulation(const trx_run *run)
{
    const trxi_statistics *s = &run->statistics;
    double steps = s->steps > 0 ? (double)s->steps : 1;
    trx_simulation_info info = {
        .first_step = run->first,
        .frames = run->frames.count,
        .frame_every = run->frames.every,
        .iterations = (double)s->iterations / steps,
        .most_iterations = s->most_iterations,
        .contacts = (double)s->contacts / steps,
        .most_contacts = s->most_contacts,
        .round_off = s->round_off,
        .step_median = trxi_statistics_median(s),
        .step_mean = s->seconds / steps,
        .step_most = s->longest,
        .actuators = s->work,
        .lost = s->work,
        .contact = s->contact,
    };
    for (int end = 0; end < 2; end++) {
        info.kinetic[end] = s->kinetic[end];
        info.gravity[end] = s->gravity[end];
        info.springs[end] = s->springs[end];
        info.lost += (end == 0 ? 1 : -1) * (s->kinetic[end] + s->gravity[end] + s->springs[end]);
    }
    return info;
}
