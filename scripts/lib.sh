# What several scripts need; they source it.

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null 2>&1; then sudo "$@"; else
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
    say "installing $*"
    as_root apt-get update -qq \
        && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
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
