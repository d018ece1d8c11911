// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Pairs that never meet, and pairs that always do.

#include "import/mjcf/case.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

START_TEST(excluded_bodies_never_meet)
{
    mjcf_case c;
    case_open(&c, "mjcf_contact", NULL);
    const trx_model_def *def = &c.result->def;
    ck_assert_int_eq(def->nexclude, 2);
    ck_assert_str_eq(def->bodies[def->exclude[0].a.body].name, "a");
    ck_assert_str_eq(def->bodies[def->exclude[0].b.body].name, "b");
    ck_assert_str_eq(def->bodies[def->exclude[1].a.body].name, "worldbody");
    ck_assert_int_eq(def->exclude[0].a.geometry, -1);
    compare_with_reference(&c, "mjcf_contact", 1e-9, "body geom");
    case_close(&c);
}
END_TEST

START_TEST(a_pair_has_its_own_friction)
{
    mjcf_case c;
    case_open(&c, "mjcf_contact", NULL);
    const trx_pair_override *o = c.result->def.overrides;
    ck_assert_int_eq(c.result->def.noverride, 2);
    assert_close(o[0].friction, 0.05, 0);
    assert_close(o[1].friction, 0.9, 0);
    ck_assert(o[0].pair.a.geometry == 0 && o[1].pair.a.geometry == 1);
    case_close(&c);
}
END_TEST

// a2 and b2 have zero masks; with a bit of their own they meet each other and nobody else
START_TEST(a_pair_that_masks_keep_apart_meets_nevertheless)
{
    mjcf_case c;
    case_open(&c, "mjcf_contact", NULL);
    const trx_geometry_def *a = case_geometry(&c, "a2"), *b = case_geometry(&c, "b2"), *other = case_geometry(&c, "a1");
    ck_assert(a->collide && b->collide);
    ck_assert_uint_ne(a->collision_type & b->collision_mask, 0);
    ck_assert_uint_eq((a->collision_type & other->collision_mask) | (other->collision_type & a->collision_mask), 0);
    ck_assert_uint_eq((b->collision_type & other->collision_mask) | (other->collision_type & b->collision_mask), 0);
    case_close(&c);
}
END_TEST

static int pair_count(const char *text, trx_base base)
{
    mjcf_case c;
    trx_import_options options = trx_import_options_default();
    trx_model *model;
    options.base = base;
    case_open_text(&c, text, &options);
    ck_assert_int_eq(trx_model_create(c.context, &c.result->def, &model), TRX_OK);
    int count = trx_model_get_size(model).npair;
    trx_model_destroy(model);
    case_close(&c);
    return count;
}

// eight feet on a floor of ten tiles, by pairs alone, in either order of the geoms: more pairs than a mask has bits
START_TEST(a_geom_meets_all_partners_of_its_pairs)
{
    enum { FEET = 8, TILES = 10 };
    char text[12000];
    int n = snprintf(text, sizeof text,
                     "<mujoco><default><geom size=\"0.1\" contype=\"0\" conaffinity=\"0\"/></default><worldbody>");
    for (int k = 0; k < TILES; k++) n += snprintf(text + n, sizeof text - (size_t)n, "<geom name=\"tile%d\"/>", k);
    for (int i = 0; i < FEET; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "<body><freejoint/><geom name=\"foot%d\" mass=\"1\"/></body>", i);
    n += snprintf(text + n, sizeof text - (size_t)n, "</worldbody><contact>");
    for (int i = 0; i < FEET; i++)
        for (int k = 0; k < TILES; k++)
            n += snprintf(text + n, sizeof text - (size_t)n, "<pair geom%d=\"foot%d\" geom%d=\"tile%d\"/>", 1 + k % 2, i, 2 - k % 2,
                          k);
    snprintf(text + n, sizeof text - (size_t)n, "</contact></mujoco>");
    ck_assert_int_eq(pair_count(text, TRX_BASE_OF_FILE), FEET * TILES);
}
END_TEST

