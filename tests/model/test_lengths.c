// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Tendons of definitions: what is refused, and the lengths, spans and springs that they become.

#include "model/fixture.h"
#include "model/model.h"
#include "support/support.h"

#include <string.h>

enum { LINE_TENDON = 91 };

static trx_tendon_point site(int body, double x)
{
    return (trx_tendon_point){.type = TRX_TENDON_SITE, .body = body, .pose = {{x, 0, 0}, {1, 0, 0, 0}}, .side_body = -1};
}

static trx_tendon_point sphere(int body, double radius)
{
    trx_tendon_point point = site(body, 0);
    point.type = TRX_TENDON_SPHERE, point.radius = radius;
    return point;
}

static trx_tendon_point pulley(double divisor)
{
    return (trx_tendon_point){.type = TRX_TENDON_PULLEY, .divisor = divisor};
}

static void refuses(const trx_tendon_def *tendon, const char *text)
{
    scene s;
    scene_open(&s);
    trx_tendon_def copy = *tendon;
    copy.name = "t", copy.source = (trx_source){"scene.yaml", LINE_TENDON, 1};
    s.def.tendons = &copy, s.def.ntendon = 1;
    scene_refuses(&s, LINE_TENDON, text);
}

static void refuses_path(const trx_tendon_point *points, int count, const char *text)
{
    trx_tendon_def t = trx_tendon_def_default();
    t.points = points, t.npoint = count;
    refuses(&t, text);
}

static int pusher_of(void)
{
    scene s;
    scene_open(&s);
    const int pusher = s.actuators[0].body;
    scene_close(&s);
    return pusher;
}

START_TEST(fixed_tendons_need_joints_once_and_with_factors)
{
    const int pusher = pusher_of();
    trx_joint_factor parts[2] = {{pusher, 0, 1}, {pusher, 0, -2}};
    trx_tendon_def t = trx_tendon_def_default();
    refuses(&t, "tendon 't' has no joints");
    t.joints = parts, t.njoint = 2;
    refuses(&t, "joint 'px' is twice in tendon 't'");
    parts[1] = (trx_joint_factor){BOX, 0, 1};
    refuses(&t, "tendon 't' needs hinge or slide joints");
    parts[1] = (trx_joint_factor){pusher, 1, 0};
    refuses(&t, "joint 'py': its factor in tendon 't' is 0");
    parts[1].factor = -2, t.stiffness = -1;
    refuses(&t, "stiffness is -1; it must be finite and not negative");
    t.stiffness = 1, t.damping = INFINITY;
    refuses(&t, "damping is inf");
    t.damping = 0, t.rest_lower = 2, t.rest_upper = 1;
    refuses(&t, "its rest [2, 1]");
    t.rest_lower = t.rest_upper = INFINITY;
    refuses(&t, "its rest [inf, inf] has no finite length");
}
END_TEST

START_TEST(paths_need_sites_around_everything)
{
    const trx_tendon_point a = site(BOX, 0), b = site(-1, 1), ball = sphere(-1, 0.1);
    refuses_path(&a, 1, "each branch of its path");
    refuses_path((const trx_tendon_point[]){a, ball}, 2, "each branch of its path");
    refuses_path((const trx_tendon_point[]){ball, a, b}, 3, "each branch of its path");
    refuses_path((const trx_tendon_point[]){a, ball, ball, b}, 4, "each branch of its path");
    refuses_path((const trx_tendon_point[]){a, b, pulley(2), a}, 4, "each branch of its path");
    refuses_path((const trx_tendon_point[]){a, b, pulley(0), a, b}, 5, "the divisor of a pulley is 0");
    refuses_path((const trx_tendon_point[]){a, sphere(-1, 0), b}, 3, "the radius of an obstacle is 0");
    refuses_path((const trx_tendon_point[]){a, site(99, 0)}, 2, "there is no body number 99");
    refuses_path((const trx_tendon_point[]){a, site(-1, NAN)}, 2, "a pose is not finite");
}
END_TEST

START_TEST(a_path_becomes_spans_and_the_dofs_between_its_points)
{
    scene s;
    scene_open(&s);
    const int pusher = s.actuators[0].body;
    const trx_tendon_point points[] = {site(-1, 1), sphere(pusher, 0.1), site(BOX, 0.2), pulley(4),
                                       site(BOX, 0.1), site(-1, 2), site(-1, 3)};
    trx_joint_factor parts[2] = {{pusher, 1, 3}, {pusher, 0, 2}};
    trx_tendon_def t[2] = {trx_tendon_def_default(), trx_tendon_def_default()};
    t[0].name = "path", t[0].points = points, t[0].npoint = 7, t[0].stiffness = 5;
    t[1].name = "sum", t[1].joints = parts, t[1].njoint = 2;
    s.def.tendons = t, s.def.ntendon = 2;
    s.actuators[0].tendon = 0, s.actuators[0].name = "on_path";
    const trx_model *m = scene_build(&s);
    ck_assert(m->ntendon == 2 && m->nspan == 3 && m->nspring == 1);
    ck_assert(m->lengths[0].ncol == 9 && m->lengths[0].shared == 0 && m->lengths[1].ncol == 2);
    ck_assert(m->spans[0].scale == 1 && m->spans[1].scale == 0.25 && m->spans[2].scale == 0.25);
    ck_assert(m->spans[0].around == TRX_TENDON_SPHERE && m->spans[1].around == TRX_TENDON_SITE);
    const double *factors = m->length_factors + m->lengths[1].first;
    ck_assert(factors[0] == 2 && factors[1] == 3);
    ck_assert(m->actuators[0].drive && m->actuators[0].length == 0 && !m->actuators[1].drive);
    ck_assert_int_eq(m->lengths[m->actuators[1].length].ncol, 1);
    ck_assert_str_eq(trx_model_tendon_name(m, 1), "sum");
    ck_assert_ptr_null(trx_model_tendon_name(m, 2));
    ck_assert_int_eq(trx_model_get_size(m).ntendon, 2);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/lengths");
    TCase *cases = tcase_create("lengths");
    tcase_add_test(cases, fixed_tendons_need_joints_once_and_with_factors);
    tcase_add_test(cases, paths_need_sites_around_everything);
    tcase_add_test(cases, a_path_becomes_spans_and_the_dofs_between_its_points);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
