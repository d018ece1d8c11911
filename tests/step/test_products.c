// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Forward and adjoint products are transposes of each other: for D = [A B C] of states, controls and parameters,
//
//     w . (D s) = (D^T w) . s
//
// over schemes, approximations and contacts from 1e3 to 1e9 N/m. The two sides are computed differently: jvp and C solve for
// dv = -H^-1 (R s); the adjoint solves for lambda = H^-1 w and mostly multiplies with R without the entries of R.
//
// The scale of the difference. |w| |D s| is the size of the result. Rounding changes R s and lambda by eps times their sizes, in
// all directions, and H weighs directions differently: a component of lambda along a stiff contact is small, and is multiplied by
// a large G. In double precision both sides are therefore accurate to eps kappa(H) |w| |D s|, for every order of the operations.
// Refining the solution of H x = r does not help, because r is rounded in the same way. Hence the bound: 1e-12 |w| |D s| as long
// as eps kappa(H) is below 1e-12, and eps kappa(H) |w| |D s| beyond. A wrong term would be off by parts of the result itself.

#include "base/random.h"
#include "math/dense.h"
#include "step/parameter_fd.h"
#include "step/scenes.h"
#include "step/schemes.h"
#include "step/sim.h"
#include "support/support.h"

#include <float.h>
#include <stdio.h>

enum { MAX_X = 64, MAX_NX = 36, MAX_NU = 4, MAX_PARAMETERS = 160, APPROXIMATIONS = TRX_SAP + 1, STATES = 40, DECADES = 7 };

typedef struct identity {
    int within, beyond;      // products where eps kappa is below 1e-12, and the others
    double worst, worst_eps; // largest difference / (|w| |D s|) of the first kind; largest difference / its bound, of all
} identity;

static void draw(uint64_t seed, uint64_t first, int n, double *out)
{
    for (int i = 0; i < n; i++) out[i] = trxi_random_normal(seed, first + (uint64_t)i);
}

// a law of this stiffness, pressed by some kilonewtons at most
static void draw_state(const scene *s, int decade, int index, double *x, double *u)
{
    const scene_aim aim = index % 2 ? SCENE_STICK : SCENE_SLIP;
    scene_law(s, (trx_approximation)(index % APPROXIMATIONS), aim, 5, index);
    trx_pair_law law = trx_sim_pair_law(s->sim, 0);
    law.stiffness = pow(10, decade);
    if (law.force_law == TRX_SMOOTHED) law.force_law = TRX_HUNT_CROSSLEY; // would turn within micrometres
    ck_assert_int_eq(trx_sim_set_pair_law(s->sim, 0, &law), TRX_OK);
    use_scheme(s->sim, &schemes[index / APPROXIMATIONS % SCHEMES]);
    scene_state(s, aim, 5, index, x, u);
    scene_set_gap(s, -fmin(1e-3, 3e3 / law.stiffness), x);
}

// a direction of the parameters, each by its size
static int draw_parameters(trx_sim *sim, uint64_t seed, trx_parameter *list, double *s)
{
    int count = trx_model_parameters(trx_sim_model(sim), list, MAX_PARAMETERS);
    ck_assert_int_le(count, MAX_PARAMETERS);
    draw(seed, 300, count, s);
    for (int i = 0; i < count; i++) s[i] *= parameter_size(sim, list[i]);
    return count;
}

static void count(double left, double right, const double *w, const double *forward, int n, double kappa, identity *t)
{
    double size = sqrt(trxi_dot(n, w, w) * trxi_dot(n, forward, forward)), error = fabs(left - right) / size;
    ck_assert(size > 0 && left != 0);
    if (DBL_EPSILON * kappa <= 1e-12) t->within++, t->worst = fmax(t->worst, error);
    else t->beyond++;
    t->worst_eps = fmax(t->worst_eps, error / fmax(DBL_EPSILON * kappa, 1e-12));
}

static void judge(const scene *s, uint64_t seed, identity *t)
{
    static double C[MAX_NX * MAX_PARAMETERS];
    double s_x[MAX_NX], s_u[MAX_NU], s_p[MAX_PARAMETERS], w[MAX_NX], forward[MAX_NX];
    double grad_x[MAX_NX], grad_u[MAX_NU], grad_p[MAX_PARAMETERS], kappa = trx_sim_condition(s->sim);
    trx_parameter list[MAX_PARAMETERS];
    draw(seed, 0, s->nx, s_x);
    draw(seed, 100, s->nx, w);
    draw(seed, 200, s->nu, s_u);
    const int n = draw_parameters(s->sim, seed, list, s_p);
    ck_assert_int_eq(trx_step_jvp(s->sim, s_x, s_u, forward), TRX_OK);
    ck_assert_int_eq(trx_step_vjp(s->sim, w, grad_x, grad_u), TRX_OK);
    double right = trxi_dot(s->nx, grad_x, s_x) + trxi_dot(s->nu, grad_u, s_u);
    count(trxi_dot(s->nx, w, forward), right, w, forward, s->nx, kappa, t);

    // parameters are compared by themselves, because their products are larger than the others
    ck_assert_int_eq(trx_step_vjp_parameters(s->sim, list, n, w, grad_p), TRX_OK);
    ck_assert_int_eq(trx_step_jac_parameters(s->sim, list, n, C), TRX_OK);
    trxi_gemv(s->nx, n, 1, C, s->nx, s_p, 0, forward);
    count(trxi_dot(s->nx, w, forward), trxi_dot(n, grad_p, s_p), w, forward, s->nx, kappa, t);
}

START_TEST(products_by_states_controls_and_parameters_are_those_of_a_matrix_and_its_transpose)
{
    static const trx_shape_type shapes[][2] = {{TRX_SHAPE_HALFSPACE, TRX_SHAPE_SPHERE}, {TRX_SHAPE_BOX, TRX_SHAPE_SPHERE},
                                               {TRX_SHAPE_HALFSPACE, TRX_SHAPE_BOX}};
    identity all = {0};
    for (int decade = 3; decade < 3 + DECADES; decade++) {
        identity t = {0};
        for (int p = 0; p < 3 * SCENE_KINDS; p++) {
            scene s = scene_pair((scene_kind)(p / 3), shapes[p % 3][0], shapes[p % 3][1]);
            for (int i = 0; i < STATES; i++) {
                double x[MAX_X], u[MAX_NU];
                draw_state(&s, decade, i, x, u);
                ck_assert_msg(trx_step(s.sim, x, u, NULL) >= 0, "%s", trx_context_message(s.context));
                judge(&s, (uint64_t)(1000 * p + i), &t);
            }
            scene_destroy(&s);
        }
        printf("1e%d N/m: eps kappa below 1e-12: %3d products, worst %.1e; beyond: %3d; worst of all %.2f of the bound\n", decade,
               t.within, t.worst, t.beyond, t.worst_eps);
        all.within += t.within, all.beyond += t.beyond;
        all.worst = fmax(all.worst, t.worst), all.worst_eps = fmax(all.worst_eps, t.worst_eps);
    }
    ck_assert_int_ge(all.within, 1000);
    ck_assert_int_ge(all.beyond, 1000);
    assert_below(all.worst, 1e-12);
    assert_below(all.worst_eps, 0.25);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/products");
    TCase *cases = tcase_create("products");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, products_by_states_controls_and_parameters_are_those_of_a_matrix_and_its_transpose);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
