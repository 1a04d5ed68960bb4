# Functions that read what swift test prints. Test names are free text, so that a name can contain words such as "skipped".

# skipped_tests FILE: prints one line for each test that was skipped. Swift Testing marks these lines with an arrow.
skipped_tests() { sed -nE 's/^➜ +(Test .*)/\1/p' "$1"; }

# unended_tests FILE: prints the tests that started but did not end.
unended_tests() {
    comm -23 <(sed -nE 's/^◇ Test (.*) started\.$/\1/p' "$1" | grep -v -e '^case passing' -e '^run$' | sort -u) \
        <(sed -nE 's/^[^ ]+ Test (.*) (passed after|failed after|skipped).*/\1/; T; s/ with [0-9]+ test cases?$//; p' "$1" | sort -u)
}
