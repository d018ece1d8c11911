# SPDX-FileCopyrightText: the tractrix authors
# SPDX-License-Identifier: BSD-3-Clause

# Shared by scripts/run and scripts/test: installing what is missing with apt, configuring and compiling with meson.
# All messages go to stderr, so that stdout belongs to the command that is run. Sourced, with `root` set to the
# top of the source tree and `me` to the name of the script.

# packages that building and running need; the player inlines the two JavaScript libraries
build_packages="meson ninja-build gcc libc6-dev pkg-config libyaml-dev libexpat1-dev libqhull-dev libopenblas-serial-dev liblapacke-dev libsuitesparse-dev
coinor-libipopt-dev libjs-three libjs-dygraphs"

say() {
    printf '%s: %s\n' "$me" "$*" >&2
}

fail() {
    say "$*"
    exit 1
}

# names of the packages given that are not installed
missing_packages() {
    for package in "$@"; do
        state=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) || state=
        [ "$state" = "install ok installed" ] || printf '%s ' "$package"
    done
}

# need PACKAGE...: installs what is missing; the network is used only then
need() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        command -v meson >/dev/null || fail "no apt here: install by hand what these Debian packages hold: $(echo $*)"
        return 0
    fi
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0

    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "run as root, or install first: apt-get install $missing"
        as_root=sudo
    fi
    say "installing $missing"
    log=$(mktemp) || fail "cannot create a temporary file"
    apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get"
    $apt update >"$log" 2>&1 || say "apt-get update failed; trying with what is known"
    if ! $apt install -y --no-install-recommends $missing >>"$log" 2>&1; then
        reason=$(grep '^E: ' "$log" | head -1)
        fail "could not install $missing(${reason:-see $log})"
    fi
    rm -f "$log"
}

# build DIR TARGETS MESON-OPTIONS...: configures on first use, compiles what changed; output goes to DIR/build.log.
# TARGETS is one word ("" for all). Returns non-zero after printing the end of the log. Two at once take turns.
build() {
    mkdir -p "$1" 2>/dev/null && : 2>/dev/null >"$1/build.lock" || fail "cannot write to $1"
    (
        flock 9
        build_locked "$@"
    ) 9>"$1/build.lock"
}

build_locked() {
    dir=$1 targets=$2
    shift 2
    log=$dir/build.log
    if [ ! -f "$dir/build.ninja" ]; then
        say "configuring $dir"
        if ! meson setup "$@" "$dir" "$root" >"$log" 2>&1; then
            tail -n 20 "$log" >&2
            say "configuring failed (log: $log)"
            return 1
        fi
    fi
    if ! ninja -C "$dir" -n $targets 2>/dev/null | grep -q 'no work to do'; then
        say "compiling in $dir"
        if ! ninja -C "$dir" $targets >"$log" 2>&1; then
            grep -v '^\[[0-9/]*\] [CLG]' "$log" | tail -n 40 >&2
            say "compiling failed (log: $log)"
            return 1
        fi
    fi
}
