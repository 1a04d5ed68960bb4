# Functions that read what Swift Testing prints. Test names are free text, so that a name can contain words such as "skipped".

# skipped_tests FILE: prints one line for each test that was skipped. Swift Testing marks these lines with an arrow.
skipped_tests() { sed -nE 's/^➜ +(Test .*)/\1/p' "$1"; }

# unended_tests FILE: prints the tests that started but did not end.
unended_tests() {
    comm -23 <(sed -nE 's/^◇ Test (.*) started\.$/\1/p' "$1" | grep -v -e '^case passing' -e '^run$' | sort -u) \
        <(sed -nE 's/^[^ ]+ Test (.*) (passed after|failed after|skipped).*/\1/; T; s/ with [0-9]+ test cases?$//; p' "$1" | sort -u)
}

# failed_tests TITLE FILE: prints the title, the tests that a crash or a time limit interrupted, and the failures.
failed_tests() {
    printf '%s:\n' "$1"
    unended_tests "$2" | sed 's/^/did not end: /'
    # A crash is reported in the middle of a line, and only by its signal.
    grep -aiE -A 12 'recorded an issue|fatal error:|error: |crashed|unexpected signal|time limit was exceeded' "$2" |
        grep -av -e '^◇' -e '^✔' | cut -c -2000 | tail -n 150 || true
    # Such as a crash in a thread that no test awaits.
    tail -n 5 "$2"
}
