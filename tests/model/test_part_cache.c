// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The cache of convex parts: written only where it was told to, read bit for bit, and never believed when it is damaged.

#define _POSIX_C_SOURCE 200809L

#include "formats/files.h"
#include "geometry/solids.h"
#include "model/part_cache.h"
#include "support/folders.h"
#include "support/parser.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static solid s;
static char folder[TEMPORARY_PATH];



static void open_cache(void)
{
    temporary_path(folder, "cacheXXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    trx_context_settings settings = trx_context_settings_default();
    char inner[TEMPORARY_PATH + 8];
    snprintf(inner, sizeof inner, "%s/a/b", folder);
    settings.cache = inner;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    memset(inner, 'x', sizeof inner); // the context has its own copy
    pool = trxi_pool_create(context);
    make_cells(&s, (int[3]){3, 2, 1}, "#.#"
                                      "###",
               0.1);
}

static void close_cache(void)
{
    trxi_pool_destroy(pool);
    trx_context_destroy(context);
    remove_all(folder);
}

static trxi_convex_parts divide(trx_context *with, int most)
{
    trx_decomposition settings = trx_decomposition_default();
    settings.most = most, settings.share = 0.05;
    trxi_convex_parts parts;
    ck_assert_int_eq(trxi_parts_of(with, pool, &s.mesh, &settings, &parts), TRX_OK);
    return parts;
}

static void check_same(const trxi_convex_parts *a, const trxi_convex_parts *b)
{
    ck_assert_int_eq(a->npart, b->npart);
    ck_assert(a->excess == b->excess && a->tolerance == b->tolerance && a->cell == b->cell);
    for (int i = 0; i < a->npart; i++) {
        ck_assert(a->parts[i].nvertex == b->parts[i].nvertex && a->parts[i].ntriangle == b->parts[i].ntriangle);
        ck_assert_mem_eq(a->parts[i].vertices, b->parts[i].vertices, 3 * (size_t)a->parts[i].nvertex * sizeof(double));
        ck_assert_mem_eq(a->parts[i].triangles, b->parts[i].triangles, 3 * (size_t)a->parts[i].ntriangle * sizeof(int));
    }
}

// the path of the only entry, and how many there are
static int find_entry(char path[1024])
{
    char name[TEMPORARY_PATH + 8];
    int count = 0;
    snprintf(name, sizeof name, "%s/a/b", folder);
    DIR *dir = opendir(name);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.') snprintf(path, 1024, "%s/%s", name, e->d_name), count++;
    if (dir) closedir(dir);
    return count;
}

START_TEST(an_entry_gives_the_same_parts_again)
{
    char path[1024];
    const trxi_convex_parts first = divide(context, 8), again = divide(context, 8);
    ck_assert_int_eq(first.npart, 3);
    check_same(&first, &again);
    ck_assert_int_eq(find_entry(path), 1);
    ck_assert_str_eq(trx_context_message(context), "");
    divide(context, 2);
    ck_assert_int_eq(find_entry(path), 2);
    s.vertices[0] -= 0.01;
    divide(context, 8);
    ck_assert_int_eq(find_entry(path), 3);
}
END_TEST

START_TEST(an_entry_is_what_is_read)
{
    // puts the entry of another mesh in place of the entry: the parts of the other mesh are read
    char path[1024], other[1024];
    divide(context, 8);
    find_entry(path);
    char kept[1024 + 8];
    snprintf(kept, sizeof kept, "%s.moved", path);
    ck_assert_int_eq(rename(path, kept), 0);
    const double scale = 2;
    for (int i = 0; i < 3 * s.mesh.nvertex; i++) s.vertices[i] *= scale;
    const trxi_convex_parts large = divide(context, 8);
    ck_assert_int_eq(remove(kept), 0);
    find_entry(other);
    ck_assert_int_eq(rename(other, path), 0);
    for (int i = 0; i < 3 * s.mesh.nvertex; i++) s.vertices[i] /= scale;
    const trxi_convex_parts read = divide(context, 8);
    check_same(&large, &read);
}
END_TEST

START_TEST(damaged_entries_are_made_again)
{
    char path[1024], *bytes;
    size_t length;
    const trxi_convex_parts first = divide(context, 8);
    ck_assert_int_eq(find_entry(path), 1);
    ck_assert_int_eq(trxi_file_read(context, pool, path, 1 << 20, &bytes, &length), TRX_OK);
    for (uint64_t trial = 0; trial < 60; trial += SANITIZED ? 7 : 1) {
        char *broken = exact_copy(bytes, length);
        size_t left = trial % 3 == 0 ? length * (size_t)trial / 60 : length;
        if (left == length) damage(broken, length, trial);
        FILE *file = fopen(path, "wb");
        fwrite(broken, 1, left, file);
        fclose(file);
        free(broken);
        const trxi_convex_parts again = divide(context, 8);
        check_same(&first, &again);
        ck_assert_str_eq(trx_context_message(context), "");
        ck_assert_int_eq(trx_context_error_count(context), 0);
    }
}
END_TEST

START_TEST(without_a_folder_nothing_is_written_and_an_unusable_one_only_costs_time)
{
    trx_context *plain;
    ck_assert_int_eq(trx_context_create(NULL, &plain), TRX_OK);
    const trxi_convex_parts first = divide(plain, 8);
    trx_context_destroy(plain);
    char path[1024];
    ck_assert_int_eq(find_entry(path), 0);

    trx_context_settings settings = trx_context_settings_default();
    settings.cache = "/dev/null/nowhere";
    ck_assert_int_eq(trx_context_create(&settings, &plain), TRX_OK);
    const trxi_convex_parts again = divide(plain, 8);
    ck_assert_str_eq(trx_context_message(plain), "");
    trx_context_destroy(plain);
    check_same(&first, &again);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("part_cache");
    tcase_add_checked_fixture(tcase, open_cache, close_cache);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, an_entry_gives_the_same_parts_again);
    tcase_add_test(tcase, an_entry_is_what_is_read);
    tcase_add_test(tcase, damaged_entries_are_made_again);
    tcase_add_test(tcase, without_a_folder_nothing_is_written_and_an_unusable_one_only_costs_time);
    Suite *suite = suite_create("part_cache");
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
