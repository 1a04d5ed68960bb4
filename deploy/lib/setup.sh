# Shared by deploy/run and deploy/test: says what it does, installs what is missing, finds the toolchain.

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
fail() { printf 'gatefold: %s\n' "$*" >&2; exit 1; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# install_packages NAME…: those Debian packages that are not there yet. Their services are not started: what the tests
# and the sample need they start themselves, on ports of their own.
install_packages() {
    local missing=() name
    for name in "$@"; do
        dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
    done
    [ ${#missing[@]} = 0 ] && return 0
    command -v apt-get >/dev/null || fail "needs the packages ${missing[*]}, and this is no Debian or Ubuntu"
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
        fail "needs root or sudo for: apt-get install --no-install-recommends ${missing[*]}"
    say "Installing Debian packages: ${missing[*]}"
    as_root apt-get update -qq >&2 || say "The package lists could not be brought up to date; going on with those there are"
    local policy=/usr/sbin/policy-rc.d status=0
    if [ -e "$policy" ]; then policy=; else
        # Taken away again however this ends: with it in place no service of this machine would start any more.
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
        fail "needs a Swift 6.2 or newer toolchain on PATH: install it from https://www.swift.org/install/linux/"
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' || true)
    version=${version%%$'\n'*}
    case "$version" in
    6.[01] | [0-5].* | '') fail "needs Swift 6.2 or newer, found ${version:-none}: see https://www.swift.org/install/linux/" ;;
    esac
}

# How to build what is to be fast, in release_options: with Swift's own libraries in the program where the toolchain has them to
# put there. It is faster so, and runs where no Swift is installed.
find_release_options() {
    local resources
    resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
    release_options=(-c release)
    [ ! -d "${resources}_static/linux" ] || release_options+=(--static-swift-stdlib)
}

# How to build the optimised tests. The program has its own folder and options, because the tests import what is internal.
optimised_test_folder=.build-tests
optimised_test_options=(-c release -Xswiftc -enable-testing --scratch-path "$optimised_test_folder")

# copy_packages FOLDER: the packages that .build has, for a build folder that does not exist yet.
copy_packages() {
    [ ! -e "$1" ] && [ -e .build/workspace-state.json ] || return 0
    # Under another name until it is whole: the next run would take half of it for all of it.
    rm -rf "$1.new"
    mkdir -p "$1.new"
    cp -a .build/workspace-state.json .build/repositories .build/checkouts "$1.new"
    mv "$1.new" "$1"
}

build_packages="libxml2-dev libsqlite3-dev libcrypt-dev zlib1g-dev pkg-config libpq-dev unixodbc-dev libldap-dev
    libcurl4-openssl-dev libargon2-dev libssl-dev"
