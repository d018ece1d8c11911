// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Frames: few enough however long the run, evenly spaced, and equal to the data of their knots after thinning.

#include "report/fixture.h"

static fixture f;

static void setup(void)
{
    fixture_open(&f);
}

static void teardown(void)
{
    fixture_close(&f);
}

// adds `steps` knots of a made-up run with `contacts` contacts a step, then the last one
static void add_all(trxi_frames *frames, const trx_sim *sim, int first, int steps, int contacts)
{
    double x[NX] = {0};
    for (int k = first; k <= first + steps; k++) {
        bool last = k == first + steps;
        for (int i = 0; i < NX; i++) x[i] = k + 0.01 * i;
        if (last || trxi_frames_wants(frames, k)) trxi_frames_add(frames, k, x, last ? NULL : sim, last ? 0 : contacts);
        if (frames->count > frames->capacity) ck_abort_msg("%d frames at knot %d", frames->count, k);
    }
}

static void check_frames(const trxi_frames *frames, int first, int steps, int every)
{
    ck_assert_int_eq(frames->knots[0], first);
    ck_assert_int_eq(frames->knots[frames->count - 1], first + steps);
    ck_assert_int_eq(frames->every % every, 0);
    for (int i = 1; i < frames->count - 1; i++) {
        bool even = i == 1 || frames->knots[i] - frames->knots[i - 1] == frames->every;
        if (frames->knots[i] % frames->every != 0 || !even) ck_abort_msg("frame %d is knot %d", i, frames->knots[i]);
    }
    for (int i = 0; i < frames->count; i++)
        for (int j = 0; j < NX; j++)
            if (frames->x[NX * i + j] != frames->knots[i] + 0.01 * j) ck_abort_msg("frame %d is not its knot", i);
}

START_TEST(a_long_run_is_thinned_evenly_wherever_it_ends)
{
    double x[NX];
    trx_sim *sim = fixture_sim(&f, x);
    static const int lengths[] = {0, 1, 12, 1997, 1998, 1999, 2000, 2001, 3999, 4001, 50001};
    static const int everies[] = {1, 3, 10};
    for (int i = 0; i < 11; i++)
        for (int j = 0; j < 3; j++)
            for (int first = 0; first <= 7; first += 7) {
                // the run ends after half of the planned steps
                trxi_frames frames;
                trx_status status = trxi_frames_begin(f.pool, f.run->size, first, 2 * lengths[i], everies[j], true, &frames);
                ck_assert_int_eq(status, TRX_OK);
                add_all(&frames, sim, first, lengths[i], 4);
                check_frames(&frames, first, lengths[i], everies[j]);
                ck_assert_int_le(frames.count, TRXI_MAX_FRAMES);
                // every row of the tables is a frame, or there are at least about half as many frames as allowed
                if (frames.every == everies[j]) ck_assert_int_ge(frames.count, lengths[i] / everies[j] + 1);
                else ck_assert_int_ge(frames.count, TRXI_MAX_FRAMES / 2 - 2);
            }
    trx_sim_destroy(sim);
}
END_TEST

START_TEST(many_contacts_make_fewer_frames)
{
    double x[NX];
    trx_sim *sim = fixture_sim(&f, x);
    trxi_frames frames;
    ck_assert_int_eq(trxi_frames_begin(f.pool, f.run->size, 0, 5000, 1, true, &frames), TRX_OK);
    add_all(&frames, sim, 0, 5000, 1000);
    check_frames(&frames, 0, 5000, 1);
    ck_assert_int_le(frames.total, TRXI_FRAME_NUMBERS);
    ck_assert_int_ge(frames.total, TRXI_FRAME_NUMBERS / 4);
    trx_sim_destroy(sim);
}
END_TEST

START_TEST(a_plan_keeps_every_knot)
{
    double x[NX];
    trx_sim *sim = fixture_sim(&f, x);
    trxi_frames frames;
    ck_assert_int_eq(trxi_frames_begin(f.pool, f.run->size, 0, 3000, 1, false, &frames), TRX_OK);
    add_all(&frames, sim, 0, 3000, 4);
    ck_assert_int_eq(frames.count, 3001);
    ck_assert_int_eq(frames.every, 1);
    check_frames(&frames, 0, 3000, 1);
    trx_sim_destroy(sim);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/frames");
    TCase *cases = tcase_create("frames");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, a_long_run_is_thinned_evenly_wherever_it_ends);
    tcase_add_test(cases, many_contacts_make_fewer_frames);
    tcase_add_test(cases, a_plan_keeps_every_knot);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
