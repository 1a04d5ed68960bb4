# Functions that the scripts in deploy share: print progress, install missing packages, find the toolchain.

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
fail() { printf 'gatefold: %s\n' "$*" >&2; exit 1; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# install_schemathesis: installs schemathesis from PyPI into .build/schemathesis, unless it is there.
install_schemathesis() {
    local folder=.build/schemathesis version=4.32.5
    [ ! -e "$folder/$version" ] || return 0
    say "Installing schemathesis $version from PyPI"
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version" >&2
    touch "$folder/$version"
}

# install_packages NAME…: installs the missing Debian packages. Their services are not started, because the tests and the
# sample start what they need on separate ports.
install_packages() {
    local missing=() name
    for name in "$@"; do
        dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
    done
    [ ${#missing[@]} = 0 ] && return 0
    command -v apt-get >/dev/null || fail "the packages ${missing[*]} are missing, and they can only be installed automatically on Debian or Ubuntu"
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
        fail "root or sudo is required for: apt-get install --no-install-recommends ${missing[*]}"
    say "Installing Debian packages: ${missing[*]}"
    as_root apt-get update -qq >&2 || say "The package lists could not be updated; the existing lists are used"
    local policy=/usr/sbin/policy-rc.d status=0
    if [ -e "$policy" ]; then policy=; else
        # Always removed at the end, because no service of this machine would start while the file exists.
        trap 'as_root rm -f /usr/sbin/policy-rc.d' EXIT
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
        as_root chmod 755 "$policy"
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 || status=$?
    if [ -n "$policy" ]; then
        as_root rm -f "$policy"
        trap - EXIT
    fi
    [ $status = 0 ] || fail "could not install ${missing[*]}"
}

require_toolchain() {
    command -v swift >/dev/null ||
        fail "Swift 6.2 or newer is required on PATH: install it from https://www.swift.org/install/linux/"
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' || true)
    version=${version%%$'\n'*}
    case "$version" in
    6.[01] | [0-5].* | '') fail "Swift 6.2 or newer is required, found ${version:-none}: see https://www.swift.org/install/linux/" ;;
    esac
}

# The options of an optimised build, of the program as of the tests.
release_options=(-c release)

# require_static_libraries: checks that the toolchain has what an optimised program links.
require_static_libraries() {
    local resources
    resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
    [ -d "${resources}_static/linux" ] ||
        fail "the toolchain has no static libraries (${resources}_static): install it from https://www.swift.org/install/linux/"
}

# copy_packages FOLDER: copies the packages of .build into a build folder that does not exist yet.
copy_packages() {
    [ ! -e "$1" ] && [ -e .build/workspace-state.json ] || return 0
    # The copy has another name until it is complete, because the next run would treat a partial copy as complete.
    rm -rf "$1.new"
    mkdir -p "$1.new"
    cp -a .build/workspace-state.json .build/repositories .build/checkouts "$1.new"
    mv "$1.new" "$1"
}

build_packages="libxml2-dev libsqlite3-dev libcrypt-dev zlib1g-dev pkg-config libpq-dev unixodbc-dev libldap-dev
    libcurl4-openssl-dev libargon2-dev libssl-dev"
