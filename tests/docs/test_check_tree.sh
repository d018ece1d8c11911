#!/bin/sh
# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

# scripts/check_tree against a small tree: silent on a good one, and one finding for every promise that is broken.
# Usage: test_check_tree.sh SOURCE_ROOT

set -u
check=$1/scripts/check_tree
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# write FILE ROOM-COMMENT [LINE]: a C file with its head
write() {
    mkdir -p "$work/tree/$(dirname "$1")"
    printf '// SPDX-FileCopyrightText: the tractrix authors\n// SPDX-License-Identifier: BSD-3-Clause\n\n%s\n\n%s\n' \
        "$2" "${3:-}" >"$work/tree/$1"
}

make_good_tree() {
    mkdir -p "$work/tree/docs" "$work/tree/scripts"
    printf '# Theory\n\n## 1 State\n\n    r = 0        (1.1)\n\n## 2 Solver\n\n1. one\n2. two\n\n## Later\n\n1. no\n' \
        >"$work/tree/docs/theory.md"
    echo 'See [the theory](theory.md#1-state), [here](#there), [far](https://example.org/a.md).' >"$work/tree/docs/index.md"
    write src/step/step.c '// One step (theory 1, 2).' '#include "math/dense.h"'
    write src/math/dense.c '// Kernels (theory 1.1; theory 2, points 1 and 2).'
    write include/tractrix/step.h '// Steps.' '#include <tractrix/status.h>'
    write tests/step/test_step.c '// The step.'
    write tests/math/test_dense.c '// Kernels.'
    echo "'test_step.c'" >"$work/tree/tests/step/meson.build"
    echo "'test_dense'" >"$work/tree/tests/math/meson.build"

    # what the list of exceptions names must exist
    awk '/^exceptions="/ { on = 1; next } on && /^"/ { exit } on { print $1, $2 }' "$check" |
        while read -r file test; do
            write "$file" '// An exception (theory 1).'
            mkdir -p "$work/tree/$(dirname "$test")"
            [ -e "$work/tree/$test" ] || if [ "${test%.c}" = "$test" ]; then mkdir -p "$work/tree/$test"; else write "$test" '// A test.'; fi
        done
}

# a fresh copy of the good tree
good_tree() {
    rm -rf "$work/tree"
    cp -R "$work/good" "$work/tree"
}

# expect NAME PATTERN: the tree as it is gives exactly one finding, which matches; an empty PATTERN: none
expect() {
    output=$("$check" "$work/tree")
    status=$?
    if [ -z "$2" ]; then
        [ $status -eq 0 ] && return
    elif [ $status -eq 1 ] && printf '%s\n' "$output" | grep -q "$2" &&
        printf '%s\n' "$output" | grep -q '^check_tree: 1 findings$'; then
        return
    fi
    printf 'FAILED: %s\n%s\n' "$1" "$output"
    failed=1
}

make_good_tree
mv "$work/tree" "$work/good"
good_tree
expect "a good tree" ""

good_tree && sed -i 1d "$work/tree/src/math/dense.c" && sed -i '2i\\' "$work/tree/src/math/dense.c"
expect "a missing SPDX line" "^src/math/dense.c:1: no SPDX head"

good_tree && write src/math/dense.c '#include <math.h>'
expect "a file without a comment at the door" "^src/math/dense.c:4: no comment at the door"

good_tree && write src/math/dense.c '// Kernels.' "$(printf '// %0130d' 0)"
expect "a line of 133 columns" "^src/math/dense.c:6: 133 columns, more than 132"

good_tree && write src/math/dense.c '// Kernels.' "$(printf '// %0129d' 0)"
expect "a line of 132 columns" ""

good_tree && write src/math/dense.c '// Kernels.' '#include "step/step.h"'
expect "a room that looks to its right" "^src/math/dense.c:6: math includes step"

good_tree && write src/math/dense.c '// Kernels.' '#include "dense.h"'
expect "an include without its room" "^src/math/dense.c:6: .* does not name its room"

good_tree && write src/python/rollout.c '// Many steps.' '#include "math/dense.h"'
expect "a user of the library that includes a private header" "^src/python/rollout.c:6: python includes .* public headers only"

good_tree && write include/tractrix/step.h '// Steps.' '#include "math/dense.h"'
expect "a public header that includes a private one" "^include/tractrix/step.h:6: a public header"

good_tree && write src/math/dense.c '// Kernels (theory 7).'
expect "a section that does not exist" "^src/math/dense.c:4: cites theory 7,"

good_tree && write src/math/dense.c '// Kernels (theory 1 to 3).'
expect "the end of a range that does not exist" "^src/math/dense.c:4: cites theory 3,"

good_tree && write src/math/dense.c '// Kernels (theory 2.9).'
expect "an equation that does not exist" "^src/math/dense.c:4: cites theory 2.9,"

good_tree && write src/math/dense.c "$(printf '// Kernels (theory 2,\n// point 3).')"
expect "a point that does not exist, over a line end" "^src/math/dense.c:4: cites theory 2, point 3,"

good_tree && write src/step/step.c '// One step.' 'int x; // theory 1'
expect "a mathematical file without a label at the door" "^src/step/step.c:4: no section of theory"

good_tree && echo 'and [more](more.md)' >>"$work/tree/docs/index.md"
expect "a link that leads nowhere" "^docs/index.md:2: links to more.md"

good_tree && rm "$work/tree/tests/step/test_step.c"
expect "a source without a test" "^src/step/step.c:1: has no tests/step/test_step.c"

good_tree && mkdir -p "$work/tree/src/python/tractrix" && printf '# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause
' >"$work/tree/src/python/tractrix/sums.py"
expect "a Python file without a test" "^src/python/tractrix/sums.py:1: has no tests/python/test_sums.py"

good_tree && : >"$work/tree/tests/math/meson.build"
expect "a test that is not built" "^tests/math/test_dense.c:1: is not built"

# write_circle: step.c calls dense.c, which calls back
write_circle() {
    write src/step/step.c '// One step (theory 1).' 'void trxi_step(void)
{
    trxi_multiply(); // here
}'
    write src/math/dense.c '// Kernels.' 'void trxi_multiply(void)
{
    trxi_step();
}'
}

good_tree && write_circle
expect "two files that call each other" "^src/math/dense.c:8: a circle: src/math/dense.c -> trxi_step in src/step/step.c -> trxi_multiply"

good_tree && write_circle && sed -i 's/    trxi_step/    \/\/ trxi_step/' "$work/tree/src/math/dense.c"
expect "a name in a comment is no call" ""

good_tree && write_circle && sed -i 's/^void trxi_step/static void trxi_step/' "$work/tree/src/step/step.c"
expect "a static name is its file's own" ""

good_tree && write src/math/a.h '// A.' '#include "math/b.h"' && write src/math/b.h '// B.' '#include "math/a.h"'
expect "headers that include each other" "^src/math/a.h:6: a circle: src/math/a.h -> its include in src/math/b.h -> its include in src/math/a.h"

good_tree && rm "$work/tree/$(cd "$work/tree" && find src -name version.c)"
expect "an exception for a file that is gone" "src/base/version.c is excepted but does not exist"

[ $failed -eq 0 ] && echo "all findings found"
exit $failed
