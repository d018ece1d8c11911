#!/bin/sh
# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

# staged_install.sh SOURCE BUILD CC...: what a user of the library gets. Installs the build into a temporary folder,
# compiles docs/examples/push.c and mpc.c against it through pkg-config, with the shared and with the static library, and runs it;
# runs docs/examples/push.py with $PYTHON, if set; and nothing but trx_ is visible in either library.

set -eu
source=$1 build=$2
shift 2
cc=$* # a compiler, perhaps behind ccache
for tool in meson pkg-config nm readelf; do
    command -v "$tool" >/dev/null || { echo "$tool is missing"; exit 77; }
done

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
DESTDIR=$stage meson install -C "$build" --no-rebuild --quiet
pc=$(find "$stage" -name tractrix.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
libdir=$(dirname "$PKG_CONFIG_PATH")
echo "installed in $libdir"

flags="-std=c17 -O2 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags tractrix)"
$cc $flags "$source/docs/examples/push.c" $(pkg-config --libs tractrix) -o "$stage/push_shared"
LD_LIBRARY_PATH=$libdir "$stage/push_shared"
static_libs=$(pkg-config --static --libs tractrix | sed 's/-ltractrix/-l:libtractrix.a/')
$cc $flags "$source/docs/examples/push.c" $static_libs -o "$stage/push_static"
"$stage/push_static"

# a receding horizon on a shipped problem
$cc $flags "$source/docs/examples/mpc.c" $(pkg-config --libs tractrix) -lm -o "$stage/mpc"
LD_LIBRARY_PATH=$libdir "$stage/mpc" "$source/problems/push_box.yaml"

# the shared library is the one that was used, and the static one stands alone
readelf -d "$stage/push_shared" | grep -q 'NEEDED.*libtractrix\.so'
if readelf -d "$stage/push_static" | grep -q 'NEEDED.*libtractrix\.so'; then
    echo "push_static needs the shared library"
    exit 1
fi

# the module for Python, in a folder that this Python searches, which the stage has moved; it needs no library of the stage
if [ -n "${PYTHON:-}" ]; then
    module=$(dirname "$(dirname "$(find "$stage" -path '*/tractrix/__init__.py')")")
    "$PYTHON" - "${module#"$stage"}" <<'end'
import sys
if sys.argv[1] not in sys.path and any(folder.startswith('/usr/local/lib') for folder in sys.path):
    sys.exit(f'{sys.argv[1]} is not in {sys.path}')
end
    PYTHONPATH=$module "$PYTHON" -B "$source/docs/examples/push.py" "$source/problems/push_box.yaml"
fi

# every header compiles by itself
for header in "$stage"/*/*/include/tractrix/*.h "$stage"/*/include/tractrix/*.h; do
    [ -f "$header" ] || continue
    printf '#include <tractrix/%s>\ntypedef int not_empty;\n' "$(basename "$header")" | $cc $flags -fsyntax-only -x c -
done

# names: the interface and nothing else
stray=$(nm -D --defined-only "$libdir/libtractrix.so" | awk '{print $NF}' | grep -v '^trx_' || true)
[ -z "$stray" ] || { echo "exported by libtractrix.so: $stray"; exit 1; }
nm -D --defined-only "$libdir/libtractrix.so" | grep -q ' trx_step_jac$'
stray=$(readelf -sW "$libdir/libtractrix.a" | awk '$5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" {print $8}' |
    grep -v '^trx_' || true)
[ -z "$stray" ] || { echo "visible in libtractrix.a: $stray"; exit 1; }

bin=$(find "$stage" -name tractrix -type f -perm -100)
"$bin" version | grep -q '^tractrix [0-9]'
