# What several scripts need; they source it.

# What they start listens on this machine: a proxy of the environment is not asked for it.
no_proxy=${no_proxy:-${NO_PROXY:-}}
export no_proxy="127.0.0.1,localhost,::1${no_proxy:+,$no_proxy}"

# The packages that use Strata as a user's does share one build folder, so that its modules are built for them once. SwiftPM keeps
# one plan in a folder, and would take that of another package for its own: each time it is made anew.
programs=(--scratch-path .build-programs --disable-build-manifest-caching)

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

can_be_root() { [ "$(id -u)" = 0 ] || command -v sudo >/dev/null 2>&1; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; elif can_be_root; then sudo "$@"; else
        say "needs root to run: $*"
        exit 1
    fi
}

# apt_install PACKAGE…: without what they merely recommend.
apt_install() {
    if ! command -v apt-get >/dev/null 2>&1; then
        say "please install $* (Debian's names) with this system's package manager"
        return 1
    fi
    if ! can_be_root; then
        say "somebody with root has to run: apt-get install $*"
        return 1
    fi
    say "installing $*"
    as_root apt-get update -qq \
        && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# apt_install_stopped PACKAGE…: servers, which their packages would start at once.
apt_install_stopped() {
    local policy=/usr/sbin/policy-rc.d
    if [ -e "$policy" ] || ! command -v apt-get >/dev/null 2>&1 || ! can_be_root; then
        apt_install "$@"
        return
    fi
    # In a shell of its own: however that ends, the file goes.
    (
        trap 'as_root rm -f "$policy"' EXIT
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
        as_root chmod +x "$policy"
        apt_install "$@"
    )
}

# free_port PYTHON: a port of 127.0.0.1 that nobody listens on now.
free_port() {
    "$1" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# await_bench_server LOG: waits until Benchmarks/server.py, whose output goes there, listens, and prints its port.
await_bench_server() {
    local port
    for _ in $(seq 100); do
        port=$(sed -n 's/^ready on //p' "$1")
        if [ -n "$port" ]; then
            printf '%s\n' "$port"
            return
        fi
        sleep 0.1
    done
    say "the server does not start: $(tail -n 1 "$1")"
    return 1
}

# make_venv FOLDER PACKAGE…: a virtual environment with these packages from PyPI, unless it is there. PYTHON chooses the interpreter.
make_venv() {
    local folder=$1 interpreter=${PYTHON:-python3}
    shift
    if [[ -f $folder/installed && $(<"$folder/installed") == "$*" ]]; then return; fi
    if ! command -v "$interpreter" >/dev/null 2>&1; then
        say "needs $interpreter"
        return 1
    fi
    rm -rf "$folder"
    mkdir -p "${folder%/*}"
    if ! "$interpreter" -m venv "$folder" >&2; then
        say "cannot make a virtual environment (Debian and Ubuntu: apt install python3-venv)"
        return 1
    fi
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@" >&2 \
        && printf '%s\n' "$*" >"$folder/installed"
}

# module_flags BIN: sets `flags` to what the compiler needs to import the modules that were built there.
module_flags() {
    local map
    flags=(-I "$1/Modules")
    for map in Sources/*/module.modulemap Sources/*/include/module.modulemap; do flags+=(-I "${map%/*}"); done
}

# language_flags: sets `language` to the features of the language that the manifest opts in to.
language_flags() {
    local feature
    language=()
    for feature in $(sed -n '/^let features = \[/,/^\]/p' Package.swift | grep -oE '"[A-Za-z]+"' | tr -d '"'); do
        language+=(-enable-upcoming-feature "$feature")
    done
}