// a puck on slides fell through the table that carries it: MuJoCo's filter of parents leaves out what is fixed to the world
START_TEST(a_body_fixed_to_the_world_touches_its_children)
{
    static const char scene[] = "<mujoco>%s<worldbody><geom size=\"1\"/><body name=\"table\">%s<geom size=\"1\"/>"
                                "<body name=\"top\"><geom size=\"1\"/><body name=\"puck\"><joint axis=\"1 0 0\"/>"
                                "<geom size=\"1\"/>"
                                "<body name=\"pin\"><joint axis=\"0 1 0\"/><geom size=\"1\"/></body></body></body></body>"
                                "</worldbody></mujoco>";
    char text[800];

    // MuJoCo 4.0.0 finds six contacts: the world, table and top with puck and pin
    snprintf(text, sizeof text, scene, "", "");
    ck_assert_int_eq(pair_count(text, TRX_BASE_OF_FILE), 6);
    // a table that falls is a parent, and so are bodies welded to it: world with four, table and top with pin
    snprintf(text, sizeof text, scene, "", "<freejoint/>");
    ck_assert_int_eq(pair_count(text, TRX_BASE_OF_FILE), 6);
    // a base that the options fix keeps its pairs, except that the table does not meet the world
    ck_assert_int_eq(pair_count(text, TRX_BASE_FIXED), 4);
    snprintf(text, sizeof text, scene, "<option><flag filterparent=\"disable\"/></option>", "<freejoint/>");
    ck_assert_int_eq(pair_count(text, TRX_BASE_OF_FILE), 9);
}
END_TEST

START_TEST(two_geoms_of_a_file_have_the_larger_friction)
{
    static const char scene[] = "<mujoco><worldbody><geom size=\"1\" friction=\"%s\"/><body><freejoint/>"
                                "<geom size=\"1\" friction=\"0.2\"/></body></worldbody></mujoco>";
    static const char *const frictions[] = {"0.9", "0.2"};
    static const double expected[] = {0.9, 0.2};
    for (int i = 0; i < 2; i++) {
        char text[400];
        mjcf_case c;
        trx_model *model;
        snprintf(text, sizeof text, scene, frictions[i]);
        case_open_text(&c, text, NULL);
        ck_assert_int_eq(trx_model_create(c.context, &c.result->def, &model), TRX_OK);
        assert_close(trx_model_pair(model, 0).law.friction, expected[i], 0);
        ck_assert_int_eq(case_notes(&c, TRX_NOTE_ASSUMED, "the larger of their frictions"), i == 0);
        trx_model_destroy(model);
        case_close(&c);
    }
}
END_TEST

// condim of the ball and of the floor, a pair element, and the friction of their contact
START_TEST(two_geoms_with_condim_1_have_no_friction)
{
    static const char scene[] = "<mujoco><worldbody><geom name=\"f\" size=\"1\" friction=\"0.9\" condim=\"%d\"/><body><freejoint/>"
                                "<geom name=\"b\" size=\"1\" friction=\"0.2\" condim=\"%d\"/></body></worldbody>%s</mujoco>";
    static const struct {
        int floor, ball;
        const char *pair;
        double friction;
    } cases[] = {{1, 1, "", 0},
                 {1, 3, "", 0.9},
                 {3, 1, "", 0.9},
                 {3, 3, "<contact><pair geom1=\"f\" geom2=\"b\" condim=\"1\" friction=\"0.7\"/></contact>", 0},
                 {1, 1, "<contact><pair geom1=\"f\" geom2=\"b\" friction=\"0.7\"/></contact>", 0.7}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        mjcf_case c;
        trx_model *model;
        snprintf(text, sizeof text, scene, cases[i].floor, cases[i].ball, cases[i].pair);
        case_open_text(&c, text, NULL);
        ck_assert_int_eq(trx_model_create(c.context, &c.result->def, &model), TRX_OK);
        assert_close(trx_model_pair(model, 0).law.friction, cases[i].friction, 0);
        trx_model_destroy(model);
        case_close(&c);
    }
}
END_TEST

