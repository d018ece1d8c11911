// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The laws and frictions beside Hunt-Crossley and Coulomb: derivatives of the step and of its parameters against
// differences for random states of free bodies, arms and one tree; closed forms; and what a step refuses.

#include "base/random.h"
#include "math/dense.h"
#include "model/parameters.h"
#include "step/friction_rows.h"
#include "step/kink.h"
#include "step/scenes.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NX = 36, MAX_NU = 4, MAX_X = 48, STATES = 24 };

// ---- derivatives ----

typedef enum variant { HERTZ, LOG_BARRIER, IPC, USER, ANISOTROPIC, FALLING, TURNS, EVERYTHING, VARIANTS } variant;
static const char *const names[VARIANTS] = {"hertz", "log_barrier", "ipc", "user", "anisotropic", "falling", "turns", "everything"};

static double uniform(uint64_t seed, uint64_t index, double low, double high)
{
    return low + (high - low) * trxi_random_uniform(seed, index);
}

static double log_uniform(uint64_t seed, uint64_t index, double low, double high)
{
    return low * pow(high / low, trxi_random_uniform(seed, index));
}

// k s^2 (sqrt(y^2 + 1) + y) (1 + e^(-v/c))/2 without kinks, y = -phi/s
typedef struct gentle {
    double k, s, c;
} gentle;

static trx_force gentle_law(void *data, double phi, double v)
{
    const gentle *g = data;
    double y = -phi / g->s, root = hypot(y, 1), decay = exp(-v / g->c), brake = 0.5 * (1 + decay);
    double base = g->k * g->s * (y > 0 ? root + y : 1 / (root - y));
    return (trx_force){base * brake, -base / (root * g->s) * brake, -0.5 * base * decay / g->c};
}

static bool goes_with(variant which, trx_approximation approximation)
{
    bool lagged = approximation == TRX_LAGGED || approximation == TRX_LAGGED_REGULARIZED;
    if (which == TURNS || which == EVERYTHING) return lagged;
    return which == FALLING || approximation != TRX_SAP;
}

static void draw_law(const scene *s, variant which, trx_approximation approximation, uint64_t seed, int index, gentle *own)
{
    scene_law(s, approximation, SCENE_SLIP, seed, index);
    trx_pair_law law = trx_sim_pair_law(s->sim, 0);
    const uint64_t k = seed * 7919 + (uint64_t)index;
    if (which == HERTZ || which == EVERYTHING) law.force_law = TRX_HERTZ, law.stiffness = log_uniform(k, 0, 1e5, 1e7);
    if (which == LOG_BARRIER) law.force_law = TRX_LOG_BARRIER, law.barrier = log_uniform(k, 0, 1e-3, 1e-1), law.reach = 0.02;
    if (which == IPC) law.force_law = TRX_IPC, law.barrier = log_uniform(k, 0, 1e3, 1e5), law.reach = 5e-3;
    if (which == USER) {
        *own = (gentle){law.stiffness, log_uniform(k, 0, 1e-4, 1e-3), uniform(k, 1, 0.2, 1)};
        law.force_law = TRX_USER_LAW, law.user = gentle_law, law.user_data = own, law.reach = 0.01;
    }
    if (which == ANISOTROPIC || which == EVERYTHING) {
        for (uint64_t i = 0; i < 3; i++) law.axis[i] = trxi_random_normal(k, 10 + i);
        law.axis_on_b = index % 2;
        law.friction = uniform(k, 2, 0.1, 1), law.friction_across = uniform(k, 3, 0.1, 1);
    }
    if (which == FALLING || which == EVERYTHING)
        law.dynamic_friction = uniform(k, 4, 0.05, 0.6), law.slip_speed = log_uniform(k, 5, 1e-2, 1);
    if (which == TURNS || which == EVERYTHING)
        law.torsional_friction = log_uniform(k, 6, 1e-3, 3e-2), law.rolling_friction = log_uniform(k, 7, 1e-3, 3e-2);
    ck_assert_msg(trx_sim_set_pair_law(s->sim, 0, &law) == TRX_OK, "%s", trx_context_message(s->context));
    trx_sim_settings settings = trx_sim_get_settings(s->sim);
    settings.joint_stiction_tolerance = log_uniform(k, 8, 1e-2, 1e-1);
    ck_assert_int_eq(trx_sim_set_settings(s->sim, &settings), TRX_OK);
}

