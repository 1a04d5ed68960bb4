#!/usr/bin/env bash
# Checks the documentation without the time of a whole site: bash deploy/lib/docs/check.sh FOLDER
#
# FOLDER contains the modules of a build, as `swift build --show-bin-path` prints it. DocC converts every catalogue with
# the symbols of these modules. A warning, such as a link to an article or symbol that does not exist, is an error.
set -euo pipefail
cd "$(dirname "$0")/../../.."

built=${1:?expected the folder of a build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The module maps of C code, which the modules import.
maps=()
while IFS= read -r map; do maps+=(-Xcc "-fmodule-map-file=$map"); done < <(
    find "$built/../../checkouts" Sources -path "*Sources/*" -name module.modulemap
    find "$built" -mindepth 2 -maxdepth 2 -name module.modulemap)

target=$(swift -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')
failed=
for catalogue in Sources/*/*.docc; do
    module=$(basename "$catalogue" .docc)
    mkdir "$work/$module"
    swift-symbolgraph-extract -module-name "$module" -target "$target" -I "$built/Modules" "${maps[@]}" \
        -Xcc -I/usr/include/libxml2 -minimum-access-level public -skip-inherited-docs -emit-extension-block-symbols \
        -output-dir "$work/$module"
    docc convert "$catalogue" --warnings-as-errors --no-transform-for-static-hosting --fallback-display-name "$module" \
        --additional-symbol-graph-dir "$work/$module" --output-path "$work/$module.doccarchive" >"$work/printed" 2>&1 ||
        { cat "$work/printed" >&2; failed="$failed $module"; }
    rm -rf "$work/$module.doccarchive"
done
[ -z "$failed" ] || { echo "gatefold: the documentation has warnings:$failed" >&2; exit 1; }
