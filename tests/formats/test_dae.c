// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Collada: triangles, strips, fans, polygons and lists of polygons of one tetrahedron; units and transforms of nested nodes; exact
// errors, damage, exhausted memory.

#include "formats/mesh_read.h"

#include "formats/meshes.h"

#include <stdio.h>
#include <string.h>

#define GEOMETRY(groups)                                                                                               \
    "<library_geometries><geometry id=\"g\"><mesh><source id=\"s\"><float_array id=\"a\" count=\"12\">0 0 0 1 0 0 0 1 0 0 0 1"   \
    "</float_array><technique_common><accessor count=\"4\" stride=\"3\"/></technique_common></source>\n"                       \
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#s\"/></vertices>\n" groups                                     \
    "</mesh></geometry></library_geometries>\n"
#define GROUP(kind, inside) "<" kind "><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>" inside "</" kind ">"
#define TRIANGLES GROUP("triangles", "<p>0 2 1  0 1 3  0 3 2  1 2 3</p>")
#define COLLADA(inside) "<?xml version=\"1.0\"?>\n<COLLADA>" inside "</COLLADA>\n"
#define SCENE(nodes)                                                                                                   \
    "<library_visual_scenes><visual_scene id=\"w\">" nodes                                                             \
    "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#w\"/></scene>"
#define HERE "<instance_geometry url=\"#g\"/>"
static const char PLAIN[] = COLLADA(GEOMETRY(TRIANGLES));

static trx_mesh read_text(const char *text)
{
    return read_good(trxi_dae_parse, text, strlen(text));
}

START_TEST(every_kind_of_polygons_is_read)
{
    static const char *const texts[] = {
        PLAIN,
        COLLADA(GEOMETRY("<triangles><input semantic=\"VERTEX\" source=\"#v\" offset=\"1\"/><input semantic=\"NORMAL\" "
                         "source=\"#n\" offset=\"0\"/><p>9 0 9 2 9 1 9 0 9 1 9 3 9 0 9 3 9 2 9 1 9 2 9 3</p></triangles>")),
        COLLADA(GEOMETRY(GROUP("polylist", "<vcount>3 4 2 3</vcount><p>0 2 1 0 1 1 3 0 1 0 3 2</p>")
                             GROUP("polygons", "<p>1 2 3</p>") "<lines><p>0 1</p></lines>")),
        COLLADA(GEOMETRY(GROUP("tristrips", "<p>0 2 1 3 0 2</p>"))),
        COLLADA(GEOMETRY(GROUP("trifans", "<p>0 2 1 3</p><p>2 0 3 1</p>"))),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        trx_mesh mesh = read_text(texts[i]);
        assert_tetrahedron(&mesh, 1.0 / 6, (double[]){0.25, 0.25, 0.25});
    }
}
END_TEST

START_TEST(units_and_transforms_of_nodes_apply_one_inside_the_other)
{
    // centimetres; moved by 100 cm, turned by a quarter about z (x becomes y), stretched by 2 along its x
    trx_mesh mesh = read_text(COLLADA("<asset><unit meter=\"0.01\"/><up_axis>Y_UP</up_axis></asset>" GEOMETRY(TRIANGLES)
                                          SCENE("<node><translate>100 0 0</translate><node><rotate>0 0 1 90</rotate>"
                                                "<scale>2 1 1</scale>" HERE "</node></node>")));
    assert_tetrahedron(&mesh, 2e-6 / 6, (double[]){1 - 0.0025, 0.005, 0.0025});
    // a mirror keeps the normals outside; a matrix is written by rows
    mesh = read_text(COLLADA(
        GEOMETRY(TRIANGLES) SCENE("<node><matrix>-1 0 0 5  0 1 0 6  0 0 1 7  0 0 0 1</matrix>" HERE "</node>")));
    assert_tetrahedron(&mesh, 1.0 / 6, (double[]){4.75, 6.25, 7.25});
    // nodes of the library, twice
    mesh = read_text(COLLADA(GEOMETRY(TRIANGLES) "<library_nodes><node id=\"m\">" HERE "</node></library_nodes>" SCENE(
        "<node><instance_node url=\"#m\"/></node><node><translate>3 0 0</translate><instance_node url=\"#m\"/></node>")));
    ck_assert_int_eq(mesh.ntriangle, 8);
}
END_TEST

