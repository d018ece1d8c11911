// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as an archive of arrays. Almost every mutation has a wrong checksum and is refused at once, so every second mutation
// gets right checksums.

#include "formats/npz.h"

#include "fuzz.h"

#include <string.h>

static uint32_t get(const uint8_t *bytes, int count)
{
    uint32_t value = 0;
    for (int i = count - 1; i >= 0; i--) value = value << 8 | bytes[i];
    return value;
}

// writes the checksum of its array into every entry of the directory
static void mend_checksums(uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 46 <= size; i++) {
        if (memcmp(data + i, "PK\1\2", 4) != 0) continue;
        const size_t offset = get(data + i + 42, 4), length = get(data + i + 20, 4);
        if (offset > size || size - offset < 30) continue;
        const size_t array = offset + 30 + get(data + offset + 26, 2) + get(data + offset + 28, 2);
        if (array > size || size - array < length) continue;
        const uint32_t crc = trxi_crc32(0, data + array, length);
        for (int k = 0; k < 4; k++) data[i + 16 + (size_t)k] = (uint8_t)(crc >> 8 * k);
    }
}

// libFuzzer's; absent in the replay
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t largest);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t largest, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t largest, unsigned int seed)
{
    size = LLVMFuzzerMutate(data, size, largest);
    if (seed % 2) mend_checksums(data, size);
    return size;
}

static void check_archive(const trxi_npz_archive *archive, size_t size)
{
    size_t doubles = 0;
    double sum = 0;
    for (int i = 0; i < archive->count; i++) {
        const trxi_npz_array *array = &archive->arrays[i];
        size_t count = 1;
        FUZZ_CHECK(array->name && array->dims >= 0 && array->dims <= TRXI_NPZ_MAX_DIMS);
        for (int k = 0; k < array->dims; k++) count *= (size_t)array->shape[k];
        for (size_t k = 0; k < count; k++) sum += array->data[k];
        doubles += count;
    }
    FUZZ_CHECK(8 * doubles <= size);
    FUZZ_CHECK(sum == sum || sum != sum); // every number is read
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    trx_context *context = fuzz_context();
    trxi_pool *pool = trxi_pool_create(context);
    trxi_npz_archive archive;
    trx_status status = trxi_npz_parse(context, pool, "a.npz", data, size, NULL, &archive);
    FUZZ_CHECK(status == TRX_OK || status == TRX_ERR_INPUT);
    FUZZ_CHECK((status == TRX_OK) == (trx_context_error_count(context) == 0));
    if (status == TRX_OK) check_archive(&archive, size);
    trxi_pool_destroy(pool);
    return 0;
}
