// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Every malformed robot and mesh of tests/malformed_robots is refused with exactly the errors beside it, in file
// order, and nothing else; inertias are not repaired. A file NAME.urdf, .xml, .stl or .obj has its errors in
// NAME.expected; files without are parts of others.

#define _XOPEN_SOURCE 700

#include "formats/files.h"
#include "formats/mesh_read.h"
#include "support/support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/import.h>
#include <unistd.h>

enum { MAX_ERRORS = 20, TEXT_SIZE = 32768 };

static const char FOLDER[] = "tests/malformed_robots";

typedef enum kind { URDF, MJCF, STL, OBJ, KINDS } kind;
static const char *const endings[KINDS] = {".urdf", ".xml", ".stl", ".obj"};

// the errors as a terminal shows them, the first twenty
static void print_errors(const trx_context *context, char text[TEXT_SIZE])
{
    size_t used = 0;
    int errors = 0;
    text[0] = '\0';
    for (int i = 0; i < trx_context_diagnostic_count(context); i++) {
        trx_diagnostic finding = trx_context_diagnostic(context, i);
        if (finding.severity != TRX_ERROR || ++errors > MAX_ERRORS) continue;
        char place[32] = "";
        if (finding.source.line > 0) snprintf(place, sizeof place, "%d:%d:", finding.source.line, finding.source.column);
        int length = snprintf(text + used, TEXT_SIZE - used, "%s:%s error: %s\n", finding.source.file, place, finding.text);
        ck_assert_int_gt(length, 0);
        used += (size_t)length;
        ck_assert_uint_lt(used, TEXT_SIZE);
    }
}

// reads the file as what its ending says
static trx_status load(trx_context *context, trxi_pool *pool, const char *path, kind what)
{
    if (what == URDF || what == MJCF) {
        trx_import *import;
        trx_import_options options = trx_import_options_default();
        options.repair = TRX_REPAIR_NONE;
        trx_status status = trx_import_load(context, path, &options, &import);
        ck_assert((status == TRX_OK) == (import != NULL));
        trx_import_destroy(import);
        return status;
    }
    char *bytes;
    size_t length;
    trx_mesh mesh;
    ck_assert_int_eq(trxi_file_read(context, pool, path, 1 << 20, &bytes, &length), TRX_OK);
    trx_status status = what == STL ? trxi_stl_parse(context, pool, path, bytes, length, &mesh)
                                    : trxi_obj_parse(context, pool, path, bytes, length, &mesh);
    ck_assert(mesh.nvertex == 0 && mesh.ntriangle == 0);
    return status;
}

static kind check(const char *name)
{
    char path[256];
    int stem = (int)(strlen(name) - strlen(".expected"));
    kind what = 0;
    for (; what < KINDS; what++) {
        snprintf(path, sizeof path, "%.*s%s", stem, name, endings[what]);
        if (access(path, R_OK) == 0) break;
    }
    ck_assert_msg(what < KINDS, "%s: no file for it", name);

    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    trxi_pool *pool = trxi_pool_create(context);
    char errors[TEXT_SIZE], *expected;
    size_t length;
    ck_assert_int_eq(trxi_file_read(context, pool, name, TEXT_SIZE, &expected, &length), TRX_OK);
    ck_assert_uint_gt(length, 0);
    trx_status status = load(context, pool, path, what);
    print_errors(context, errors);
    ck_assert_msg(status == TRX_ERR_INPUT && strcmp(errors, expected) == 0, "%s: %s\n--- expected\n%s--- found\n%s", path,
                  trx_status_name(status), expected, errors);
    trxi_pool_destroy(pool);
    trx_context_destroy(context);
    return what;
}

START_TEST(every_malformed_file_is_refused_with_its_exact_errors)
{
    // messages repeat paths as they are written, so the folder is entered
    ck_assert_int_eq(chdir(FOLDER), 0);
    unsetenv("ROS_PACKAGE_PATH");
    struct dirent **entries;
    int n = scandir(".", &entries, NULL, alphasort), counts[KINDS] = {0};
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name, *ending = strrchr(name, '.');
        if (ending && strcmp(ending, ".expected") == 0) counts[check(name)]++;
        free(entries[i]);
    }
    free(entries);
    ck_assert_int_eq(chdir("../.."), 0);
    for (int k = 0; k < KINDS; k++) ck_assert_int_ge(counts[k], 15);
    ck_assert_int_ge(counts[URDF] + counts[MJCF] + counts[STL] + counts[OBJ], 190);
}
END_TEST

START_TEST(every_robot_in_the_folder_has_its_errors)
{
    struct dirent **entries;
    int n = scandir(FOLDER, &entries, NULL, alphasort);
    ck_assert_int_gt(n, 180);
    for (int i = 0; i < n; i++) {
        char expected[300];
        const char *name = entries[i]->d_name, *ending = strrchr(name, '.');
        bool robot = ending && (strcmp(ending, ".urdf") == 0 || strcmp(ending, ".xml") == 0);
        snprintf(expected, sizeof expected, "%s/%.*s.expected", FOLDER, (int)(ending ? ending - name : 0), name);
        ck_assert_msg(!robot || access(expected, R_OK) == 0, "%s has no .expected", name);
        free(entries[i]);
    }
    free(entries);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/malformed");
    TCase *cases = tcase_create("malformed");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, every_malformed_file_is_refused_with_its_exact_errors);
    tcase_add_test(cases, every_robot_in_the_folder_has_its_errors);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
