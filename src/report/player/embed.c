// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Build-time program: turns files into C arrays, so that the library carries the player's sources.
//
//     embed OUT NAME=FILE...      const char trxi_player_NAME[], zero terminated;
//                                 consecutive files of one NAME become one array, in the given order

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stop(const char *what, const char *name)
{
    fprintf(stderr, "embed: %s: %s\n", what, name);
    exit(EXIT_FAILURE);
}

static void append_file(FILE *out, const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in) stop("could not read", path);
    size_t count = 0;
    for (int c = fgetc(in); c != EOF; c = fgetc(in)) fprintf(out, "%d,%s", (signed char)c, ++count % 24 == 0 ? "\n" : "");
    if (ferror(in)) stop("could not read", path);
    fclose(in);
}

int main(int argc, char **argv)
{
    if (argc < 3) stop("usage", "embed OUT NAME=FILE...");
    FILE *out = fopen(argv[1], "w");
    if (!out) stop("could not write", argv[1]);
    fputs("#include \"report/player/sources.h\"\n", out);

    const char *name = NULL;
    int length = 0;
    for (int i = 2; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        if (!equals) stop("expected NAME=FILE", argv[i]);
        int this_length = (int)(equals - argv[i]);
        bool same = name && this_length == length && strncmp(name, argv[i], (size_t)length) == 0;
        if (!same) {
            if (name) fputs("0};\n", out);
            name = argv[i];
            length = this_length;
            fprintf(out, "const char trxi_player_%.*s[] = {\n", length, name);
        }
        append_file(out, equals + 1);
    }
    fputs("0};\n", out);
    if (fclose(out) != 0) stop("could not write", argv[1]);
    return EXIT_SUCCESS;
}
