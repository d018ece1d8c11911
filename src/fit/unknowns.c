// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Charts, ties, bounds and priors of parameters (theory 10); see unknowns.h.
//
//     value = exp(z)          positive parameters with a positive start
//     value = z               all others
//     value = ratio value_j   with same_as j
//     mass, com, tensor       ten unknowns of a body together (moments.c), with a prior about the start
//
// A bias, an offset and a turn may well be 0, so their own value is no measure of their size. The typical size of a bias is
// the extent of the recording (the root mean square about the mean, or the noise where nothing moves). The typical size of
// an offset is the extent of the body (the root of its mean second moment), and of a turn one radian. Without given bounds,
// bias and offset stay within MOST_SIZES typical sizes, and a turn within pi.

#include "fit/unknowns.h"

#include "base/context.h"
#include "fit/channel.h"
#include "math/constants.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

// Whether the values are never negative. The gain of a signal may be negative: a sensor can be mounted the other way round
static bool never_negative(const trx_fit_parameter *p)
{
    if (p->signal) return false;
    switch (p->of.kind) {
    case TRX_ACTUATOR_GEAR:
    case TRX_JOINT_REST:
    case TRX_ACTUATOR_GAIN:
    case TRX_ACTUATOR_BIAS:
    case TRX_GRAVITY:
    case TRX_BODY_COM:
    case TRX_BODY_TENSOR:
    case TRX_PLACE_POSITION:
    case TRX_PLACE_TURN: return false;
    default: return true;
    }
}

static const double MOST_SIZES = 10;

// root mean square of the recorded numbers of a signal's channels about the mean of each; the noise where they do not change
static double extent_of(const trx_fit_problem *problem, const trx_fit_parameter *p)
{
    double squares = 0, count = 0, noise = NAN;
    for (int c = 0; c < problem->nchannel; c++) {
        const trx_fit_channel *channel = &problem->channels[c];
        double n = 0, mean = 0, about = 0;
        if (!trxi_channel_has_signal(channel, c, p)) continue;
        noise = problem->groups[channel->group].noise;
        for (int r = 0; r < problem->nrecording; r++)
            for (int row = 0; row < problem->recordings[r].rows; row++) {
                const double *values = problem->recordings[r].values + (size_t)row * (size_t)problem->columns;
                if (trxi_channel_is_missing(channel, values)) continue;
                const double y = values[channel->column], change = y - mean;
                mean += change / ++n;
                about += change * (y - mean);
            }
        squares += about, count += n;
    }
    const double extent = count > 0 ? sqrt(squares / count) : 0;
    return extent > 0 ? extent : noise > 0 ? noise : 1;
}

// root of the mean second moment of the body that carries a marker; 0: not known
static double body_size(const trx_fit_problem *problem, const trx_fit_parameter *p)
{
    for (int c = 0; c < problem->nchannel; c++) {
        const trx_fit_channel *channel = &problem->channels[c];
        if (!trxi_channel_has_signal(channel, c, p)) continue;
        const int body = trxi_channel_body(problem->model, channel);
        const trx_body_inertia inertia = trx_model_body_inertia(problem->model, body);
        if (inertia.mass > 0) return sqrt(0.5 * (inertia.tensor[0] + inertia.tensor[1] + inertia.tensor[2]) / inertia.mass);
    }
    return 0;
}

// NAN: not a bias, an offset or a turn, or its bounds are given
static double typical_size(const trx_fit_problem *problem, const trx_fit_parameter *p)
{
    const bool bounded = isfinite(p->min) && isfinite(p->max);
    if (bounded || p->signal == TRX_FIT_NO_SIGNAL || p->signal == TRX_FIT_GAIN || p->signal == TRX_FIT_DELAY) return NAN;
    if (p->signal == TRX_FIT_TURN) return 1;
    const double size = p->signal == TRX_FIT_OFFSET ? body_size(problem, p) : 0;
    return size > 0 ? size : extent_of(problem, p);
}

static trx_status start_value(trx_context *context, const trx_fit_problem *problem, const trx_fit_parameter *p, double *value)
{
    *value = p->start;
    if (!isnan(p->start)) return TRX_OK;
    if (p->signal) *value = p->signal == TRX_FIT_GAIN;
    else if (p->of.kind == TRX_STICTION_TOLERANCE) *value = problem->sim.stiction_tolerance;
    else if (p->of.kind == TRX_JOINT_STICTION_TOLERANCE) *value = problem->sim.joint_stiction_tolerance;
    else return trx_model_parameter_value(context, problem->model, p->of, value);
    return TRX_OK;
}

