// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Normal force laws (theory 3): values, partial derivatives, signs that make the solve convex, extremes.

#include "contact/problem.h"
#include "support/support.h"

#include "base/random.h"

static const trx_force_law laws[] = {TRX_HUNT_CROSSLEY, TRX_KELVIN_VOIGT, TRX_SMOOTHED, TRX_HERTZ,
                                     TRX_LOG_BARRIER,   TRX_IPC,          TRX_USER_LAW};
enum { LAWS = sizeof laws / sizeof *laws };

// an exponential spring with a brake that never saturates
static trx_force exponential(void *data, double phi, double v)
{
    const double *s = data;
    double f = 20 * exp(-phi / *s) / (1 + exp(v));
    return (trx_force){f, -f / *s, -f / (1 + exp(-v))};
}
static double decay_length = 2e-3;

// barriers have a value at open gaps only
static double gap_of(trx_force_law law, double gap)
{
    bool barrier = law == TRX_LOG_BARRIER || law == TRX_IPC;
    return barrier ? fabs(gap) + 1e-4 : gap;
}

static trx_pair_law law_of(trx_force_law force_law)
{
    return (trx_pair_law){.force_law = force_law, .stiffness = 2e4, .dissipation = 5, .relaxation_time = 0.02,
                          .smoothing = 1e-3, .barrier = 3, .reach = 4e-3, .user = exponential, .user_data = &decay_length};
}

START_TEST(laws_have_the_values_of_their_formulas)
{
    trx_pair_law hunt = law_of(TRX_HUNT_CROSSLEY), kelvin = law_of(TRX_KELVIN_VOIGT), smooth = law_of(TRX_SMOOTHED);
    assert_close(trxi_force_law(&hunt, -1e-3, 0).f, 20, 1e-12);
    assert_close(trxi_force_law(&hunt, -1e-3, -0.1).f, 20 * 1.5, 1e-12);
    assert_close(trxi_force_law(&hunt, -1e-3, 0.1).f, 20 * 0.5, 1e-12);
    ck_assert(trxi_force_law(&hunt, -1e-3, 0.3).f == 0);
    ck_assert(trxi_force_law(&hunt, 1e-3, -1).f == 0);
    assert_close(trxi_force_law(&kelvin, -1e-3, -0.1).f, 2e4 * (1e-3 + 2e-3), 1e-11);
    ck_assert(trxi_force_law(&kelvin, -1e-3, 0.06).f == 0);
    assert_close(trxi_force_law(&kelvin, 1e-3, -0.1).f, 2e4 * 1e-3, 1e-11);
    assert_close(trxi_force_law(&smooth, 0, 0).f, 20 * log(2), 1e-12);
    assert_close(trxi_force_law(&smooth, -2e-3, 0.1).f, 20 * log1p(exp(2)) * 0.5, 1e-12);
}
END_TEST

START_TEST(the_smoothed_law_tends_to_hunt_crossley)
{
    trx_pair_law hunt = law_of(TRX_HUNT_CROSSLEY), smooth = law_of(TRX_SMOOTHED);
    for (double phi = -5e-3; phi < 5e-3; phi += 1.3e-3) {
        double last = INFINITY;
        for (double s = 1e-3; s > 1e-6; s /= 4) {
            smooth.smoothing = s;
            double off = fabs(trxi_force_law(&smooth, phi, 0.05).f - trxi_force_law(&hunt, phi, 0.05).f);
            ck_assert(off <= last);
            assert_below(off, 2e4 * s * 0.6932 + 1e-12);
            last = off;
        }
    }
}
END_TEST

START_TEST(partials_are_the_differences_of_the_law_on_each_of_its_pieces)
{
    int judged = 0;
    for (int k = 0; k < LAWS; k++) {
        trx_pair_law law = law_of(laws[k]);
        for (uint64_t i = 0; i < 2000; i++) {
            double phi = gap_of(laws[k], 3e-3 * trxi_random_normal(1, i)), v = 0.2 * trxi_random_normal(2, i);
            const double e = 1e-7, ev = 1e-5;
            trxi_force f = trxi_force_law(&law, phi, v);
            trxi_force p = trxi_force_law(&law, phi + e, v), m = trxi_force_law(&law, phi - e, v);
            trxi_force pv = trxi_force_law(&law, phi, v + ev), mv = trxi_force_law(&law, phi, v - ev);
            if (p.branch != m.branch || pv.branch != mv.branch) continue;
            judged++;
            double size = fmax(law.stiffness, fabs(f.f_phi));
            assert_close(f.f_phi, (p.f - m.f) / (2 * e), (law.force_law == TRX_HERTZ ? 1e-5 : 1e-6) * size);
            assert_close(f.f_v, (pv.f - mv.f) / (2 * ev), 1e-6 * law.stiffness * 0.1);
        }
    }
    ck_assert_int_ge(judged, 13000);
}
END_TEST

