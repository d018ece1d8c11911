// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// drake_mpc RUN [KEY=VALUE...]: the controller of the task of a run folder as a process, for scripts/drake_plant, whose plant is
// a Python program. Each line of the input has a time and a state, "t x1 x2 ..."; the answer is a line with the command. After
// the end of the input one object of JSON follows: "ticks", "failures", "seconds" of processor time in the controller. KEY=VALUE
// changes the problem file, as --set.

#include "controller.h"

enum { MOST_NUMBERS = 512 };

static bool read_numbers(int count, double *numbers)
{
    for (int i = 0; i < count; i++)
        if (scanf("%lf", &numbers[i]) != 1) return false;
    return true;
}

int main(int argc, char **argv)
{
    static controller c;
    static double x[MOST_NUMBERS + 1], u[MOST_NUMBERS];
    if (argc < 2) return fprintf(stderr, "drake_mpc RUN [KEY=VALUE...]\n"), 2;
    if (!open_controller(&c, argv[1], argc - 2, argv + 2)) return 1;
    const trx_model_size size = trx_model_get_size(c.task.model);
    if (size.nq + size.nv > MOST_NUMBERS || size.nu > MOST_NUMBERS) return fprintf(stderr, "too large\n"), 1;
    while (read_numbers(1 + size.nq + size.nv, x)) {
        act(&c, x[0], x + 1, u);
        for (int i = 0; i < size.nu; i++) printf("%.17g%c", u[i], i + 1 < size.nu ? ' ' : '\n');
        fflush(stdout);
    }
    printf("{");
    print_ticks(&c);
    printf("}\n");
    close_controller(&c);
    return 0;
}