START_TEST(a_pair_of_neighbours_that_is_left_out_is_told)
{
    // "b" hangs on "a", "c" is fixed to "b", "d" hangs on "c"; the two geoms of "a" are one body
    static const char tree[] = "<mujoco>%s<worldbody><geom name=\"w\" size=\"0.1\"/>"
                               "<body name=\"a\"><joint name=\"p\"/><geom name=\"g\" size=\"0.1\"/>"
                               "<geom name=\"h\" size=\"0.1\"/>"
                               "<body name=\"b\"><joint name=\"q\"/><geom name=\"i\" size=\"0.1\"/>"
                               "<body name=\"c\"><geom name=\"k\" size=\"0.1\"/>"
                               "<body name=\"d\"><joint name=\"r\"/><geom name=\"l\" size=\"0.1\"/></body></body></body></body>"
                               "</worldbody><contact><pair geom1=\"%s\" geom2=\"%s\"/></contact></mujoco>";
    static const struct {
        const char *one, *other;
        int welded, neighbours;
    } cases[] = {{"g", "h", 1, 0}, {"i", "k", 1, 0}, {"g", "i", 0, 1}, {"k", "g", 0, 1}, {"i", "l", 0, 1},
                 {"l", "k", 0, 1}, {"g", "l", 0, 0}, {"w", "g", 0, 0}, {"w", "k", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int apart = 0; apart < 2; apart++) {
            char text[1000];
            mjcf_case c;
            snprintf(text, sizeof text, tree, apart ? "" : "<option><flag filterparent=\"disable\"/></option>", cases[i].one,
                     cases[i].other);
            case_open_text(&c, text, NULL);
            ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "bodies that do not move against each other"), cases[i].welded);
            ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "a body and its parent never meet"),
                             apart ? cases[i].neighbours : 0);
            case_close(&c);
        }
}
END_TEST

// floor and ball; the ball's condim and friction, and what stands in <contact>
static void open_ball(mjcf_case *c, const char *floor, const char *ball, const char *contact)
{
    char text[1000];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><geom name=\"floor\" type=\"plane\" size=\"0 0 1\" %s/><body name=\"ball\" pos=\"0 0 0.1\">"
             "<freejoint/><geom name=\"shell\" size=\"0.1\" mass=\"1\" %s/></body></worldbody><contact>%s</contact></mujoco>",
             floor, ball, contact);
    case_open_text(c, text, NULL);
}

START_TEST(lengths_that_combine_otherwise_than_in_mujoco_are_noted)
{
    static const char part[] = "torsional and rolling friction of 1 pair of geoms: the larger of those that condim lets count";
    static const struct {
        const char *floor, *ball;
        int noted;
    } cases[] = {{"", "", 0},
                 {"friction=\"1 0.01\"", "condim=\"4\" friction=\"1 0.02\"", 0},
                 {"friction=\"1 0.03\"", "condim=\"4\" friction=\"1 0.02\"", 1},
                 {"friction=\"1 0.03\" condim=\"4\"", "condim=\"4\" friction=\"1 0.02\"", 0},
                 {"friction=\"1 0.03 0.02\" condim=\"4\"", "condim=\"6\" friction=\"1 0.02 0.01\"", 1},
                 {"friction=\"1 0.03\"", "condim=\"4\" friction=\"1 0.02\" contype=\"0\" conaffinity=\"0\"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mjcf_case c;
        open_ball(&c, cases[i].floor, cases[i].ball, "");
        ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, part), cases[i].noted);
        case_close(&c);
    }
}
END_TEST

// geoms of three kinds on bodies of their own; the pairs of the second and the third kind count, but not those with the geom that
// touches nothing
START_TEST(all_pairs_with_other_lengths_are_counted)
{
#define BALL(friction) "<body><freejoint/><geom size=\"1\" friction=\"" friction "/></body>"
#define PLAIN BALL("1 0.01\"")
#define SLOW BALL("1 0.03\"")
#define SPUN BALL("1 0.02\" condim=\"4\"")
    mjcf_case c;
    case_open_text(&c,
                   "<mujoco><worldbody>" SLOW SPUN PLAIN SPUN SLOW PLAIN SLOW
                   BALL("1 0.03\" contype=\"0\" conaffinity=\"0\"") "</worldbody></mujoco>",
                   NULL);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "torsional and rolling friction of 6 pairs of geoms"), 1);
    case_close(&c);
}
END_TEST

