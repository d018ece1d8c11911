// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of a trial (theory 7, trials): what trial.c fills and results.c reads.

#ifndef TRXI_TRIAL_STATE_H
#define TRXI_TRIAL_STATE_H

#include "trial/worlds.h"

#include <pthread.h>
#include <tractrix/channel.h>

struct trx_trial {
    trx_context *context;
    trxi_pool *pool;
    trxi_worlds worlds;
    trx_plan_problem task;
    trx_controller controller, behind; // the channel, and the caller's controller behind the channel
    trx_channel channel;
    int ngoal, parts; // parts: simulated steps from knot to knot
    trx_trial_goal *goals;   // ngoal
    trx_trial_world *results;
    double *correlations;    // nvariation
    trx_trial_info info;
    // while the trial runs
    trx_trial_progress progress;
    void *user;
    pthread_mutex_t lock;
    bool stopped;
    double saved; // when the finished worlds were saved last [s]
};

#endif
