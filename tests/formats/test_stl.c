// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The STL reader: binary and ASCII give the same mesh and are told apart, what is refused and where, exhausted memory.

#include "base/random.h"
#include "formats/mesh_read.h"
#include "support/parser.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 84, RECORD = 50, MAX_FILE = 4096 };

// a tetrahedron, outside by the right-hand rule
static const float tetrahedron[4][9] = {
    {0, 0, 0, 0, 1, 0, 1, 0, 0},
    {0, 0, 0, 1, 0, 0, 0, 0, 0.5F},
    {0, 0, 0, 0, 0, 0.5F, 0, 1, 0},
    {1, 0, 0, 0, 1, 0, 0, 0, 0.5F},
};

// a binary file of `count` of its triangles after the words of `head`; returns its length
static size_t write_binary(char file[MAX_FILE], const char *head, uint32_t count)
{
    memset(file, 0, MAX_FILE);
    memcpy(file, head, strlen(head));
    for (int i = 0; i < 4; i++) file[80 + i] = (char)(count >> 8 * i);
    for (uint32_t t = 0; t < count && t < 4; t++)
        for (size_t i = 0; i < 9; i++) {
            uint32_t bits;
            memcpy(&bits, &tetrahedron[t][i], 4);
            for (size_t b = 0; b < 4; b++) file[HEAD + RECORD * t + 12 + 4 * i + b] = (char)(bits >> 8 * b);
        }
    return HEAD + RECORD * (size_t)count;
}

static const char ASCII[] = "solid a name\n"
                            " facet normal 0 0 -1\n  outer loop\n"
                            "   vertex 0 0 0\n   vertex 0 1 0\n   vertex 1 0 0\n  endloop\n endfacet\n"
                            " facet normal nan nan nan\n  outer loop\n"
                            "   vertex 0 0 0\n   vertex 1.0e0 0 0\n   vertex 0 0 5.0E-1\n  endloop\n endfacet\n"
                            "endsolid a name\n"
                            "SOLID\r\n FACET NORMAL 0 0 0 OUTER LOOP VERTEX 0 -0 0 VERTEX 0 0 .5 VERTEX 0 1 0 ENDLOOP ENDFACET\r\n"
                            " facet normal 1 1 2 outer loop\tvertex 1 0 0 vertex 0 1 0 vertex 0 0 +0.5 endloop endfacet\n"
                            "endsolid";

static trx_status parse(const char *data, size_t length, trx_mesh *mesh)
{
    char *copy = exact_copy(data, length);
    trx_context_clear(context);
    trx_status status = trxi_stl_parse(context, pool, "a.stl", copy, length, mesh);
    free(copy);
    ck_assert((status == TRX_OK) == (mesh->ntriangle > 0));
    ck_assert_int_eq(trx_context_error_count(context), status == TRX_ERR_INPUT);
    return status;
}

static void assert_tetrahedron(const trx_mesh *mesh)
{
    static const double vertices[] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0.5};
    static const int triangles[] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 2, 1, 3};
    ck_assert_int_eq(mesh->nvertex, 4);
    ck_assert_int_eq(mesh->ntriangle, 4);
    ck_assert_mem_eq(mesh->vertices, vertices, sizeof vertices);
    ck_assert_mem_eq(mesh->triangles, triangles, sizeof triangles);
    ck_assert_str_eq(mesh->name, "a.stl");
}

START_TEST(binary_and_ascii_give_the_same_mesh)
{
    char file[MAX_FILE];
    trx_mesh mesh;
    ck_assert_int_eq(parse(file, write_binary(file, "made by a scanner", 4), &mesh), TRX_OK);
    assert_tetrahedron(&mesh);
    ck_assert_int_eq(parse(ASCII, strlen(ASCII), &mesh), TRX_OK);
    assert_tetrahedron(&mesh);
}
END_TEST

START_TEST(a_binary_file_may_begin_with_solid)
{
    char file[MAX_FILE];
    trx_mesh mesh;
    ck_assert_int_eq(parse(file, write_binary(file, "solid binary after all", 4), &mesh), TRX_OK);
    assert_tetrahedron(&mesh);
    // even when it is damaged: text has no zero bytes
    size_t length = write_binary(file, "solid binary after all", 4);
    ck_assert_int_eq(parse(file, length - 1, &mesh), TRX_ERR_INPUT);
    ck_assert_str_eq(trx_context_message(context), "a binary STL file of 4 triangles (bytes 81 to 84) has 284 bytes, but "
                                                   "this one has 283");
}
END_TEST

