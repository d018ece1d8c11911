// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Versions of tractrix, of its compiler and of its libraries, because results may depend on them.

#include "report/run.h"

#include "sparse/order.h"

#include <tractrix/version.h>
#include <yaml.h>

// OpenBLAS reports its version and kernel; another BLAS may not have the function
extern char *openblas_get_config(void) __attribute__((weak));

int trxi_version_facts(trxi_version_fact facts[TRXI_MAX_VERSION_FACTS])
{
    int n = 0;
    facts[n++] = (trxi_version_fact){"tractrix", trx_version()};
    facts[n++] = (trxi_version_fact){"compiler", __VERSION__};
    facts[n++] = (trxi_version_fact){"libyaml", yaml_get_version_string()};
    facts[n++] = (trxi_version_fact){"amd", trxi_order_version()};
    if (openblas_get_config) facts[n++] = (trxi_version_fact){"blas", openblas_get_config()};
    return n;
}
