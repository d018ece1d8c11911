// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Replay: gives every file of the folders named on the command line to the harness once, in order of their names, each in
// memory that ends with it. So the inputs that fuzzing has found are tested again, without libFuzzer.

#define _XOPEN_SOURCE 700

#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int replay(const char *path)
{
    struct stat info;
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
    if (!file) return 0;
    size_t size = (size_t)info.st_size;
    uint8_t *data = malloc(size ? size : 1);
    FUZZ_CHECK(data != NULL && fread(data, 1, size, file) == size);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++) {
        struct dirent **entries;
        int n = scandir(argv[i], &entries, NULL, alphasort);
        if (n < 0) {
            fprintf(stderr, "cannot read %s\n", argv[i]);
            return 1;
        }
        for (int k = 0; k < n; k++) {
            char path[1024];
            snprintf(path, sizeof path, "%s/%s", argv[i], entries[k]->d_name);
            count += replay(path);
            free(entries[k]);
        }
        free(entries);
    }
    fuzz_finish();
    printf("%d files\n", count);
    return count > 0 ? 0 : 1;
}
