// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The NPZ reader: what the writer wrote comes back bit for bit, and no damaged byte gets through silently.

#include "formats/npz.h"
#include "support/support.h"

#include <string.h>

static trx_context *context;
static trxi_pool *pool;
static trxi_text out;
static const double A[2 * 3 * 2] = {0, 1e-300, -0.1, 3, 4, 5, 6, 7, 8, 9, 10, -1e300};

static void setup(void)
{
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    pool = trxi_pool_create(context);
    out = trxi_text_create(context);
    trxi_npz npz = trxi_npz_create(&out);
    trxi_npz_add(&npz, "A", 3, (int[]){2, 3, 2}, A);
    trxi_npz_add(&npz, "none", 2, (int[]){0, 4}, NULL);
    trxi_npz_add(&npz, "one", 0, NULL, A + 3);
    ck_assert_int_eq(trxi_npz_finish(&npz), TRX_OK);
}

static void teardown(void)
{
    trxi_text_destroy(&out);
    trxi_pool_destroy(pool);
    trx_context_destroy(context);
}

START_TEST(arrays_come_back_as_they_were_written)
{
    trxi_npz_archive archive;
    ck_assert_int_eq(trxi_npz_parse(context, pool, "a.npz", out.data, out.length, NULL, &archive), TRX_OK);
    ck_assert_int_eq(archive.count, 3);
    const trxi_npz_array *a = trxi_npz_find(&archive, "A"), *none = trxi_npz_find(&archive, "none");
    ck_assert_int_eq(a->dims, 3);
    ck_assert(a->shape[0] == 2 && a->shape[1] == 3 && a->shape[2] == 2);
    ck_assert_mem_eq(a->data, A, sizeof A);
    ck_assert_int_eq(none->dims, 2);
    ck_assert(none->shape[0] == 0 && none->shape[1] == 4);
    ck_assert_int_eq(trxi_npz_find(&archive, "one")->dims, 0);
    ck_assert_double_eq(trxi_npz_find(&archive, "one")->data[0], 3);
    ck_assert_ptr_null(trxi_npz_find(&archive, "B"));
}
END_TEST

// such an archive, as NumPy writes it too, is its end record alone. It was refused because the record begins at byte 0
START_TEST(an_archive_without_arrays_is_read)
{
    trxi_npz_archive archive;
    trxi_text_clear(&out);
    trxi_npz npz = trxi_npz_create(&out);
    ck_assert_int_eq(trxi_npz_finish(&npz), TRX_OK);
    ck_assert_int_eq(trxi_npz_parse(context, pool, "a.npz", out.data, out.length, NULL, &archive), TRX_OK);
    ck_assert_int_eq(archive.count, 0);
    ck_assert_ptr_null(trxi_npz_find(&archive, "A"));
}
END_TEST

START_TEST(every_cut_is_an_error)
{
    trxi_npz_archive archive;
    for (size_t length = 0; length < out.length; length++) {
        char *copy = trxi_pool_take(pool, length + 1, 1);
        memcpy(copy, out.data, length);
        trx_context_clear(context);
        ck_assert_int_eq(trxi_npz_parse(context, pool, "a.npz", copy, length, NULL, &archive), TRX_ERR_INPUT);
        ck_assert_ptr_nonnull(strstr(trx_context_message(context), "not an archive of arrays"));
    }
}
END_TEST

START_TEST(a_changed_number_is_found_by_its_checksum)
{
    trxi_npz_archive archive;
    int refused = 0, harmless = 0;
    for (size_t i = 0; i < out.length; i++) {
        out.data[i] = (char)(out.data[i] ^ 0x11);
        trx_status status = trxi_npz_parse(context, pool, "a.npz", out.data, out.length, NULL, &archive);
        out.data[i] = (char)(out.data[i] ^ 0x11);
        if (status == TRX_ERR_INPUT) refused++;
        else if (trxi_npz_find(&archive, "A")) {
            // damage to times, versions and other names is harmless: if an array A is found, its numbers are intact
            ck_assert_mem_eq(trxi_npz_find(&archive, "A")->data, A, sizeof A);
            harmless++;
        }
    }
    ck_assert_int_gt(refused, 3 * 128);
    ck_assert_int_gt(harmless, 0);
}
END_TEST

START_TEST(only_wanted_arrays_are_read)
{
    // the damaged array is refused where it is wanted, and nowhere else
    const char *const first[] = {"A", NULL}, *const last[] = {"one", "B", NULL};
    trxi_npz_archive archive;
    out.data[out.length / 8] = (char)(out.data[out.length / 8] ^ 1);
    ck_assert_int_eq(trxi_npz_parse(context, pool, "a.npz", out.data, out.length, first, &archive), TRX_ERR_INPUT);
    ck_assert_int_eq(trxi_npz_parse(context, pool, "a.npz", out.data, out.length, last, &archive), TRX_OK);
    ck_assert_int_eq(archive.count, 1);
    ck_assert_double_eq(trxi_npz_find(&archive, "one")->data[0], 3);
    ck_assert_ptr_null(trxi_npz_find(&archive, "A"));
}
END_TEST

// offset of the next `signature` at or after `from`
static size_t next_signature(size_t from, const char *signature)
{
    while (memcmp(out.data + from, signature, 4) != 0) from++;
    return from;
}

START_TEST(entries_that_share_bytes_are_refused)
{
    // an archive of 2.4 MB whose 8000 entries were one array drove the reader to 8.9 GB
    trxi_npz_archive archive;
    const size_t first = next_signature(0, "PK\1\2"), second = next_signature(first + 4, "PK\1\2");
    memcpy(out.data + second + 16, out.data + first + 16, 12); // checksum and lengths
    memcpy(out.data + second + 42, out.data + first + 42, 4);  // place
    ck_assert_int_eq(trxi_npz_parse(context, pool, "a.npz", out.data, out.length, NULL, &archive), TRX_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(context), "two arrays share bytes"));
}
END_TEST

START_TEST(a_scalar_without_its_number_is_refused)
{
    // the last entry loses its last 8 bytes, which are the number of "one"; the header of 128 bytes stays
    trxi_npz_archive archive;
    size_t last = next_signature(0, "PK\1\2");
    for (int i = 0; i < 2; i++) last = next_signature(last + 4, "PK\1\2");
    unsigned char *entry = (unsigned char *)out.data + last;
    const size_t header = next_signature(0, "PK\1\2") - 8 - 128;
    entry[20] = (unsigned char)(entry[20] - 8);
    const uint32_t crc = trxi_crc32(0, out.data + header, 128);
    for (int i = 0; i < 4; i++) entry[16 + i] = (unsigned char)(crc >> 8 * i);
    ck_assert_int_eq(trxi_npz_parse(context, pool, "a.npz", out.data, out.length, NULL, &archive), TRX_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(context), "an array is shorter than its shape"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/npz_read");
    TCase *cases = tcase_create("npz_read");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, arrays_come_back_as_they_were_written);
    tcase_add_test(cases, an_archive_without_arrays_is_read);
    tcase_add_test(cases, every_cut_is_an_error);
    tcase_add_test(cases, a_changed_number_is_found_by_its_checksum);
    tcase_add_test(cases, only_wanted_arrays_are_read);
    tcase_add_test(cases, entries_that_share_bytes_are_refused);
    tcase_add_test(cases, a_scalar_without_its_number_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