// place of a parameter among the ten numbers of trx_body_inertia, from 1; 0: none of them
static int body_number(trx_parameter p)
{
    if (p.kind == TRX_BODY_MASS) return 1;
    return p.kind == TRX_BODY_COM ? 2 + p.component : p.kind == TRX_BODY_TENSOR ? 5 + p.component : 0;
}

static trx_status check_body(trx_context *context, const trx_fit_problem *problem, int index)
{
    const trx_fit_parameter *p = &problem->parameters[index];
    const int first = index + 1 - p->body_number;
    bool whole = first >= 0 && first + TRXI_BODY_NUMBERS <= problem->nparameter;
    for (int k = 0; k < TRXI_BODY_NUMBERS && whole; k++) {
        const trx_fit_parameter *other = &problem->parameters[first + k];
        whole = other->body_number == k + 1 && body_number(other->of) == k + 1 && other->of.index == p->of.index && !other->signal;
    }
    if (!whole)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "%s: mass, com and tensor of a body follow each other, all ten", p->name);
    if (!isnan(p->start) || isfinite(p->min) || isfinite(p->max) || p->same_as >= 0 || p->per || p->profile)
        return trxi_fail(context, TRX_ERR_ARGUMENT,
                         "%s: one of the ten numbers of a body has no start, bounds, tie, sharing or profile", p->name);
    return TRX_OK;
}

static trx_status check(trx_context *context, const trx_fit_problem *problem, int index)
{
    const trx_fit_parameter *p = &problem->parameters[index];
    const trx_fit_parameter *tie = p->same_as >= 0 && p->same_as < index ? &problem->parameters[p->same_as] : NULL;
    if (p->same_as >= 0 && (!tie || tie->same_as >= 0 || tie->body_number > 0))
        return trxi_fail(context, TRX_ERR_ARGUMENT,
                         "%s: same_as names an earlier parameter that has no same_as itself and is not of an inertia", p->name);
    if (!(p->min < p->max)) return trxi_fail(context, TRX_ERR_ARGUMENT, "%s: min is not below max", p->name);
    if (!(p->prior_sd > 0)) return trxi_fail(context, TRX_ERR_ARGUMENT, "%s: the prior needs a positive sd", p->name);
    if ((unsigned)p->per > TRX_FIT_PER_FILE) return trxi_fail(context, TRX_ERR_ARGUMENT, "%s: per is no sharing", p->name);
    if (p->same_as >= 0 && p->per)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "%s: per: the parameter follows another one: leave it out", p->name);
    if (p->same_as >= 0 && !isfinite(p->ratio)) return trxi_fail(context, TRX_ERR_ARGUMENT, "%s: ratio is not finite", p->name);
    return p->body_number == 0 ? TRX_OK : check_body(context, problem, index);
}

static trx_status add(trx_context *context, const trx_fit_problem *problem, int index, trxi_unknowns *u)
{
    const trx_fit_parameter *p = &problem->parameters[index];
    double value;
    trx_status status = start_value(context, problem, p, &value);
    if (status < 0) return status;
    const int k = u->count++;
    u->start_values[index] = value;
    u->parameter_of[k] = index;
    u->unknown_of[index] = k;
    u->body[k] = p->body_number - 1;
    u->positive[k] = false;
    u->typical[k] = NAN;
    if (p->body_number > 0) {
        u->start[k] = 0, u->lower[k] = -INFINITY, u->upper[k] = INFINITY;
        return TRX_OK;
    }
    const double least = never_negative(p) ? fmax(p->min, 0) : p->min;
    if (!(value >= least) || !(value <= p->max))
        return trxi_fail(context, TRX_ERR_INPUT, "%s starts at %g, outside its bounds [%g, %g]: give another start", p->name, value,
                         least, p->max);
    u->positive[k] = never_negative(p) && value > 0;
    u->start[k] = u->positive[k] ? log(value) : value;
    u->lower[k] = u->positive[k] ? log(least) : least;
    u->upper[k] = u->positive[k] ? log(p->max) : p->max;
    u->typical[k] = typical_size(problem, p);
    if (u->typical[k] > 0) {
        const double most = p->signal == TRX_FIT_TURN ? TRXI_PI : MOST_SIZES * u->typical[k];
        if (isinf(p->min)) u->lower[k] = fmin(value, 0) - most;
        if (isinf(p->max)) u->upper[k] = fmax(value, 0) + most;
    }
    return TRX_OK;
}

