// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The NPZ writer: its bytes here, its arrays in NumPy where that is installed.

#define _XOPEN_SOURCE 700

#include "formats/npz.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static trx_context *context;
static trxi_text out;

static void setup(void)
{
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    out = trxi_text_create(context);
}

static void teardown(void)
{
    trxi_text_destroy(&out);
    trx_context_destroy(context);
}

// A[k][i][j] = 100 k + 10 i + j, t = (0, 0.5, -1e300, nan), one number, nothing
static trx_status write_sample(trxi_text *text)
{
    double A[2 * 3 * 4], t[4] = {0, 0.5, -1e300, NAN}, one = 7;
    for (int k = 0, n = 0; k < 2; k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 4; j++) A[n++] = 100 * k + 10 * i + j;
    trxi_npz npz = trxi_npz_create(text);
    trxi_npz_add(&npz, "A", 3, (int[]){2, 3, 4}, A);
    trxi_npz_add(&npz, "t", 1, (int[]){4}, t);
    trxi_npz_add(&npz, "one", 0, NULL, &one);
    trxi_npz_add(&npz, "empty", 2, (int[]){0, 5}, NULL);
    return trxi_npz_finish(&npz);
}

static uint32_t number_at(const char *bytes, int size)
{
    uint32_t value = 0;
    for (int i = size - 1; i >= 0; i--) value = value << 8 | (unsigned char)bytes[i];
    return value;
}

START_TEST(crc_matches_the_published_check_value)
{
    ck_assert_uint_eq(trxi_crc32(0, "123456789", 9), 0xCBF43926u);
    ck_assert_uint_eq(trxi_crc32(trxi_crc32(0, "1234", 4), "56789", 5), 0xCBF43926u);
    ck_assert_uint_eq(trxi_crc32(0, "", 0), 0);
}
END_TEST

START_TEST(directory_headers_and_checksums_agree)
{
    trxi_text_string(&out, "before"); // offsets count from the beginning of the archive
    ck_assert_int_eq(write_sample(&out), TRX_OK);
    const char *zip = out.data + 6, *end = out.data + out.length - 22;
    ck_assert_uint_eq(number_at(end, 4), 0x06054b50);
    ck_assert_uint_eq(number_at(end + 10, 2), 4);
    const char *entry = zip + number_at(end + 16, 4);
    ck_assert_ptr_eq(entry + number_at(end + 12, 4), end);
    static const char *const names[] = {"A.npy", "t.npy", "one.npy", "empty.npy"};
    static const uint32_t counts[] = {24, 4, 1, 0};
    for (int i = 0; i < 4; i++) {
        uint32_t name_length = number_at(entry + 28, 2), size = number_at(entry + 24, 4);
        const char *local = zip + number_at(entry + 42, 4), *content = local + 30 + name_length;
        ck_assert_uint_eq(number_at(entry, 4), 0x02014b50);
        ck_assert_uint_eq(number_at(local, 4), 0x04034b50);
        ck_assert_mem_eq(entry + 46, names[i], name_length);
        ck_assert_mem_eq(local + 30, names[i], name_length);
        ck_assert_mem_eq(local + 14, entry + 16, 12); // checksum and both sizes
        ck_assert_uint_eq(number_at(entry + 16, 4), trxi_crc32(0, content, size));
        ck_assert_uint_eq(size, 128 + 8 * counts[i]);
        ck_assert_mem_eq(content, "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (", 61);
        ck_assert_int_eq(content[127], '\n');
        entry += 46 + name_length;
    }
}
END_TEST

START_TEST(bad_arrays_are_refused)
{
    double x = 0;
    trxi_npz npz = trxi_npz_create(&out);
    trxi_npz_add(&npz, "a/b", 0, NULL, &x);
    ck_assert_int_eq(trxi_npz_finish(&npz), TRX_ERR_ARGUMENT);
    npz = trxi_npz_create(&out);
    trxi_npz_add(&npz, "x", 4, (int[]){1, 1, 1, 1}, &x);
    ck_assert_int_eq(trxi_npz_finish(&npz), TRX_ERR_ARGUMENT);
    npz = trxi_npz_create(&out);
    trxi_npz_add(&npz, "x", 3, (int[]){100000, 100000, 100000}, &x);
    ck_assert_int_eq(trxi_npz_finish(&npz), TRX_ERR_CAPACITY);
    npz = trxi_npz_create(&out);
    trxi_npz_add(&npz, "x", 1, (int[]){-1}, &x);
    ck_assert_int_eq(trxi_npz_finish(&npz), TRX_ERR_CAPACITY);
}
END_TEST

START_TEST(exhausted_memory_is_a_status_at_every_allocation)
{
    int failures = 0;
    for (int k = 2;; k++) {
        counting_allocator counter = {.fail_at = k};
        trx_context_settings settings = counting_settings(&counter);
        trx_context *poor;
        ck_assert_int_eq(trx_context_create(&settings, &poor), TRX_OK);
        trxi_text text = trxi_text_create(poor);
        trx_status status = write_sample(&text);
        trxi_text_destroy(&text);
        trx_context_destroy(poor);
        ck_assert_int_eq(counter.outstanding, 0);
        if (status == TRX_OK) break;
        ck_assert_int_eq(status, TRX_ERR_MEMORY);
        failures++;
    }
    ck_assert_int_gt(failures, 3);
}
END_TEST

static int run(const char *interpreter, const char *program, const char *path)
{
    char command[2048];
    snprintf(command, sizeof command, "%s -c \"%s\" %s 2>&1", interpreter, program, path);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

START_TEST(numpy_reads_the_same_arrays)
{
    static const char *const interpreters[] = {"python3", "/usr/bin/python3"};
    const char *python = NULL;
    for (int i = 0; i < 2 && !python; i++)
        if (run(interpreters[i], "import importlib.util as u, sys; sys.exit(u.find_spec('numpy') is None)", "") == 0)
            python = interpreters[i];
    if (!python) return; // the structure is checked above

    ck_assert_int_eq(write_sample(&out), TRX_OK);
    char path[TEMPORARY_PATH];
    temporary_path(path, "tractrix_npz_XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq((int)write(fd, out.data, out.length), (int)out.length);
    close(fd);
    int status = run(python,
        "import sys, zipfile, numpy as np\n"
        "assert zipfile.ZipFile(sys.argv[1]).testzip() is None\n"
        "z = np.load(sys.argv[1], allow_pickle=False)\n"
        "assert sorted(z.files) == ['A', 'empty', 'one', 't'], z.files\n"
        "k, i, j = np.mgrid[0:2, 0:3, 0:4]\n"
        "assert z['A'].dtype == np.float64 and np.array_equal(z['A'], 100 * k + 10 * i + j)\n"
        "assert np.array_equal(z['t'], [0, 0.5, -1e300, np.nan], equal_nan=True)\n"
        "assert z['one'].shape == () and z['one'] == 7 and z['empty'].shape == (0, 5)\n", path);
    unlink(path);
    ck_assert_int_eq(status, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/npz");
    TCase *cases = tcase_create("npz");
    tcase_set_timeout(cases, 60);
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, crc_matches_the_published_check_value);
    tcase_add_test(cases, directory_headers_and_checksums_agree);
    tcase_add_test(cases, bad_arrays_are_refused);
    tcase_add_test(cases, exhausted_memory_is_a_status_at_every_allocation);
    tcase_add_test(cases, numpy_reads_the_same_arrays);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