static void refuse(const char *text, const char *error)
{
    assert_bad(trxi_dae_parse, text, strlen(text), error);
}

START_TEST(wrong_files_are_refused)
{
    refuse("<robot/>", "1:1: <robot> is no Collada: the first element must be <COLLADA>");
    refuse("<COLLADA><b></COLLADA>", "1:15: this does not close <b>, which begins on line 1");
    refuse(COLLADA(""), "0:0: there is no triangle in this file");
    refuse(COLLADA("<asset><unit meter=\"0\"/></asset>"), "2:17: meter=\"0\" of <unit>: write one positive number");
    refuse(COLLADA("<scene><instance_visual_scene url=\"#w\"/></scene>"),
           "2:17: <instance_visual_scene> names the visual_scene \"#w\", which is not there");
    refuse(COLLADA(SCENE("<node>" HERE "</node>")), "2:60: <instance_geometry> names the geometry \"#g\", which is not there");
    refuse(COLLADA(SCENE("<node><skew>1</skew></node>")), "2:60: <skew> is not read: write a matrix");
    refuse(COLLADA(SCENE("<node><scale>1 2</scale></node>")), "2:60: <scale> needs 3 numbers");
    refuse(COLLADA(GEOMETRY("<triangles><p>0 1 2</p></triangles>")), "4:1: <triangles> has no input VERTEX");
    refuse(COLLADA(GEOMETRY(GROUP("triangles", "<p>0 1 4</p>"))),
           "4:61: <p> names a point that is not there, or has too few whole numbers");
    refuse(COLLADA(GEOMETRY(GROUP("triangles", "<p>0 1 2 0</p>"))),
           "4:61: <p> names a point that is not there, or has too few whole numbers");
    refuse(COLLADA(GEOMETRY(GROUP("polylist", "<vcount>three</vcount><p>0 1 2</p>"))),
           "4:60: <vcount> has a word that is no whole number");
    refuse(COLLADA(GEOMETRY(GROUP("polygons", "<p>0 1 2</p><ph><p>0 1 3</p><h>0 1 2</h></ph>"))),
           "4:72: polygons with holes are not read: divide them into triangles");
    refuse(COLLADA("<library_nodes><node id=\"m\"><instance_node url=\"#m\"/></node></library_nodes>" SCENE(
               "<node><instance_node url=\"#m\"/></node>")),
           "2:25: more than 64 levels or 4096 nodes");
}
END_TEST

START_TEST(numbers_of_a_source_must_fit)
{
    char text[2000];
    snprintf(text, sizeof text, "%s", PLAIN);
    memcpy(strstr(text, "0 0 0 1"), "0 0 x 1", 7);
    refuse(text, "2:68: <float_array> has a word that is no finite number");
    snprintf(text, sizeof text, "%s", PLAIN);
    memcpy(strstr(text, "count=\"4\""), "count=\"5\"", 9);
    refuse(text, "2:154: 5 points of 3 numbers do not fit the 12 numbers of <float_array>");
}
END_TEST

START_TEST(damage_and_exhausted_memory_do_no_harm)
{
    static const char text[] = COLLADA(GEOMETRY(TRIANGLES) SCENE("<node><rotate>0 0 1 90</rotate>" HERE "</node>"));
    assert_damage_is_harmless(trxi_dae_parse, text, sizeof text - 1);
    assert_memory_is_kept(trxi_dae_parse, text, sizeof text - 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/dae");
    TCase *cases = tcase_create("dae");
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, every_kind_of_polygons_is_read);
    tcase_add_test(cases, units_and_transforms_of_nodes_apply_one_inside_the_other);
    tcase_add_test(cases, wrong_files_are_refused);
    tcase_add_test(cases, numbers_of_a_source_must_fit);
    tcase_add_test(cases, damage_and_exhausted_memory_do_no_harm);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
