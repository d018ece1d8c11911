// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Frames of the player. A plan starts with every knot, a simulation with every knot of the tables. Whenever the frames
// exceed their limit or the page its size, every other frame is dropped and the distance between frames doubles. A
// simulation never has more than TRXI_MAX_FRAMES frames and, after the first thinning, never fewer than about half of
// the limit. All memory is allocated at the start.

#include "report/frames.h"

#include <string.h>

enum {
    POSE_NUMBERS = 7,
    CONTACT_NUMBERS = 14,
    FEWEST = 3, // this many frames are kept whatever the limits
};

static long long numbers_of(const trx_model_size *size, int contacts)
{
    return POSE_NUMBERS * (long long)size->nbody + size->nstate + 2 * (long long)size->nu +
           CONTACT_NUMBERS * (long long)contacts;
}

trx_status trxi_frames_begin(trxi_pool *pool, trx_model_size size, int first, int steps, int every, bool thin,
                             trxi_frames *frames)
{
    long long most = (long long)steps / every + 3;
    if (thin) {
        long long fit = TRXI_FRAME_NUMBERS / (numbers_of(&size, 0) + 1) + FEWEST;
        if (most > TRXI_MAX_FRAMES) most = TRXI_MAX_FRAMES;
        if (most > fit) most = fit;
    }
    *frames = (trxi_frames){.size = size, .capacity = (int)most, .first = first, .every = every};
    size_t n = (size_t)most;
    frames->numbers = TRXI_POOL(pool, long long, n);
    frames->knots = TRXI_POOL(pool, int, n);
    frames->x = TRXI_POOL(pool, double, n * (size_t)size.nstate + 1);
    frames->drive_force = TRXI_POOL(pool, double, n * (size_t)size.nu + 1);
    frames->limit_force = TRXI_POOL(pool, double, n * (size_t)size.njoint + 1);
    bool all = frames->numbers && frames->knots && frames->x && frames->drive_force && frames->limit_force;
    return all ? TRX_OK : TRX_ERR_MEMORY;
}

bool trxi_frames_wants(const trxi_frames *frames, int knot)
{
    return knot == frames->first || knot % frames->every == 0;
}

static void move(double *array, int size, int to, int from)
{
    if (to != from) memcpy(array + (size_t)to * (size_t)size, array + (size_t)from * (size_t)size, sizeof *array * (size_t)size);
}

// doubles the distance between frames
static void thin(trxi_frames *f)
{
    int count = f->count;
    f->every *= 2;
    f->count = 0;
    f->total = 0;
    for (int i = 0; i < count; i++) {
        if (!trxi_frames_wants(f, f->knots[i])) continue;
        int to = f->count++;
        f->total += f->numbers[i];
        f->numbers[to] = f->numbers[i];
        f->knots[to] = f->knots[i];
        move(f->x, f->size.nstate, to, i);
        move(f->drive_force, f->size.nu, to, i);
        move(f->limit_force, f->size.njoint, to, i);
    }
}

void trxi_frames_add(trxi_frames *frames, int knot, const double *x, const trx_sim *sim, int contacts)
{
    // one place is reserved for the last knot
    const trx_model_size *size = &frames->size;
    long long numbers = numbers_of(size, contacts);
    while (sim && (frames->count >= frames->capacity - 1 ||
                   (frames->count > FEWEST && frames->total + numbers > TRXI_FRAME_NUMBERS))) {
        thin(frames);
        if (!trxi_frames_wants(frames, knot)) return;
    }

    size_t i = (size_t)frames->count++, nu = (size_t)size->nu, njoint = (size_t)size->njoint;
    size_t nx = (size_t)size->nstate;
    frames->knots[i] = knot;
    frames->numbers[i] = numbers;
    frames->total += numbers;
    if (nx > 0) memcpy(frames->x + nx * i, x, sizeof *x * nx);
    for (size_t j = 0; j < nu; j++)
        frames->drive_force[nu * i + j] = sim ? trx_sim_actuator_force(sim, (int)j) : 0;
    for (size_t j = 0; j < njoint; j++)
        frames->limit_force[njoint * i + j] = sim ? trx_sim_limit_force(sim, (int)j) : 0;
}