START_TEST(forces_push_and_fall_with_gap_and_separation_speed)
{
    for (int k = 0; k < LAWS; k++)
        for (uint64_t i = 0; i < 2000; i++) {
            trx_pair_law law = law_of(laws[k]);
            law.dissipation = i % 5 ? law.dissipation : 0;
            double gap = gap_of(laws[k], 5e-3 * trxi_random_normal(3, i)), v = trxi_random_normal(4, i);
            trxi_force f = trxi_force_law(&law, gap, v);
            ck_assert(f.f >= 0 && f.f_phi <= 0 && f.f_v <= 0);
            trxi_normal n = normal_impulse(&law, 0.01, gap, trxi_law_is_barrier(&law) ? fabs(v) : v);
            ck_assert(n.n >= 0 && n.slope <= 0 && n.f_phi <= 0);
        }
}
END_TEST

START_TEST(the_impulse_is_that_of_the_gap_at_the_end_of_the_step)
{
    for (int k = 0; k < LAWS; k++) {
        trx_pair_law law = law_of(laws[k]);
        for (uint64_t i = 0; i < 200; i++) {
            double dt = 0.004, e = 1e-6;
            double phi0 = gap_of(laws[k], 2e-3 * trxi_random_normal(5, i)), v = 0.1 * trxi_random_normal(6, i);
            if (trxi_law_is_barrier(&law)) v = fabs(v);
            trxi_normal n = normal_impulse(&law, dt, phi0, v), p = normal_impulse(&law, dt, phi0, v + e),
                         m = normal_impulse(&law, dt, phi0, v - e);
            assert_close(n.n, dt * trxi_force_law(&law, phi0 + dt * v, v).f, 1e-15);
            if (p.branch == m.branch) assert_close(n.slope, (p.n - m.n) / (2 * e), 1e-6 * fmax(1, fabs(n.slope)));
        }
    }
}
END_TEST

START_TEST(the_smoothed_law_survives_gaps_of_800_smoothing_lengths)
{
    trx_pair_law law = law_of(TRX_SMOOTHED);
    trxi_force deep = trxi_force_law(&law, -0.8, 0), far = trxi_force_law(&law, 0.8, 0);
    assert_close(deep.f, 2e4 * 0.8, 1e-9);
    assert_close(deep.f_phi, -2e4, 1e-9);
    ck_assert(far.f >= 0 && far.f < 1e-300 && far.f_phi <= 0 && isfinite(far.f_v));
    trxi_force farther = trxi_force_law(&law, 1e3, -1e3), deeper = trxi_force_law(&law, -1e3, 0);
    ck_assert(farther.f == 0 && isfinite(farther.f_phi) && isfinite(deeper.f));
}
END_TEST

START_TEST(hertz_and_the_barriers_have_the_values_of_their_formulas)
{
    trx_pair_law hertz = law_of(TRX_HERTZ), log_barrier = law_of(TRX_LOG_BARRIER), ipc = law_of(TRX_IPC);
    assert_close(trxi_force_law(&hertz, -1e-2, 0).f, 2e4 * 1e-3, 1e-12);
    assert_close(trxi_force_law(&hertz, -1e-2, -0.1).f, 20 * 1.5, 1e-12);
    ck_assert(trxi_force_law(&hertz, 0, -1).f == 0 && trxi_force_law(&hertz, -1e-2, 0.3).f == 0);
    assert_close(trxi_force_law(&log_barrier, 0.5, 3).f, 6, 1e-14);
    assert_close(trxi_force_law(&ipc, 1e-3, -1).f, 3 * 3e-3 * (3 + 2 * log(4)), 1e-15);
    ck_assert(trxi_force_law(&ipc, 4e-3, 0).f == 0);

    // f is minus the slope of its potential, -kappa log(phi) and -kappa g^2 log(phi/c)
    for (double phi = 2e-4; phi < 4e-3; phi *= 1.3) {
        const double e = 1e-4 * phi, c = ipc.reach;
        double p = phi + e, m = phi - e;
        assert_close(trxi_force_law(&log_barrier, phi, 0).f, 3 * (log(p) - log(m)) / (2 * e), 1e-7 * 3 / phi);
        double slope = (pow(c - p, 2) * log(p / c) - pow(c - m, 2) * log(m / c)) / (2 * e);
        assert_close(trxi_force_law(&ipc, phi, 0).f, 3 * slope, 1e-6 * trxi_force_law(&ipc, phi, 0).f + 1e-10);
    }
}
END_TEST

