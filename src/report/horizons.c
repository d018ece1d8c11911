// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Paths of the predicted motion after the ticks of a closed loop; see horizons.h. A path has the middle of a body's geometry
// at knots at equal distances from the first to the last of the policy.

#include "report/horizons.h"

#include "math/rotation.h"

#include <math.h>
#include <string.h>

static bool carries(const trx_model *model, int body)
{
    for (int b = 0; b < trx_model_get_size(model).nbody; b++)
        if (trx_model_body(model, b).parent == body) return true;
    return false;
}

static bool is_shown(const trx_model *model, int body)
{
    const trx_body_info info = trx_model_body(model, body);
    return info.tree >= 0 && info.ngeom > 0 && !carries(model, body);
}

static size_t tick_numbers(const trxi_horizons *h)
{
    return (size_t)h->nbody * TRXI_HORIZON_POINTS * 3;
}

trx_status trxi_horizons_begin(trxi_pool *pool, const trx_model *model, trxi_horizons *h)
{
    const int nbody = trx_model_get_size(model).nbody;
    *h = (trxi_horizons){.every = 1, .bodies = TRXI_POOL(pool, int, nbody + 1), .poses = TRXI_POOL(pool, trx_pose, nbody + 1)};
    if (!h->bodies || !h->poses) return TRX_ERR_MEMORY;
    for (int b = 0; b < nbody; b++)
        if (is_shown(model, b)) h->bodies[h->nbody++] = b;
    const size_t most = TRXI_HORIZON_NUMBERS / (tick_numbers(h) + 1);
    h->capacity = most < 2 ? 2 : most > TRXI_MAX_HORIZONS ? TRXI_MAX_HORIZONS : (int)most;
    h->times = TRXI_POOL(pool, double, h->capacity);
    h->points = TRXI_POOL(pool, int, h->capacity);
    h->paths = TRXI_POOL(pool, double, tick_numbers(h) * (size_t)h->capacity + 1);
    return h->times && h->points && h->paths ? TRX_OK : TRX_ERR_MEMORY;
}

// keeps every other tick
static void thin(trxi_horizons *h)
{
    const size_t numbers = tick_numbers(h);
    for (int i = 1; 2 * i < h->count; i++) {
        h->times[i] = h->times[2 * i];
        h->points[i] = h->points[2 * i];
        memcpy(h->paths + numbers * (size_t)i, h->paths + numbers * (size_t)(2 * i), numbers * sizeof(double));
    }
    h->count = (h->count + 1) / 2;
    h->every *= 2;
}

// world position of the middle of a body's geometry
static void middle(const trx_model *model, int body, const trx_pose *pose, double point[3])
{
    const trx_body_info info = trx_model_body(model, body);
    double local[3] = {0, 0, 0}, R[9];
    trxi_quat_to_matrix(pose->quat, R);
    for (int g = info.first_geom; g < info.first_geom + info.ngeom; g++)
        for (int i = 0; i < 3; i++) local[i] += trx_model_geom(model, g).pose.p[i] / info.ngeom;
    for (int i = 0; i < 3; i++) point[i] = pose->p[i] + R[i] * local[0] + R[i + 3] * local[1] + R[i + 6] * local[2];
}

void trxi_horizons_add(trxi_horizons *h, double time, const trx_policy *policy)
{
    if (h->seen++ % h->every != 0) return;
    if (h->count == h->capacity) {
        thin(h);
        if ((h->seen - 1) % h->every != 0) return;
    }
    const trx_model *model = trx_policy_model(policy);
    const trx_policy_def def = trx_policy_get(policy);
    const size_t nx = (size_t)trx_model_get_size(model).nstate;
    const int points = def.steps + 1 < TRXI_HORIZON_POINTS ? def.steps + 1 : TRXI_HORIZON_POINTS;
    double *paths = h->paths + tick_numbers(h) * (size_t)h->count;
    for (int i = 0; i < points; i++) {
        const int knot = (int)lround((double)i * def.steps / (points - 1));
        trx_model_body_poses_at(model, def.x + nx * (size_t)knot, def.start_time + knot * def.time_step, h->poses);
        for (int b = 0; b < h->nbody; b++)
            middle(model, h->bodies[b], &h->poses[h->bodies[b]], paths + (size_t)(3 * (b * TRXI_HORIZON_POINTS + i)));
    }
    h->times[h->count] = time;
    h->points[h->count++] = points;
}

// to 0.1 mm: a line on a screen needs no more
static double rounded(double number)
{
    return round(1e4 * number) / 1e4;
}

void trxi_horizons_write(const trxi_horizons *h, trxi_json *json)
{
    double path[3 * TRXI_HORIZON_POINTS];
    trxi_json_begin_object(json);
    trxi_json_put_array(json, "bodies");
    for (int b = 0; b < h->nbody; b++) trxi_json_int(json, h->bodies[b]);
    trxi_json_end_array(json);
    trxi_json_put_numbers(json, "times", h->times, h->count);
    trxi_json_put_array(json, "paths");
    for (int k = 0; k < h->count; k++) {
        trxi_json_begin_array(json);
        for (int b = 0; b < h->nbody; b++) {
            const double *from = h->paths + tick_numbers(h) * (size_t)k + (size_t)(3 * TRXI_HORIZON_POINTS * b);
            for (int i = 0; i < 3 * h->points[k]; i++) path[i] = rounded(from[i]);
            trxi_json_numbers(json, path, 3 * h->points[k]);
        }
        trxi_json_end_array(json);
    }
    trxi_json_end_array(json);
    trxi_json_end_object(json);
}