// a pair's condim is 3 unless it says otherwise, whatever its geoms say
START_TEST(a_pair_has_the_lengths_of_its_geoms_or_none)
{
    static const char rolls[] = "condim=\"6\" friction=\"1 0.02 0.01\"";
    static const struct {
        const char *pair;
        double torsional, rolling;
        int noted;
    } cases[] = {{"", 0, 0, 0},
                 {"condim=\"4\" friction=\"1 1 0.02\"", NAN, 0, 0},
                 {"condim=\"6\" friction=\"1 1 0.02 0.01 0.005\"", NAN, NAN, 0},
                 {"condim=\"6\" friction=\"1 1 0.5 0.01 0.01\"", NAN, NAN, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mjcf_case c;
        char pair[200];
        snprintf(pair, sizeof pair, "<pair geom1=\"shell\" geom2=\"floor\" %s/>", cases[i].pair);
        open_ball(&c, "", rolls, pair);
        const trx_model_def *def = &c.result->def;
        bool some = !isnan(cases[i].torsional) || !isnan(cases[i].rolling) || strstr(cases[i].pair, "friction");
        ck_assert_int_eq(def->noverride, some);
        assert_close(def->overrides[0].friction, 1, 0); // MuJoCo's, whatever the geoms have
        trx_pair_override own = some ? def->overrides[0] : trx_pair_override_default();
        ck_assert(own.torsional_friction == cases[i].torsional || (isnan(own.torsional_friction) && isnan(cases[i].torsional)));
        ck_assert(own.rolling_friction == cases[i].rolling || (isnan(own.rolling_friction) && isnan(cases[i].rolling)));
        ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "those of the geoms, 0.02 and 0.01 m, not 0.5 and 0.01 m"),
                         cases[i].noted);
        case_close(&c);
    }
    case_refuses(ONE_BODY("<worldbody><geom name=\"h\" size=\"1\"/></worldbody><contact>\n<pair geom1=\"g\" geom2=\"h\" "
                          "condim=\"2\"/></contact>"),
                 "4: condim of this pair is 2; write 1, 3, 4 or 6");
}
END_TEST

// masks of 0: without the pair the geoms touch nothing, and they had no lengths
START_TEST(geoms_that_touch_only_by_a_pair_have_their_lengths)
{
#define APART "contype=\"0\" conaffinity=\"0\" condim=\"6\" friction=\"1 0.02 0.01\""
    static const char text[] =
        "<mujoco><worldbody><body><freejoint/><geom name=\"ball\" size=\"0.1\" " APART "/></body><geom name=\"floor\" "
        "type=\"plane\" "
        "size=\"0 0 1\" " APART "/></worldbody><contact><pair geom1=\"ball\" geom2=\"floor\" condim=\"6\" friction=\"1 1 0.02 0.01 "
        "0.01\"/></contact></mujoco>";
    mjcf_case c;
    case_open_text(&c, text, NULL);
    for (int i = 0; i < 2; i++) {
        const trx_geometry_def *geometry = case_geometry(&c, i == 0 ? "ball" : "floor");
        ck_assert(geometry->collide);
        const trx_material_def *material = &c.result->def.materials[geometry->material];
        assert_close(material->torsional_friction, 0.02, 0);
        assert_close(material->rolling_friction, 0.01, 0);
    }
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "torsional and rolling"), 0);
    case_close(&c);
}
END_TEST

// deceleration of the ball within half a second from the speed given, along `dof` [m/s^2, rad/s^2]
static double deceleration(const char *ball, const double v[6], int dof)
{
    enum { STEPS = 500, SETTLED = 100 };
    const double dt = 1e-3;
    mjcf_case c;
    open_ball(&c, "friction=\"0.8\"", ball, "");
    trx_model *model;
    trx_sim *sim;
    trx_sim_settings settings = trx_sim_settings_default();
    settings.time_step = dt;
    ck_assert_int_eq(trx_model_create(c.context, &c.result->def, &model), TRX_OK);
    ck_assert_int_eq(trx_sim_create(c.context, model, &settings, &sim), TRX_OK);
    double x[13], before = 0;
    memcpy(x, c.result->q0, 7 * sizeof *x);
    memcpy(x + 7, v, 6 * sizeof *x);
    for (int k = 0; k < STEPS; k++) {
        if (k == SETTLED) before = x[7 + dof];
        ck_assert_int_ge(trx_step(sim, x, NULL, x), 0);
    }
    trx_sim_destroy(sim);
    trx_model_destroy(model);
    double after = x[7 + dof];
    case_close(&c);
    return (before - after) / (dt * (STEPS - SETTLED));
}