// refuses a body whose inertia at the start no solid has
static trx_status check_bodies(trx_context *context, const trx_fit_problem *problem, const trxi_unknowns *u)
{
    for (int k = 0; k < u->count; k++) {
        const int first = u->parameter_of[k];
        double z[TRXI_BODY_NUMBERS];
        if (u->body[k] == 0 && !trxi_moments_unknowns(u->start_values + first, u->start_values + first, z))
            return trxi_fail(context, TRX_ERR_INPUT,
                             "inertia of %s: the body has no mass, no extent in some direction, or no solid has its tensor: "
                             "mend its inertia, or fit its numbers one by one",
                             trx_model_body_name(problem->model, problem->parameters[first].of.index));
    }
    return TRX_OK;
}

trx_status trxi_unknowns_begin(trx_context *context, trxi_pool *pool, const trx_fit_problem *problem, trxi_unknowns *u)
{
    const int n = problem->nparameter;
    *u = (trxi_unknowns){.parameters = problem->parameters, .nparameter = n};
    u->parameter_of = TRXI_POOL(pool, int, n + 1);
    u->unknown_of = TRXI_POOL(pool, int, n + 1);
    u->positive = TRXI_POOL(pool, bool, n + 1);
    u->lower = TRXI_POOL(pool, double, n + 1);
    u->upper = TRXI_POOL(pool, double, n + 1);
    u->start = TRXI_POOL(pool, double, n + 1);
    u->typical = TRXI_POOL(pool, double, n + 1);
    u->body = TRXI_POOL(pool, int, n + 1);
    u->start_values = TRXI_POOL(pool, double, n + 1);
    if (!u->parameter_of || !u->unknown_of || !u->positive || !u->lower || !u->upper || !u->start || !u->typical || !u->body ||
        !u->start_values) return TRX_ERR_MEMORY;
    trx_status status = TRX_OK;
    for (int i = 0; i < n && status >= 0; i++) status = check(context, problem, i);

    // local unknowns first
    for (int i = 0; i < n && status >= 0; i++)
        if (problem->parameters[i].same_as < 0 && problem->parameters[i].per) status = add(context, problem, i, u);
    u->local = u->count;
    for (int i = 0; i < n && status >= 0; i++)
        if (problem->parameters[i].same_as < 0 && !problem->parameters[i].per) status = add(context, problem, i, u);
    for (int i = 0; i < n && status >= 0; i++)
        if (problem->parameters[i].same_as >= 0) {
            u->unknown_of[i] = u->unknown_of[problem->parameters[i].same_as];
            u->start_values[i] = problem->parameters[i].ratio * u->start_values[problem->parameters[i].same_as];
        }
    return status < 0 ? status : check_bodies(context, problem, u);
}

double trxi_unknowns_ratio(const trx_fit_parameter *p)
{
    return p->same_as >= 0 ? p->ratio : 1;
}

double trxi_unknowns_value(const trxi_unknowns *u, int parameter, double z)
{
    return trxi_unknowns_ratio(&u->parameters[parameter]) * (u->positive[u->unknown_of[parameter]] ? exp(z) : z);
}

void trxi_unknowns_values(const trxi_unknowns *u, const double *z, double *values)
{
    for (int i = 0; i < u->nparameter; i++) {
        const int k = u->unknown_of[i];
        if (u->body[k] < 0) values[i] = trxi_unknowns_value(u, i, z[k]);
        if (u->body[k] == 0) trxi_moments_values(u->start_values + i, z + k, values + i, NULL);
    }
}

double trxi_unknowns_size(const trxi_unknowns *u, int k, double z)
{
    const double value = fmax(fabs(z), fabs(u->start[k]));
    if (u->body[k] >= 0) return 1;
    if (u->positive[k]) return 1;
    if (u->typical[k] > 0) return fmax(value, u->typical[k]);
    if (isfinite(u->lower[k]) && isfinite(u->upper[k])) return 0.5 * (u->upper[k] - u->lower[k]);
    return value > 0 ? value : 1;
}

