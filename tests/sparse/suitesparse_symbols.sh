#!/bin/sh
# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

# suitesparse_symbols.sh FILE: of SuiteSparse the library asks for AMD alone, whose licence is BSD. CHOLMOD, partly LGPL and partly
# GPL, is the tests' own.

set -u
command -v nm >/dev/null || { echo "nm is missing (package binutils)"; exit 77; }

wanted=$(nm -D --undefined-only "$1" | awk '{print $NF}' | sed 's/@.*//') || exit 1
found=$(printf '%s\n' "$wanted" | grep -E '^(cholmod|ccolamd|colamd|camd|umfpack|klu|SuiteSparse)_')
[ -z "$found" ] || { echo "$1 asks for $found"; exit 1; }
printf '%s\n' "$wanted" | grep -qx amd_2 || { echo "$1 does not use AMD"; exit 1; }
