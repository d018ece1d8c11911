// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The controller of a policy for trials (theory 7): every world has its own copy, because a policy has scratch memory.

#include <tractrix/policy.h>

static trx_status open(void *user, trx_context *context, int world, void **state)
{
    (void)world;
    const trx_policy *policy = user;
    const trx_policy_def def = trx_policy_get(policy);
    trx_policy *copy;
    const trx_status status = trx_policy_create(context, trx_policy_model(policy), &def, &copy);
    *state = copy;
    return status;
}

static trx_status control(void *state, double t, const double *x, double *u)
{
    return trx_policy_control(state, t, x, u);
}

static void close(void *state)
{
    trx_policy_destroy(state);
}

trx_controller trx_policy_controller(const trx_policy *policy)
{
    return (trx_controller){.user = (void *)policy, .open = open, .control = control, .close = close};
}