START_TEST(barriers_have_no_finite_value_where_they_are_closed)
{
    const double closed[] = {0, -1e-9, -1};
    for (int i = 0; i < 3; i++) {
        trx_pair_law log_barrier = law_of(TRX_LOG_BARRIER), ipc = law_of(TRX_IPC);
        ck_assert(isinf(trxi_force_law(&log_barrier, closed[i], 0).f) && isinf(trxi_force_law(&ipc, closed[i], 0).f));
    }
}
END_TEST

static trx_force wrong(void *data, double phi, double v)
{
    const int *which = data;
    trx_force f = {1, -1, -1};
    (void)phi, (void)v;
    double *const fields[] = {&f.f, &f.f_phi, &f.f_v};
    *fields[*which % 3] = *which < 3 ? (*which ? 1e-9 : -1e-9) : NAN;
    return f;
}

START_TEST(values_of_a_user_law_with_wrong_signs_are_not_numbers)
{
    for (int which = 0; which < 6; which++) {
        trx_pair_law law = {.force_law = TRX_USER_LAW, .user = wrong, .user_data = &which};
        trxi_force f = trxi_force_law(&law, 0, 0);
        ck_assert(isnan(f.f) && isnan(f.f_phi) && isnan(f.f_v));
    }
    trx_pair_law law = law_of(TRX_USER_LAW);
    assert_close(trxi_force_law(&law, 0, 0).f, 10, 1e-14);
    ck_assert_int_eq(trxi_force_law(&law, 0, 0).branch, TRXI_LAW_PRESSED);
}
END_TEST

START_TEST(the_reach_is_where_a_law_begins_to_act)
{
    trx_pair_law hunt = law_of(TRX_HUNT_CROSSLEY), smooth = law_of(TRX_SMOOTHED), ipc = law_of(TRX_IPC);
    ck_assert(trxi_law_reach(&hunt) == 0 && trxi_law_reach(&ipc) == ipc.reach);
    double far = trxi_force_law(&smooth, trxi_law_reach(&smooth), 0).f;
    assert_below(far, 1.1e-10 * smooth.stiffness * smooth.smoothing);
    ck_assert(far > 0);
}
END_TEST

START_TEST(branches_name_the_piece)
{
    trx_pair_law hunt = law_of(TRX_HUNT_CROSSLEY), kelvin = law_of(TRX_KELVIN_VOIGT), smooth = law_of(TRX_SMOOTHED);
    const int both = TRXI_LAW_PRESSED | TRXI_LAW_BRAKED;
    ck_assert_int_eq(trxi_force_law(&hunt, -1e-3, 0).branch, both);
    ck_assert_int_eq(trxi_force_law(&hunt, -1e-3, 0.3).branch, TRXI_LAW_PRESSED);
    ck_assert_int_eq(trxi_force_law(&hunt, 0, 0).branch, 0);
    ck_assert_int_eq(trxi_force_law(&kelvin, -1e-3, 0).branch, TRXI_LAW_PRESSED);
    ck_assert_int_eq(trxi_force_law(&kelvin, -1e-3, 0.05).branch, 0);
    ck_assert_int_eq(trxi_force_law(&smooth, 1, 0).branch, both);
    ck_assert_int_eq(trxi_force_law(&smooth, 1, 0.2).branch, TRXI_LAW_PRESSED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/force_law");
    TCase *cases = tcase_create("force_law");
    tcase_add_test(cases, laws_have_the_values_of_their_formulas);
    tcase_add_test(cases, the_smoothed_law_tends_to_hunt_crossley);
    tcase_add_test(cases, partials_are_the_differences_of_the_law_on_each_of_its_pieces);
    tcase_add_test(cases, forces_push_and_fall_with_gap_and_separation_speed);
    tcase_add_test(cases, the_impulse_is_that_of_the_gap_at_the_end_of_the_step);
    tcase_add_test(cases, the_smoothed_law_survives_gaps_of_800_smoothing_lengths);
    tcase_add_test(cases, hertz_and_the_barriers_have_the_values_of_their_formulas);
    tcase_add_test(cases, barriers_have_no_finite_value_where_they_are_closed);
    tcase_add_test(cases, values_of_a_user_law_with_wrong_signs_are_not_numbers);
    tcase_add_test(cases, the_reach_is_where_a_law_begins_to_act);
    tcase_add_test(cases, branches_name_the_piece);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