START_TEST(a_degenerate_triangle_is_left_out_and_nothing_else)
{
    static const char text[] = "solid\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 1 0 0 endloop endfacet\n"
                               "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 2 0 0 endloop endfacet\nendsolid\n";
    trx_mesh mesh;
    ck_assert_int_eq(parse(text, strlen(text), &mesh), TRX_OK);
    ck_assert_int_eq(mesh.ntriangle, 1);
    ck_assert_int_eq(mesh.nvertex, 3);
}
END_TEST

START_TEST(binary_errors_say_the_triangle_and_the_byte)
{
    static const struct {
        uint32_t count;
        int more;
        uint32_t bits; // of the y of the second corner of the third triangle
        const char *says;
    } cases[] = {
        {0, 0, 0, "there is no triangle in this file"},
        {4, -1, 0, "a binary STL file of 4 triangles (bytes 81 to 84) has 284 bytes, but this one has 283"},
        {4, 1, 0, "a binary STL file of 4 triangles (bytes 81 to 84) has 284 bytes, but this one has 285"},
        {4, -200, 0, "a binary STL file of 4 triangles (bytes 81 to 84) has 284 bytes, but this one has 84"},
        {4, -201, 0, "no STL file: neither text, as it has zero bytes, nor a binary head of 84 bytes (it has 83)"},
        {4, 0, 0x7FC00000, "triangle 3: a coordinate (byte 213) is not a number"},
        {4, 0, 0xFF800000, "triangle 3: a coordinate (byte 213) is infinite"},
        {4, 0, 0x7F000000, "triangle 3: a coordinate (byte 213) is beyond 1e12"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char file[MAX_FILE];
        trx_mesh mesh;
        size_t length = write_binary(file, "binary", cases[i].count);
        for (int b = 0; b < 4 && cases[i].bits; b++)
            file[HEAD + 2 * RECORD + 12 + 16 + b] = (char)(cases[i].bits >> 8 * b);
        ck_assert_int_eq(parse(file, length + (size_t)cases[i].more, &mesh), TRX_ERR_INPUT);
        trx_diagnostic found = trx_context_diagnostic(context, 0);
        ck_assert_str_eq(found.text, cases[i].says);
        ck_assert(found.source.line == 0 && strcmp(found.source.file, "a.stl") == 0);
    }
}
END_TEST

START_TEST(a_huge_count_is_refused_before_any_memory_is_taken)
{
    char file[MAX_FILE];
    trx_mesh mesh;
    write_binary(file, "binary", 0xFFFFFFFF);
    ck_assert_int_eq(parse(file, 284, &mesh), TRX_ERR_INPUT);
    ck_assert_str_eq(trx_context_message(context), "a binary STL file of 4294967295 triangles (bytes 81 to 84) has "
                                                   "214748364834 bytes, but this one has 284");
    // one more than are read, in a file of the right length
    size_t length = write_binary(file, "binary", 5000001);
    char *large = calloc(length, 1);
    memcpy(large, file, HEAD);
    ck_assert_int_eq(trxi_stl_parse(context, pool, "a.stl", large, length, &mesh), TRX_ERR_INPUT);
    ck_assert_str_eq(trx_context_diagnostic(context, 1).text, "5000001 triangles: at most 5000000 are read");
    free(large);
}
END_TEST

START_TEST(ascii_errors_have_their_place)
{
    static const struct {
        const char *text;
        int line, column;
        const char *says;
    } cases[] = {
        {"", 0, 0, "the file is empty"},
        {"solid\nendsolid\n", 0, 0, "there is no triangle in this file"},
        {" \n", 0, 0, "there is no triangle in this file"},
        {"\n facet normal 0 0 1", 2, 2, "an ASCII STL file begins with \"solid\", not \"facet\""},
        {"solid\n", 2, 1, "\"facet\" or \"endsolid\" belongs here, not the end"},
        {"solid\n facets", 2, 2, "\"facet\" or \"endsolid\" belongs here, not \"facets\""},
        {"solid\nfacet\nouter loop", 3, 1, "\"normal\" belongs here, not \"outer\""},
        {"solid\nfacet normal 0 0\nouter loop\n", 3, 7, "\"outer\" belongs here, not \"loop\""},
        {"solid\nfacet normal 0 0 1 outer loop vertex 0 0\nvertex", 3, 1,
         "a coordinate, a finite number, belongs here, not \"vertex\""},
        {"solid\nfacet normal 0 0 1 outer loop vertex 0 nan 0", 2, 40,
         "a coordinate, a finite number, belongs here, not \"nan\""},
        {"solid\nfacet normal 0 0 1 outer loop vertex 0 0 1e13", 2, 42, "a coordinate beyond 1e12"},
        {"solid\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 endloop", 2, 57,
         "\"vertex\" belongs here, not \"endloop\""},
        {"solid\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 1 1 0 vertex 2 2 2", 2, 70,
         "\"endloop\" belongs here, not \"vertex\""},
        {"solid\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 1 1 0 endloop\nfacet", 3, 1,
         "\"endfacet\" belongs here, not \"facet\""},
        {"solid\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 1 1 0 endloop endfacet endsolid\nmore", 3,
         1, "\"solid\" or the end belongs here, not \"more\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trx_mesh mesh;
        ck_assert_msg(parse(cases[i].text, strlen(cases[i].text), &mesh) == TRX_ERR_INPUT, "%s", cases[i].text);
        trx_diagnostic found = trx_context_diagnostic(context, 0);
        ck_assert_str_eq(found.text, cases[i].says);
        ck_assert_msg(found.source.line == cases[i].line && found.source.column == cases[i].column, "%s: at %d:%d",
                      cases[i].text, found.source.line, found.source.column);
    }
}
END_TEST

START_TEST(damaged_files_never_do_more_than_fail)
{
    char whole[MAX_FILE], file[MAX_FILE];
    int failed = 0, wrong = 0;
    for (uint64_t trial = 0; trial < 8000; trial++) {
        size_t length = trial % 2 ? strlen(ASCII) : write_binary(whole, "binary", 4);
        memcpy(file, trial % 2 ? ASCII : whole, length);
        damage(file, length, trial);
        if (trial % 5 == 0) length = trxi_random_bits(trial, 9) % length;
        trx_mesh mesh;
        failed += parse(file, length, &mesh) == TRX_ERR_INPUT;
        for (int i = 0; i < 3 * mesh.ntriangle; i++)
            wrong += mesh.triangles[i] < 0 || mesh.triangles[i] >= mesh.nvertex;
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_gt(failed, 1000);
    ck_assert_int_lt(failed, 7000);
}
END_TEST

typedef struct file {
    const char *data;
    size_t length;
} file;

static trx_status parse_counted(trx_context *counted, trxi_pool *its_pool, const void *input)
{
    const file *f = input;
    trx_mesh mesh;
    return trxi_stl_parse(counted, its_pool, "a.stl", f->data, f->length, &mesh);
}

START_TEST(whatever_allocation_fails_nothing_is_lost)
{
    char binary[MAX_FILE];
    const file files[] = {{binary, write_binary(binary, "binary", 4)}, {ASCII, strlen(ASCII)}};
    for (int kind = 0; kind < 2; kind++) ck_assert_int_ge(fail_every_allocation(parse_counted, &files[kind]), 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/stl");
    TCase *cases = tcase_create("stl");
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, binary_and_ascii_give_the_same_mesh);
    tcase_add_test(cases, a_binary_file_may_begin_with_solid);
    tcase_add_test(cases, a_degenerate_triangle_is_left_out_and_nothing_else);
    tcase_add_test(cases, binary_errors_say_the_triangle_and_the_byte);
    tcase_add_test(cases, a_huge_count_is_refused_before_any_memory_is_taken);
    tcase_add_test(cases, ascii_errors_have_their_place);
    tcase_add_test(cases, damaged_files_never_do_more_than_fail);
    tcase_add_test(cases, whatever_allocation_fails_nothing_is_lost);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
