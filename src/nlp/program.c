// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The program tractrix-ipopt: its place, its longest silence, and the meaning of its result; see program.h.

#include "nlp/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const double SILENCE = 120;      // [s]
static const double SHORT_SILENCE = 10; // with limited memory, because BLAS waits forever when memory is out [s]

// ---- where ----

static bool is_program(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode) && access(path, X_OK) == 0;
}

// writes the path of the program; returns false if there is no program, with the last tried path
static bool find(char path[TRXI_NLP_PATH])
{
    static const char *const places[] = {"", "../libexec/"};
    char here[TRXI_NLP_PATH] = "";
    const char *named = getenv("TRACTRIX_IPOPT");
    if (named) snprintf(path, TRXI_NLP_PATH, "%s", named);
    if (named) return is_program(path);
    const ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
    char *slash = length > 0 ? strrchr(here, '/') : NULL;
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        slash[1] = '\0';
        const int written = snprintf(path, TRXI_NLP_PATH, "%s%stractrix-ipopt", here, places[i]);
        if (written > 0 && written < TRXI_NLP_PATH && is_program(path)) return true;
    }
    snprintf(path, TRXI_NLP_PATH, "%s/tractrix-ipopt", TRX_LIBEXECDIR);
    return is_program(path);
}

trx_status trxi_nlp_find(trx_context *context, char path[TRXI_NLP_PATH])
{
    if (find(path)) return TRX_OK;
    return trxi_fail(context, TRX_ERR_UNSUPPORTED, "no program %.3000s: build with Ipopt, or name the program in TRACTRIX_IPOPT",
                     path);
}

// ---- how long ----

double trxi_nlp_silence(int memory_limit)
{
    struct rlimit limit;
    const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited || memory_limit > 0 ? SHORT_SILENCE : SILENCE;
}

// ---- the end ----

trx_status trxi_nlp_read_result(int result, const char **text)
{
    static const struct {
        int result;
        const char *text;
    } known[] = {{0, "solved"}, {1, "solved to a weaker tolerance"}, {2, "the problem seems infeasible"},
                 {3, "the step became too small"}, {4, "the iterates diverge"}, {-2, "the restoration of feasibility failed"},
                 {-3, "no step could be computed"}, {-13, "a value at the start could not be computed"}, {-102, "out of memory"}};
    *text = "it failed";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].result == result) *text = known[i].text;
    return result == 0 || result == 1 ? TRX_OK : result == -102 ? TRX_PROCESS_LOST : TRX_STALLED;
}