static void draw_state(const scene *s, variant which, scene_aim aim, uint64_t seed, int index, double *x, double *u)
{
    scene_state(s, aim, seed, index, x, u);
    if (which != LOG_BARRIER && which != IPC) return;
    scene_set_gap(s, log_uniform(seed * 31 + (uint64_t)index, 0, 2e-4, 3e-3), x);
}

static double column_error(int rows, int columns, const double *A, const double *F)
{
    double largest = max_magnitude(F, rows * columns), worst = 0;
    for (int j = 0; j < columns; j++) {
        const double *a = A + j * rows, *f = F + j * rows;
        double error = max_difference(a, f, rows) / fmax(max_magnitude(f, rows), 1e-3 * largest);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

typedef struct tally {
    int accepted, rejected, turned;
    double worst;
} tally;

static void judge(scene *s, const double *x, const double *u, tally *t)
{
    static double A[MAX_NX * MAX_NX], B[MAX_NX * MAX_NU], F[MAX_NX * MAX_NX], Fu[MAX_NX * MAX_NU];
    bool straddles;
    trx_status status = trx_step_fd(s->sim, x, u, 1e-6, F, Fu, &straddles);
    ck_assert_msg(status >= 0, "%s", trx_context_message(s->context));
    if (straddles || trx_sim_step_info(s->sim).kink < 3e-5) {
        t->rejected++;
        return;
    }
    ck_assert_int_ge(trx_step_jac(s->sim, A, B), 0);
    t->accepted++;
    double error = column_error(s->nx, s->nx, A, F);
    if (s->nu) error = fmax(error, column_error(s->nx, s->nu, B, Fu));
    if (!(error <= t->worst)) t->worst = error;
    ck_assert(max_magnitude(A, s->nx * s->nx) > 0);
    const trx_contact *contacts;
    if (trx_sim_contacts(s->sim, &contacts) > 0) t->turned += max_magnitude(contacts[0].moment, 3) > 0;
}

START_TEST(steps_of_every_law_and_friction_have_exact_derivatives)
{
    static const trx_shape_type shapes[][2] = {{TRX_SHAPE_HALFSPACE, TRX_SHAPE_SPHERE}, {TRX_SHAPE_BOX, TRX_SHAPE_SPHERE},
                                               {TRX_SHAPE_HALFSPACE, TRX_SHAPE_BOX}, {TRX_SHAPE_CAPSULE, TRX_SHAPE_CAPSULE}};
    for (int which = 0; which < VARIANTS; which++)
        for (int a = 0; a <= TRX_SAP; a++) {
            if (!goes_with((variant)which, (trx_approximation)a)) continue;
            tally t = {0};
            for (int kind = 0; kind < SCENE_KINDS; kind++)
                for (int k = 0; k < STATES; k++) {
                    scene s = scene_pair((scene_kind)kind, shapes[k % 4][0], shapes[k % 4][1]);
                    double x[MAX_X], u[MAX_NU];
                    gentle own;
                    uint64_t seed = (uint64_t)(1000 * which + 10 * a + kind);
                    draw_law(&s, (variant)which, (trx_approximation)a, seed, k, &own);
                    draw_state(&s, (variant)which, k % 3 ? SCENE_SLIP : SCENE_STICK, seed, k, x, u);
                    judge(&s, x, u, &t);
                    scene_destroy(&s);
                }
            printf("%-12s %-20s %3d accepted %3d rejected %3d turned  %.1e\n", names[which],
                   trx_approximation_name((trx_approximation)a), t.accepted, t.rejected, t.turned, t.worst);
            ck_assert_int_ge(t.accepted, 2 * STATES);
            ck_assert_msg(t.worst < 1e-6, "%s, %s: worst error %g", names[which], trx_approximation_name((trx_approximation)a),
                          t.worst);
            if (which == TURNS || which == EVERYTHING) ck_assert_int_ge(t.turned, STATES);
        }
}
END_TEST

// v at the end of a step whose law has `amount` added to a parameter; false when other branches were taken
static bool shifted(const scene *s, trx_parameter_kind kind, double amount, const double *x, const double *u,
                    unsigned long long branches, double *v)
{
    const trx_pair_law kept = trx_sim_pair_law(s->sim, 0);
    trx_pair_law law = kept;
    double x_next[MAX_X];
    *trxi_parameter_of_law(&law, kind) += amount;
    ck_assert_int_eq(trx_sim_set_pair_law(s->sim, 0, &law), TRX_OK);
    bool solved = trx_step(s->sim, x, u, x_next) >= 0 && trxi_step_branches(s->sim) == branches;
    memcpy(v, x_next + s->nq, (size_t)s->nv * sizeof *v);
    ck_assert_int_eq(trx_sim_set_pair_law(s->sim, 0, &kept), TRX_OK);
    return solved;
}

// relative error of one column of C, -1 where differences are no reference; *effect of the parameter's size on v
static double parameter_error(const scene *s, trx_parameter_kind kind, const double *x, const double *u, double *effect)
{
    trx_pair_law law = trx_sim_pair_law(s->sim, 0);
    trx_sim_settings settings = trx_sim_get_settings(s->sim);
    double value = *trxi_parameter_of_law(&law, kind), e = 2e-4 * value, v[4][MAX_NX], F[MAX_NX], C[MAX_NX];
    settings.tolerance = 0;
    ck_assert_int_eq(trx_sim_set_settings(s->sim, &settings), TRX_OK);
    if (!(value > 0) || trx_step(s->sim, x, u, NULL) < 0) return -1;
    unsigned long long branches = trxi_step_branches(s->sim);
    const double amounts[4] = {e, -e, e / 2, -e / 2};
    for (int i = 0; i < 4; i++)
        if (!shifted(s, kind, amounts[i], x, u, branches, v[i])) return -1;
    for (int i = 0; i < s->nv; i++) F[i] = (4 * (v[2][i] - v[3][i]) / e - (v[0][i] - v[1][i]) / (2 * e)) / 3;
    ck_assert_int_ge(trx_step(s->sim, x, u, NULL), 0);
    ck_assert_int_eq(trx_step_jac_parameters(s->sim, &(trx_parameter){kind, 0, 0}, 1, C), TRX_OK);
    *effect = value * max_magnitude(F, s->nv);
    return value * max_difference(C + s->nv, F, s->nv) / fmax(*effect, 1e-3);
}

START_TEST(parameters_of_every_law_and_friction_agree_with_differences)
{
    static const trx_parameter_kind kinds[] = {TRX_PAIR_STIFFNESS,        TRX_PAIR_DISSIPATION,       TRX_PAIR_FRICTION,
                                               TRX_PAIR_FRICTION_ACROSS,  TRX_PAIR_DYNAMIC_FRICTION,  TRX_PAIR_SLIP_SPEED,
                                               TRX_PAIR_TORSIONAL_FRICTION, TRX_PAIR_ROLLING_FRICTION, TRX_PAIR_BARRIER,
                                               TRX_PAIR_REACH};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    int effective[KINDS] = {0};
    double worst = 0;
    for (int which = 0; which < VARIANTS; which++)
        for (int a = 0; a <= TRX_SAP; a++)
            for (int k = 0; k < STATES && goes_with((variant)which, (trx_approximation)a); k++) {
                scene s = scene_pair((scene_kind)(k % SCENE_KINDS), TRX_SHAPE_HALFSPACE, TRX_SHAPE_SPHERE);
                double x[MAX_X], u[MAX_NU], effect = 0;
                gentle own;
                uint64_t seed = (uint64_t)(5000 + 100 * which + a);
                draw_law(&s, (variant)which, (trx_approximation)a, seed, k, &own);
                draw_state(&s, (variant)which, SCENE_SLIP, seed, k, x, u);
                for (int i = 0; i < KINDS; i++) {
                    double error = parameter_error(&s, kinds[i], x, u, &effect);
                    if (error < 0) continue;
                    ck_assert_msg(error < 1e-6, "%s, %s, parameter %d: error %g", names[which],
                                  trx_approximation_name((trx_approximation)a), (int)kinds[i], error);
                    effective[i] += effect > 1e-3;
                    worst = fmax(worst, error);
                }
                scene_destroy(&s);
            }
    printf("parameters: worst %.1e; with an effect:", worst);
    for (int i = 0; i < KINDS; i++) printf(" %d", effective[i]);
    printf("\n");
    for (int i = 0; i < KINDS; i++) ck_assert_int_ge(effective[i], 10);
}
END_TEST

// ---- closed forms ----

static const double g = 9.81;

static floor_def sphere_def(void)
{
    floor_def def = floor_def_default();
    def.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.05};
    def.mass = 0.5;
    def.time_step = 1e-3;
    return def;
}

START_TEST(a_hertz_sphere_at_rest_sinks_by_its_formula)
{
    for (int a = 0; a < TRX_SAP; a++) {
        floor_def def = sphere_def();
        def.law.approximation = (trx_approximation)a;
        def.law.force_law = TRX_HERTZ, def.law.stiffness = 3e7, def.law.dissipation = 20;
        scene s = scene_floor(&def);
        double x[16], depth = pow(def.mass * g / 3e7, 2.0 / 3);
        floor_state(&s, &def, 0.05 - 1.5 * depth, 0, x);
        for (int k = 0; k < 2000; k++) scene_step(&s, x, NULL);
        assert_close(0.05 - x[2], depth, 1e-6 * depth);
        scene_destroy(&s);
    }
}
END_TEST

// the gap at which an ipc barrier carries the weight, by bisection
static double ipc_gap(double kappa, double c, double weight)
{
    double low = 0, high = c;
    for (int i = 0; i < 200; i++) {
        double phi = 0.5 * (low + high), gap = c - phi;
        if (kappa * gap * (gap / phi - 2 * log(phi / c)) > weight) low = phi;
        else high = phi;
    }
    return low;
}

START_TEST(a_sphere_on_a_barrier_never_touches_and_rests_where_the_barrier_carries_it)
{
    for (int a = 0; a < TRX_SAP; a++)
        for (int ipc = 0; ipc < 2; ipc++) {
            floor_def def = sphere_def();
            def.law.approximation = (trx_approximation)a;
            def.law.force_law = ipc ? TRX_IPC : TRX_LOG_BARRIER;
            def.law.barrier = ipc ? 1e4 : 1e-3, def.law.reach = ipc ? 2e-3 : 1;
            def.time_step = 0.01;
            scene s = scene_floor(&def);
            double x[16], least = INFINITY, rest = ipc ? ipc_gap(1e4, 2e-3, def.mass * g) : 1e-3 / (def.mass * g);
            floor_state(&s, &def, 0.2, 3, x);
            x[s.nq + 2] = -30; // a tenth of a metre per 3 ms: into the floor within the first step, were it not for the barrier
            for (int k = 0; k < 400; k++) {
                scene_step(&s, x, NULL);
                least = fmin(least, x[2] - 0.05);
            }
            ck_assert(least > 0);
            if (a == TRX_LAGGED) assert_close(x[2] - 0.05, rest, 1e-6 * rest);
            scene_destroy(&s);
        }
}
END_TEST

// axis of friction, carried by the body of the scene or by the floor
static void set_axis(const scene *s, double ax, double ay, bool by_floor)
{
    trx_pair_law law = trx_sim_pair_law(s->sim, 0);
    trx_pair_info pair = trx_model_pair(s->model, 0);
    bool floor_is_b = trx_model_geom(s->model, pair.geom_b).body == trx_model_find_body(s->model, "floor");
    law.axis[0] = ax, law.axis[1] = ay, law.axis[2] = 0.3; // the part along the normal does not count
    law.axis_on_b = by_floor == floor_is_b;
    ck_assert_msg(trx_sim_set_pair_law(s->sim, 0, &law) == TRX_OK, "%s", trx_context_message(s->context));
}

START_TEST(an_anisotropic_slider_decelerates_per_axis)
{
    static const double mu[2] = {0.6, 0.2};
    for (int a = 0; a < TRX_SAP; a++)
        for (int k = 0; k < 4; k++) {
            const bool across = k & 1, by_floor = k & 2;
            floor_def def = floor_def_default();
            def.turns = !by_floor;
            def.law.approximation = (trx_approximation)a;
            def.law.stiffness = 1e5, def.law.dissipation = 10;
            def.law.friction = mu[0], def.law.friction_across = mu[1];
            def.time_step = 1e-3, def.tolerance = 1e-8;
            scene s = scene_floor(&def);
            // the box is turned by 90 degrees: its y axis points along -x of the world
            // similar glides: it starts at that height, or the box falls onto its cushion first
            double x[16], before, lift = a >= TRX_SIMILAR ? mu[across] * 1e-3 * 3 : 0;
            floor_state(&s, &def, 0.05 - def.mass * g / (4 * 1e5) + lift, 3, x);
            if (def.turns) x[3] = x[6] = sqrt(0.5);
            if (by_floor) set_axis(&s, !across, across, true);
            else set_axis(&s, across, !across, false);
            for (int i = 0; i < 100; i++) scene_step(&s, x, NULL);
            before = x[s.nq];
            for (int i = 0; i < 200; i++) scene_step(&s, x, NULL);
            assert_close((before - x[s.nq]) / 0.2, mu[across] * g, 1e-3 * mu[across] * g);
            scene_destroy(&s);
        }
}
END_TEST

// obliquely the force is that of the friction ellipse: -n m (m v)/|m v|
START_TEST(an_oblique_slider_is_turned_by_its_axis)
{
    floor_def def = floor_def_default();
    def.turns = false;
    def.law.stiffness = 1e6, def.law.friction = 0.6, def.law.friction_across = 0.2;
    def.time_step = 1e-3, def.stiction_tolerance = 1e-6, def.tolerance = 1e-12;
    scene s = scene_floor(&def);
    set_axis(&s, 1, 0, true);
    double x[16], v[2] = {2, 1};
    floor_state(&s, &def, 0.05 - def.mass * g / (4 * 1e6), 2, x);
    x[s.nq + 1] = 1;
    for (int k = 0; k < 200; k++) {
        scene_step(&s, x, NULL);
        // v' + dt g m (m v')/|m v'| = v, by iteration
        double next[2] = {v[0], v[1]};
        for (int i = 0; i < 200; i++) {
            double size = hypot(0.6 * next[0], 0.2 * next[1]);
            next[0] = v[0] / (1 + 1e-3 * g * 0.36 / size), next[1] = v[1] / (1 + 1e-3 * g * 0.04 / size);
        }
        v[0] = next[0], v[1] = next[1];
        assert_close(x[s.nq], v[0], 1e-8);
        assert_close(x[s.nq + 1], v[1], 1e-8);
    }
    scene_destroy(&s);
}
END_TEST

START_TEST(with_equal_coefficients_the_axis_does_not_matter)
{
    for (int a = 0; a < TRX_SAP; a++) {
        double ends[2][16];
        for (int axis = 0; axis < 2; axis++) {
            floor_def def = floor_def_default();
            def.law.approximation = (trx_approximation)a;
            def.law.friction_across = def.law.friction;
            scene s = scene_floor(&def);
            if (axis) set_axis(&s, 0.3, 1, true);
            floor_state(&s, &def, 0.05, 1, ends[axis]);
            for (int k = 0; k < 30; k++) scene_step(&s, ends[axis], NULL);
            scene_destroy(&s);
        }
        assert_close(ends[1][0], ends[0][0], 1e-9);
        assert_close(ends[1][7], ends[0][7], 1e-7);
    }
}
END_TEST

// lagged: v' = v - dt g mu(v), as long as it slides
START_TEST(friction_falls_from_static_to_dynamic_with_the_slip_speed)
{
    floor_def def = floor_def_default();
    def.turns = false;
    def.law.stiffness = 1e6, def.law.friction = 0.8, def.law.dynamic_friction = 0.3, def.law.slip_speed = 0.5;
    def.time_step = 1e-3, def.stiction_tolerance = 1e-6, def.tolerance = 1e-12;
    scene s = scene_floor(&def);
    double x[16], v = 2;
    floor_state(&s, &def, 0.05 - def.mass * g / (4 * 1e6), v, x);
    for (int k = 0; k < 800 && v > 0.1; k++) {
        scene_step(&s, x, NULL);
        v -= 1e-3 * g * (0.3 + 0.5 * exp(-v * v / 0.25));
        assert_close(x[s.nq], v, 1e-8);
    }
    ck_assert(v < 0.5);
    scene_destroy(&s);
}
END_TEST

// tan of the slope between both coefficients: what rests stays, what slides fast goes on
START_TEST(on_an_incline_between_both_coefficients_rest_lasts_and_so_does_sliding)
{
    for (int a = 0; a <= TRX_SAP; a++)
        for (int moving = 0; moving < 2; moving++) {
            floor_def def = floor_def_default();
            def.law.approximation = (trx_approximation)a;
            if (a == TRX_SAP) def.law.force_law = TRX_KELVIN_VOIGT, def.law.relaxation_time = 0.01;
            def.law.friction = 0.7, def.law.dynamic_friction = 0.2, def.law.slip_speed = 0.1;
            def.tilt = atan(0.45);
            scene s = scene_floor(&def);
            double x[16];
            floor_state(&s, &def, 0.05, moving ? 1 : 0, x);
            double start = x[0];
            for (int k = 0; k < 100; k++) scene_step(&s, x, NULL);
            double travelled = (x[0] - start) / cos(def.tilt);
            if (moving) ck_assert(travelled > 1 && hypot(x[7], x[9]) > 1);
            else ck_assert(fabs(travelled) < 2e-3);
            scene_destroy(&s);
        }
}
END_TEST

START_TEST(a_spinning_ball_stops_by_torsional_friction)
{
    floor_def def = sphere_def();
    const double length = 2e-3, inertia = 0.4 * 0.5 * 0.0025, spin = 5;
    def.law.stiffness = 1e6, def.law.torsional_friction = length;
    scene s = scene_floor(&def);
    double x[16], stop = inertia * spin / (length * def.mass * g), time = 0;
    floor_state(&s, &def, 0.05 - def.mass * g / 1e6, 0, x);
    x[s.nq + 5] = spin;
    const trx_contact *contacts;
    while (x[s.nq + 5] > 1e-2 && time < 2 * stop) {
        scene_step(&s, x, NULL);
        time += def.time_step;
        ck_assert_int_eq(trx_sim_contacts(s.sim, &contacts), 1);
        double moment = contacts[0].normal[2] > 0 ? contacts[0].moment[2] : -contacts[0].moment[2]; // on the ball
        if (time < 0.9 * stop) assert_close(moment, -length * def.mass * g, 1e-4 * length * def.mass * g);
    }
    assert_close(time, stop, 2 * def.time_step + 0.005 * stop);
    scene_destroy(&s);
}
END_TEST

// M = length m g against the rolling: v' = -5/7 (length/r) g for a solid ball
START_TEST(a_rolling_ball_decelerates_by_rolling_friction)
{
    floor_def def = sphere_def();
    const double length = 1e-3, r = 0.05;
    def.law.stiffness = 1e6, def.law.rolling_friction = length, def.stiction_tolerance = 1e-5;
    scene s = scene_floor(&def);
    double x[16], before;
    floor_state(&s, &def, r - def.mass * g / 1e6, 1, x);
    x[s.nq + 4] = 1 / r;
    for (int k = 0; k < 100; k++) scene_step(&s, x, NULL);
    before = x[s.nq];
    for (int k = 0; k < 1000; k++) scene_step(&s, x, NULL);
    double wanted = 5.0 / 7 * length / r * g;
    assert_close(before - x[s.nq], wanted, 1e-3 * wanted);
    scene_destroy(&s);
}
END_TEST

// ---- laws of the caller ----

static trx_force hunt(void *data, double phi, double v)
{
    const trx_pair_law *law = data;
    trxi_force f = trxi_force_law(law, phi, v);
    return (trx_force){f.f, f.f_phi, f.f_v};
}

START_TEST(a_users_hunt_crossley_moves_as_the_built_in_one)
{
    for (int a = 0; a < TRX_SAP; a++) {
        double ends[2][16];
        for (int user = 0; user < 2; user++) {
            floor_def def = floor_def_default();
            def.law.approximation = (trx_approximation)a;
            def.law.dissipation = 3;
            trx_pair_law own = def.law;
            if (user) def.law.force_law = TRX_USER_LAW, def.law.user = hunt, def.law.user_data = &own;
            scene s = scene_floor(&def);
            floor_state(&s, &def, 0.06, 1, ends[user]);
            for (int k = 0; k < 40; k++) scene_step(&s, ends[user], NULL);
            scene_destroy(&s);
        }
        ck_assert(memcmp(ends[0], ends[1], 13 * sizeof(double)) == 0);
    }
}
END_TEST

// a spring with a hole: between 12.0 and 12.4 mm deep something is wrong with it
static trx_force holed(void *data, double phi, double v)
{
    const int *which = data;
    trx_force f = {-1e4 * fmin(phi, 0), phi < 0 ? -1e4 : 0, 0};
    (void)v;
    if (!(phi < -0.0120 && phi > -0.0124)) return f;
    if (*which == 0) f.f = -1;
    if (*which == 1) f.f_phi = 1;
    if (*which == 2) f.f_v = 1;
    if (*which == 3) f.f = NAN;
    return f;
}

START_TEST(a_step_that_meets_a_wrong_value_of_a_user_law_says_so)
{
    for (int which = 0; which < 4; which++)
        for (int a = 0; a <= TRX_SIMILAR; a += 2) {
            floor_def def = floor_def_default();
            def.turns = false;
            def.law.approximation = (trx_approximation)a;
            def.law.force_law = TRX_USER_LAW, def.law.user = holed, def.law.user_data = &which;
            scene s = scene_floor(&def);
            double x[16], kept[16], y[16];

            // before the step, where gn0 is made
            floor_state(&s, &def, 0.05 - 0.0122, 0, x);
            memcpy(kept, x, sizeof kept), memcpy(y, x, sizeof y);
            ck_assert_int_eq(trx_step(s.sim, x, NULL, y), TRX_ERR_LAW);
            ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "b#1"));
            ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "gap -0.0122 m"));
            ck_assert(memcmp(y, kept, sizeof y) == 0);

            // and at its end, which is in the hole: 12.2 mm deep after 10 ms
            int steps = 0;
            trx_status status = TRX_OK;
            for (double start = -1.6; start < -1.0 && status >= 0; start += 0.005, steps++) {
                floor_state(&s, &def, 0.05, 0, x);
                x[s.nq + 2] = start;
                status = trx_step(s.sim, x, NULL, y);
                if (status >= 0) ck_assert(!(y[2] - 0.05 < -0.0120 && y[2] - 0.05 > -0.0124));
            }
            ck_assert_int_eq(status, TRX_ERR_LAW);
            ck_assert_int_gt(steps, 1);
            ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "user law"));
            scene_destroy(&s);
        }
}
END_TEST

