// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// PLY: the same tetrahedron as text and in both byte orders, with properties that are passed over; exact errors,
// damage, exhausted memory.

#include "formats/mesh_read.h"

#include "formats/meshes.h"

#include <stdio.h>
#include <string.h>

#define HEAD(form)                                                                                                     \
    "ply\nformat " form " 1.0\ncomment a solid\nelement vertex 4\nproperty float x\nproperty float y\nproperty uchar red\n"   \
    "property double z\nelement face 3\nproperty list uchar int vertex_indices\nproperty short flags\nend_header\n"
#define POINTS "0 0 7 0\n1 0 7 0\n0 1 7 0\n0 0 7 1\n"
#define FACES "3 0 2 1 -5\n3 0 1 3 -5\n6 0 3 2 1 2 3 -5\n"
static const char TEXT[] = HEAD("ascii") POINTS FACES;

START_TEST(a_text_is_read)
{
    // the third face, a fan of six corners: (0 3 2) (0 2 1) (0 1 2) (0 2 3)
    trx_mesh mesh = read_good(trxi_ply_parse, TEXT, sizeof TEXT - 1);
    ck_assert_int_eq(mesh.ntriangle, 6);
    static const char four[] = HEAD("ascii") POINTS "3 0 2 1 0\n3 0 1 3 0\n4 0 3 2 2 0\n3 1 2 3 0\n";
    char text[1000];
    snprintf(text, sizeof text, "%s", four);
    memcpy(strstr(text, "face 3"), "face 4", 6);
    mesh = read_good(trxi_ply_parse, text, strlen(text));
    assert_tetrahedron(&mesh, 1.0 / 6, (double[]){0.25, 0.25, 0.25});
}
END_TEST

// the bytes of the tetrahedron behind their head
static size_t write_binary(char *out, bool big)
{
    static const float points[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    size_t n = (size_t)sprintf(out, "%s", big ? HEAD("binary_big_endian") : HEAD("binary_little_endian"));
    memcpy(strstr(out, "face 3"), "face 4", 6);
    for (int i = 0; i < 4; i++) {
        double z = points[3 * i + 2];
        for (int k = 0; k < 2; k++) n += put_number(out + n, &points[3 * i + k], 4, big);
        out[n++] = 7;
        n += put_number(out + n, &z, 8, big);
    }
    for (int i = 0; i < 4; i++) {
        short flags = -5;
        out[n++] = 3;
        for (int k = 0; k < 3; k++) n += put_number(out + n, &faces[3 * i + k], 4, big);
        n += put_number(out + n, &flags, 2, big);
    }
    return n;
}

START_TEST(bytes_of_either_order_are_read)
{
    for (int big = 0; big < 2; big++) {
        char bytes[1000];
        size_t length = write_binary(bytes, big);
        trx_mesh mesh = read_good(trxi_ply_parse, bytes, length);
        assert_tetrahedron(&mesh, 1.0 / 6, (double[]){0.25, 0.25, 0.25});
        assert_bad(trxi_ply_parse, bytes, length - 3,
                   big ? "0:0: the file ends after 348 bytes, in the middle of its data"
                       : "0:0: the file ends after 351 bytes, in the middle of its data");
    }
}
END_TEST

static void refuse(const char *text, const char *error)
{
    assert_bad(trxi_ply_parse, text, strlen(text), error);
}

START_TEST(wrong_files_are_refused)
{
    refuse("", "1:1: a PLY file begins with ply, not the end");
    refuse("ply\n", "2:1: the head of a PLY file ends with end_header, not the end");
    refuse("ply\nformat text 1.0\n", "2:8: the format is ascii, binary_little_endian or binary_big_endian, not \"text\"");
    refuse("ply\nproperty int x\n", "2:1: a property stands before the first element");
    refuse("ply\nelement vertex -1\n", "2:16: the number of an element is a whole number up to 15000000, not \"-1\"");
    refuse("ply\nelement vertex 1\nproperty real x\n", "3:10: a property has a type like float, int or uchar, not \"real\"");
    refuse("ply\nelement face 1\nproperty list float int vertex_index\n",
           "3:15: a list is counted by a type of whole numbers, not \"float\"");
    refuse("ply\nvertices 3\n",
           "2:1: a line of the head begins with format, comment, element, property or end_header, not \"vertices\"");
    refuse("ply\nelement vertex 1\nproperty int x\nend_header\n1\n",
           "1:1: the head needs an element vertex with x, y and z, and behind it an element face with one list vertex_indices");
    refuse(HEAD("ascii") "0 0 7 0\n0 x 7 0\n", "14:3: a number belongs here, not \"x\"");
    refuse(HEAD("ascii") POINTS "3 0 2 4 0\n", "17:0: triangle 0 names vertex 4, but there are 4, counted from 0");
    refuse(HEAD("ascii") POINTS "3 0 2 1.5 0\n", "17:0: triangle 0 names vertex -1, but there are 4, counted from 0");
    refuse(HEAD("ascii") POINTS "-3 0 2 1 0\n", "17:0: a list of -3 numbers: at most 1000000 are read");
}
END_TEST

START_TEST(damage_and_exhausted_memory_do_no_harm)
{
    char bytes[1000];
    size_t length = write_binary(bytes, false);
    assert_damage_is_harmless(trxi_ply_parse, bytes, length);
    assert_damage_is_harmless(trxi_ply_parse, TEXT, sizeof TEXT - 1);
    assert_memory_is_kept(trxi_ply_parse, TEXT, sizeof TEXT - 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/ply");
    TCase *cases = tcase_create("ply");
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_add_test(cases, a_text_is_read);
    tcase_add_test(cases, bytes_of_either_order_are_read);
    tcase_add_test(cases, wrong_files_are_refused);
    tcase_add_test(cases, damage_and_exhausted_memory_do_no_harm);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