// R 0.1 m: rolling, 5/7 r/R g but for the height; spinning on its place, l m g/I
START_TEST(a_ball_rolls_and_spins_out_as_its_file_says)
{
    static const double rolling[6] = {1, 0, 0, 0, 10, 0}, spinning[6] = {0, 0, 0, 0, 0, 20};
    assert_close(deceleration("condim=\"6\" friction=\"0.8 0.005 0.002\"", rolling, 0), 5.0 / 7 * 0.02 * 9.81, 2e-3 * 0.14);
    assert_close(deceleration("condim=\"4\" friction=\"0.8 0.01 0.002\"", spinning, 5), 0.01 * 9.81 / 4e-3, 1e-3 * 24.5);
    assert_close(deceleration("condim=\"4\" friction=\"0.8 0.01 0.002\"", rolling, 0), 0, 1e-4);
    assert_close(deceleration("condim=\"3\" friction=\"0.8 0.01 0.002\"", spinning, 5), 0, 1e-9);
}
END_TEST

START_TEST(a_pair_with_a_geom_that_is_left_out_is_left_out_too)
{
    mjcf_case c;
    case_open_text(&c,
                   ONE_BODY("<worldbody><geom name=\"floor\" type=\"sdf\"/></worldbody>"
                            "<contact><pair geom1=\"g\" geom2=\"floor\"/></contact>"),
                   NULL);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_MISSING, "1 pair of geoms: one of the geoms is left out"), 1);
    ck_assert_int_eq(c.result->def.noverride, 0);
    case_close(&c);
}
END_TEST

START_TEST(wrong_pairs_are_refused)
{
    case_refuses(ONE_BODY("<contact><exclude body1=\"b\"/></contact>"), "3: this exclude needs the attribute body2");
    case_refuses(ONE_BODY("<contact><exclude body1=\"b\" body2=\"c\"/></contact>"),
                 "3: body2 of this exclude is 'c'; there is no body of that name");
    case_refuses(ONE_BODY("<contact><pair geom1=\"g\" geom2=\"h\"/></contact>"),
                 "3: geom2 of this pair is 'h'; there is no geom of that name");
    case_refuses(
        ONE_BODY("<worldbody><geom name=\"h\" size=\"1\"/></worldbody><contact>\n<pair geom1=\"g\" geom2=\"h\" "
                 "friction=\"-1\"/></contact>"),
        "4: friction of this pair is -1; it must not be negative");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/contact");
    TCase *tests = tcase_create("mjcf_contact");
    tcase_add_test(tests, excluded_bodies_never_meet);
    tcase_add_test(tests, a_pair_has_its_own_friction);
    tcase_add_test(tests, a_pair_that_masks_keep_apart_meets_nevertheless);
    tcase_add_test(tests, a_geom_meets_all_partners_of_its_pairs);
    tcase_add_test(tests, a_body_fixed_to_the_world_touches_its_children);
    tcase_add_test(tests, two_geoms_of_a_file_have_the_larger_friction);
    tcase_add_test(tests, two_geoms_with_condim_1_have_no_friction);
    tcase_add_test(tests, a_pair_of_neighbours_that_is_left_out_is_told);
    tcase_add_test(tests, lengths_that_combine_otherwise_than_in_mujoco_are_noted);
    tcase_add_test(tests, all_pairs_with_other_lengths_are_counted);
    tcase_add_test(tests, a_pair_has_the_lengths_of_its_geoms_or_none);
    tcase_add_test(tests, geoms_that_touch_only_by_a_pair_have_their_lengths);
    tcase_add_test(tests, a_ball_rolls_and_spins_out_as_its_file_says);
    tcase_add_test(tests, a_pair_with_a_geom_that_is_left_out_is_left_out_too);
    tcase_add_test(tests, wrong_pairs_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