START_TEST(a_barrier_that_is_closed_is_infeasible)
{
    for (int ipc = 0; ipc < 2; ipc++) {
        floor_def def = floor_def_default();
        def.law.force_law = ipc ? TRX_IPC : TRX_LOG_BARRIER, def.law.barrier = 1, def.law.reach = 0.01;
        scene s = scene_floor(&def);
        double x[16];
        floor_state(&s, &def, 0.05 - 1e-4, 0, x);
        ck_assert_int_eq(trx_step(s.sim, x, NULL, x), TRX_ERR_INFEASIBLE);
        ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "b#1"));
        ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "gap -0.0001"));
        floor_state(&s, &def, 0.05 + 1e-4, 0, x);
        ck_assert_int_ge(trx_step(s.sim, x, NULL, x), 0);
        scene_destroy(&s);
    }
}
END_TEST

// a solve that ended at phi0 + dt v_n = 0 by rounding was blamed on bodies that move by themselves, where there were none
START_TEST(a_barrier_reached_by_rounding_is_not_one_closed_by_a_motion)
{
    floor_def def = floor_def_default();
    def.law.force_law = TRX_LOG_BARRIER, def.law.barrier = 1, def.law.reach = 0.01;
    scene s = scene_floor(&def);
    double x[16];
    floor_state(&s, &def, 0.05 + 1e-4, 0, x);
    ck_assert_int_ge(trx_step(s.sim, x, NULL, x), 0);
    trxi_contact *c = &s.sim->contacts[0];
    c->gamma[2] = INFINITY;
    c->v_c[2] = -c->phi0 / trx_sim_get_settings(s.sim).time_step;
    ck_assert_int_eq(trxi_step_explain_not_finite(s.sim), TRX_ERR_NOT_FINITE);
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "b#1"));
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "rounding"));
    c->bias[2] = 2 * c->v_c[2];
    ck_assert_int_eq(trxi_step_explain_not_finite(s.sim), TRX_ERR_INFEASIBLE);
    scene_destroy(&s);
}
END_TEST