double trxi_unknowns_slope(const trxi_unknowns *u, int unknown, double value)
{
    return u->positive[unknown] ? value : 1;
}

double trxi_unknowns_body_size(const trxi_unknowns *u, int parameter, const double *values)
{
    static const int first_of[3] = {0, 0, 1}, second_of[3] = {1, 2, 2}; // of xy, xz, yz
    const int number = u->body[u->unknown_of[parameter]];
    const double *body = values + parameter - number, *moments = body + 4;
    if (number >= 1 && number <= 3) return sqrt(0.5 * (moments[0] + moments[1] + moments[2]) / body[0]);
    return number < 7 ? fabs(body[number]) : sqrt(moments[first_of[number - 7]] * moments[second_of[number - 7]]);
}

// the ten values from parameter `first` on, each by the ten unknowns (10 x 10)
static void body_slopes(const trxi_unknowns *u, const double *values, int first, double jacobian[100])
{
    double z[TRXI_BODY_NUMBERS], same[TRXI_BODY_NUMBERS];
    if (!trxi_moments_unknowns(u->start_values + first, values + first, z)) memset(z, 0, sizeof z); // lost in rounding
    trxi_moments_values(u->start_values + first, z, same, jacobian);
}

static trxi_slopes body_row(int first, int number, const double jacobian[100])
{
    trxi_slopes out = {.first = first, .count = TRXI_BODY_NUMBERS};
    for (int k = 0; k < TRXI_BODY_NUMBERS; k++) out.by[k] = jacobian[TRXI_BODY_NUMBERS * k + number];
    return out;
}

static trxi_slopes plain_row(const trxi_unknowns *u, const double *values, int parameter)
{
    const int k = u->unknown_of[parameter];
    return (trxi_slopes){k, 1, {u->positive[k] ? values[parameter] : trxi_unknowns_ratio(&u->parameters[parameter])}};
}

trxi_slopes trxi_unknowns_slopes_of(const trxi_unknowns *u, const double *values, int parameter)
{
    const int k = u->unknown_of[parameter], number = u->body[k];
    double jacobian[100];
    if (number < 0) return plain_row(u, values, parameter);
    body_slopes(u, values, parameter - number, jacobian);
    return body_row(k - number, number, jacobian);
}

void trxi_unknowns_slopes(const trxi_unknowns *u, const double *values, trxi_slopes *slopes)
{
    double jacobian[100];
    for (int i = 0; i < u->nparameter; i++) {
        const int k = u->unknown_of[i], number = u->body[k];
        if (number == 0) body_slopes(u, values, i, jacobian);
        slopes[i] = number < 0 ? plain_row(u, values, i) : body_row(k - number, number, jacobian);
    }
}

void trxi_unknowns_chain(const trxi_unknowns *u, const trxi_slopes *slopes, int m, const double *C, double *D)
{
    for (int j = 0; j < m * u->count; j++) D[j] = 0;
    for (int i = 0, column = 0; i < u->nparameter; i++) {
        if (u->parameters[i].signal) continue;
        const double *c = C + m * column++;
        for (int k = 0; k < slopes[i].count; k++)
            if (slopes[i].by[k] != 0) trxi_axpy(m, slopes[i].by[k], c, D + (slopes[i].first + k) * m);
    }
}

// r = (value - mean) / sd; the prior of a whole body is in moments.c
double trxi_unknowns_prior(const trxi_unknowns *u, int count, const double *z, double *gradient, double *H, int ldh)
{
    double sum = 0;
    for (int k = 0; k < count; k++) {
        const int parameter = u->parameter_of[k];
        const trx_fit_parameter *p = &u->parameters[parameter];
        if (!isfinite(p->prior_sd) || u->body[k] > 0) continue;
        double *g = gradient ? gradient + k : NULL, *h = H ? H + k * ldh + k : NULL;
        if (u->body[k] == 0) {
            sum += trxi_moments_prior(p->prior_sd, z + k, g, h, ldh);
            continue;
        }
        const double value = trxi_unknowns_value(u, parameter, z[k]), slope = trxi_unknowns_slope(u, k, value) / p->prior_sd;
        const double r = (value - p->prior_mean) / p->prior_sd;
        sum += 0.5 * r * r;
        if (g) *g += slope * r;
        if (h) *h += slope * slope;
    }
    return sum;
}
