#!/bin/sh
# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

# no_gpl_symbols.sh FILE...: none of the files asks for a function of CHOLMOD's GPL modules (Supernodal, MatrixOps,
# Modify, GPU); its LGPL core is all that is used.

set -u
command -v nm >/dev/null || { echo "nm is missing (package binutils)"; exit 77; }

gpl='^cholmod_(l_)?(super|gpu|updown|rowadd|rowdel|sdmult|norm_|scale$|horzcat|vertcat|submatrix|symmetry|ssmult|drop$)'
for file in "$@"; do
    wanted=$(nm -D --undefined-only "$file") || exit 1
    found=$(printf '%s\n' "$wanted" | awk '{print $NF}' | sed 's/@.*//' | grep -E "$gpl")
    if [ -n "$found" ]; then
        echo "$file uses GPL functions: $found"
        exit 1
    fi
done

# the pattern itself must bite, and the first file must be one that uses CHOLMOD at all
printf 'cholmod_super_numeric\n' | grep -qE "$gpl" || exit 1
nm -D --undefined-only "$1" | grep -q cholmod_ || { echo "$1 does not use CHOLMOD"; exit 1; }