START_TEST(an_axis_along_the_normal_is_refused)
{
    floor_def def = floor_def_default();
    def.law.friction_across = 0.2;
    def.law.axis[2] = 1;
    scene s = scene_floor(&def);
    double x[16];
    floor_state(&s, &def, 0.05, 0, x);
    ck_assert_int_eq(trx_step(s.sim, x, NULL, x), TRX_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "along the normal"));
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/friction_rows");
    TCase *cases = tcase_create("friction_rows");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, steps_of_every_law_and_friction_have_exact_derivatives);
    tcase_add_test(cases, parameters_of_every_law_and_friction_agree_with_differences);
    tcase_add_test(cases, a_hertz_sphere_at_rest_sinks_by_its_formula);
    tcase_add_test(cases, a_sphere_on_a_barrier_never_touches_and_rests_where_the_barrier_carries_it);
    tcase_add_test(cases, an_anisotropic_slider_decelerates_per_axis);
    tcase_add_test(cases, an_oblique_slider_is_turned_by_its_axis);
    tcase_add_test(cases, with_equal_coefficients_the_axis_does_not_matter);
    tcase_add_test(cases, friction_falls_from_static_to_dynamic_with_the_slip_speed);
    tcase_add_test(cases, on_an_incline_between_both_coefficients_rest_lasts_and_so_does_sliding);
    tcase_add_test(cases, a_spinning_ball_stops_by_torsional_friction);
    tcase_add_test(cases, a_rolling_ball_decelerates_by_rolling_friction);
    tcase_add_test(cases, a_users_hunt_crossley_moves_as_the_built_in_one);
    tcase_add_test(cases, a_step_that_meets_a_wrong_value_of_a_user_law_says_so);
    tcase_add_test(cases, a_barrier_that_is_closed_is_infeasible);
    tcase_add_test(cases, a_barrier_reached_by_rounding_is_not_one_closed_by_a_motion);
    tcase_add_test(cases, an_axis_along_the_normal_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
