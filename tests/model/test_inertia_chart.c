// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The log-Cholesky chart of inertias: what every point of it is, there and back, and its Jacobian.

#include "base/random.h"
#include "math/tensor.h"
#include "support/support.h"

#include <string.h>
#include <tractrix/parameters.h>

enum { CHART = 10, POINTS = 500 };

// ten numbers; the logarithms from -spread to spread
static void point(int index, double spread, double z[CHART])
{
    for (int i = 0; i < CHART; i++) z[i] = spread * (2 * trxi_random_uniform(31, (uint64_t)(index * CHART + i)) - 1);
}

static void numbers_of(const trx_body_inertia *inertia, double out[CHART])
{
    out[0] = inertia->mass;
    memcpy(out + 1, inertia->com, sizeof inertia->com);
    memcpy(out + 4, inertia->tensor, sizeof inertia->tensor);
}

START_TEST(every_point_is_the_inertia_of_a_solid)
{
    for (int k = 0; k < POINTS; k++) {
        double z[CHART], moments[3];
        trx_body_inertia inertia;
        point(k, 3, z);
        trx_inertia_from_chart(z, &inertia, NULL);
        ck_assert(inertia.mass > 0);
        trxi_tensor_principal(inertia.tensor, moments, NULL);
        ck_assert_msg(moments[0] > 0 && moments[0] + moments[1] > moments[2] * (1 - 1e-12), "moments %g %g %g", moments[0],
                      moments[1], moments[2]);
    }
}
END_TEST

START_TEST(the_chart_is_invertible)
{
    for (int k = 0; k < POINTS; k++) {
        double z[CHART], back[CHART];
        trx_body_inertia inertia;
        point(k, 1, z);
        trx_inertia_from_chart(z, &inertia, NULL);
        ck_assert(trx_inertia_to_chart(&inertia, back));
        assert_below(max_difference(z, back, CHART), 1e-10);
    }
}
END_TEST

START_TEST(the_jacobian_agrees_with_differences)
{
    double largest = 0;
    for (int k = 0; k < 50; k++) {
        double z[CHART], J[CHART * CHART];
        trx_body_inertia inertia;
        point(k, 1, z);
        trx_inertia_from_chart(z, &inertia, J);
        for (int j = 0; j < CHART; j++) {
            const double e = 1e-5;
            double ends[2][CHART], kept = z[j];
            for (int side = 0; side < 2; side++) {
                z[j] = kept + (side ? -e : e);
                trx_inertia_from_chart(z, &inertia, NULL);
                numbers_of(&inertia, ends[side]);
            }
            z[j] = kept;
            for (int i = 0; i < CHART; i++) ends[0][i] = (ends[0][i] - ends[1][i]) / (2 * e);
            double size = max_magnitude(ends[0], CHART);
            ck_assert(size > 0);
            assert_below(max_difference(J + CHART * j, ends[0], CHART), 1e-8 * size);
            largest = fmax(largest, size);
        }
    }
    ck_assert(largest > 1);
}
END_TEST

// a box: mass m, sizes a, b, c about its middle: second moments m a^2/12
START_TEST(a_box_has_the_chart_that_its_second_moments_say)
{
    const double m = 2, size[3] = {0.1, 0.2, 0.4};
    trx_body_inertia box = {.mass = m, .com = {0.3, -0.1, 0.2}};
    for (int i = 0; i < 3; i++)
        box.tensor[i] = m / 12 * (size[(i + 1) % 3] * size[(i + 1) % 3] + size[(i + 2) % 3] * size[(i + 2) % 3]);
    double z[CHART];
    ck_assert(trx_inertia_to_chart(&box, z));
    assert_close(z[0], 0.5 * log(m), 1e-14);
    for (int i = 0; i < 3; i++) assert_close(z[1 + i], log(size[i] / sqrt(12)), 1e-13);
    for (int i = 0; i < 3; i++) assert_close(z[4 + i], 0, 1e-15);
    for (int i = 0; i < 3; i++) assert_close(z[7 + i], box.com[i], 0);
}
END_TEST

START_TEST(what_no_solid_has_is_not_in_the_chart)
{
    double z[CHART];
    const trx_body_inertia point_mass = {.mass = 1}, nothing = {.mass = 0, .tensor = {1, 1, 1}},
                           plate = {.mass = 1, .tensor = {1, 1, 2}}, none = {.mass = 1, .tensor = {1, 1, 3}},
                           broken = {.mass = NAN, .tensor = {1, 1, 1}};
    ck_assert(!trx_inertia_to_chart(&point_mass, z));
    ck_assert(!trx_inertia_to_chart(&nothing, z));
    ck_assert(!trx_inertia_to_chart(&plate, z));
    ck_assert(!trx_inertia_to_chart(&none, z));
    ck_assert(!trx_inertia_to_chart(&broken, z));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/inertia_chart");
    TCase *cases = tcase_create("inertia_chart");
    tcase_add_test(cases, every_point_is_the_inertia_of_a_solid);
    tcase_add_test(cases, the_chart_is_invertible);
    tcase_add_test(cases, the_jacobian_agrees_with_differences);
    tcase_add_test(cases, a_box_has_the_chart_that_its_second_moments_say);
    tcase_add_test(cases, what_no_solid_has_is_not_in_the_chart);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
