// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// MuJoCo's binary mesh: a tetrahedron with normals and texture, exact errors, damage, exhausted memory.

#include "formats/mesh_read.h"

#include "formats/meshes.h"

#include <math.h>
#include <string.h>

// one normal and one texture coordinate lie between
typedef struct file {
    int head[4];
    float points[12], normal[3], texture[2];
    int triangles[12];
} file;

static file tetrahedron(void)
{
    return (file){{4, 1, 1, 4}, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, {9, 9, 9}, {8, 8}, {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}};
}

// the bytes of a file, all of whose numbers have four
static const char *bytes_of(const file *f)
{
    static char bytes[sizeof *f];
    for (size_t i = 0; i < sizeof *f; i += 4) put_number(bytes + i, (const char *)f + i, 4, false);
    return bytes;
}

static void assert_file_bad(const file *f, const char *error)
{
    assert_bad(trxi_msh_parse, bytes_of(f), sizeof *f, error);
}

START_TEST(a_tetrahedron_is_read)
{
    file f = tetrahedron();
    trx_mesh mesh = read_good(trxi_msh_parse, bytes_of(&f), sizeof f);
    assert_tetrahedron(&mesh, 1.0 / 6, (double[]){0.25, 0.25, 0.25});
}
END_TEST

START_TEST(wrong_files_are_refused)
{
    file f = tetrahedron();
    assert_bad(trxi_msh_parse, "", 0, "0:0: no mesh of MuJoCo: 0 bytes, less than its head of 16");
    assert_bad(trxi_msh_parse, bytes_of(&f), sizeof f - 1,
               "0:0: a mesh of 4 vertices, 1 normals, 1 texture coordinates and 4 triangles has 132 bytes, but this one has 131");
    f.triangles[7] = 4;
    assert_file_bad(&f, "0:0: triangle 2 names vertex 4, but there are 4, counted from 0");
    f.triangles[7] = -2;
    assert_file_bad(&f, "0:0: triangle 2 names vertex -1, but there are 4, counted from 0");
    f = tetrahedron();
    f.points[5] = NAN;
    assert_file_bad(&f, "0:0: vertex 1: a coordinate is no finite number, or beyond 1e12");
    f = tetrahedron();
    f.head[0] = 8, f.head[3] = 0;
    assert_file_bad(&f, "0:0: the mesh has no triangles: only vertices are not read");
}
END_TEST

START_TEST(damage_and_exhausted_memory_do_no_harm)
{
    file f = tetrahedron();
    assert_damage_is_harmless(trxi_msh_parse, bytes_of(&f), sizeof f);
    assert_memory_is_kept(trxi_msh_parse, bytes_of(&f), sizeof f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/msh");
    TCase *cases = tcase_create("msh");
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_add_test(cases, a_tetrahedron_is_read);
    tcase_add_test(cases, wrong_files_are_refused);
    tcase_add_test(cases, damage_and_exhausted_memory_do_no_harm);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
