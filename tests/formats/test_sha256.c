// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// SHA-256 against the vectors of FIPS 180-4 and against lengths around the edges of a block.

#include "formats/sha256.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static void check(const char *text, size_t length, const char *expected)
{
    char hex[65];
    trxi_sha256(text, length, hex);
    ck_assert_str_eq(hex, expected);
}

START_TEST(published_vectors_are_met)
{
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    check("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check(two, strlen(two), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    check(million, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}
END_TEST

START_TEST(lengths_around_a_block_are_padded_right)
{
    char a[128];
    memset(a, 'a', sizeof a);
    check(a, 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    check(a, 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    check(a, 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
    check(a, 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    check(a, 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0");
    check(a, 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
    check(a, 120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c");
    check(a, 128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/sha256");
    TCase *cases = tcase_create("sha256");
    tcase_add_test(cases, published_vectors_are_met);
    tcase_add_test(cases, lengths_around_a_block_are_padded_right);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
