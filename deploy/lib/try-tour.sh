#!/usr/bin/env bash
# Starts deploy/run with a separate home folder, runs the lines that it prints, and checks their output.
set -euo pipefail
cd "$(dirname "$0")/../.."
. deploy/lib/setup.sh

home=$(mktemp -d) project=$PWD
# Two adjacent ports, for requests and for health, below the kernel's range of client ports. A build runs between this check
# and the start of the server, and a port that a client has used stays busy for a minute.
port=$(python3 - <<'END'
import random, socket

lent = int(open("/proc/sys/net/ipv4/ip_local_port_range").read().split()[0])
first = max(1024, lent - 10_000)
for port in random.sample(range(first, first + 9_999), 100):
    try:
        with socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", port))
            other.bind(("127.0.0.1", port + 1))
    except OSError:
        continue
    print(port)
    break
else:
    raise SystemExit("found no two adjacent free ports")
END
)
GATEFOLD_HOME=$home/home deploy/run --port "$port" >"$home/out" 2>"$home/err" &
run=$!
trap 'kill -TERM $run 2>/dev/null || true; wait $run 2>/dev/null || true; rm -rf "$home"' EXIT

expect() {
    printf '%s' "$2" | grep -q -- "$1" || { cat "$home/err" >&2; fail "the tour: expected $1 in: $2"; }
    say "as expected: $1"
}

for _ in $(seq 2400); do
    grep -q 'Stop with Ctrl-C' "$home/out" && break
    kill -0 $run 2>/dev/null || { cat "$home/err" >&2; fail "deploy/run ended"; }
    sleep 0.5
done
sed -n '/^TOKEN=/,/^curl .*sign_out/p' "$home/out" >"$home/tour"
[ "$(wc -l <"$home/tour")" = 6 ] || fail "deploy/run: expected six lines, got $(cat "$home/out")"
line() { sed -n "$1p" "$home/tour"; }

cd "$home"
eval "$(line 1)"
[ -n "$TOKEN" ] || fail "the tour: no token"
expect 'state="active"' "$(eval "$(line 2)")"
eval "$(line 3)"
expect '^[A-Za-z0-9_-]\{63\}:[0-9a-f]\{40\}$' "$PAIR"
eval "$(line 4)" 2>/dev/null
cmp "$home/edition.zip" "$home/home/editions/daily/com.example.daily.2026-11.zip" || fail "the tour: the download differs"
say "as expected: the resumed download is byte-identical"
expect '403 Forbidden' "$(eval "$(line 5)" 2>/dev/null)"
expect '403 Forbidden' "$(eval "$(line 6)" 2>/dev/null)"
# The link of the console works for five minutes, so that it comes first.
link=$(grep -o 'http://127.0.0.1:[0-9]*/console/sign-in/[^ ]*' "$home/out")
/usr/bin/python3 -B "$project/deploy/lib/browser/console.py" "$link" || fail "the tour: the console"
say "as expected: the console in a browser"
sed -n '/^curl .*\/issues\//,/^curl .*feed$/p' "$home/out" >"$home/tour"
[ "$(wc -l <"$home/tour")" = 3 ] || fail "deploy/run: expected three more lines"
shelf=$(eval "$(line 1)")
expect '"product_id":"com.example.daily.2026-11"' "$shelf"
expect '"product_identifier":"com.example.daily.2026-11"' "$(eval "$(line 2)")"
expect '<title>November 2026</title>' "$(eval "$(line 3)")"
# The free edition, requested as the app does: through the URL of the shelf to the gate.
free=$(printf '%s' "$shelf" | sed -n 's/.*"url":"\([^"]*2026-09[^"]*\)".*/\1/p' | sed 's/:app_id/com.example.daily/; s/:user_id/me/')
curl -sL "$free" | cmp - "$home/home/editions/daily/com.example.daily.2026-09.zip" || fail "the tour: the free edition differs"
say "as expected: a Baker app gets the free edition"
# A purchase in the simulated store. A receipt with another edition in it is forged.
sed -n '/^SALE=/,/^curl .*2026-11$/p' "$home/out" >"$home/tour"
[ "$(wc -l <"$home/tour")" = 4 ] || fail "deploy/run: expected four lines about a purchase"
eval "$(line 1)"
eval "$(line 2)"
expect '<userid>[A-Za-z0-9_-]\{63\}</userid><password>[0-9a-f]\{40\}</password>' "$(eval "$(line 3)")"
expect '<error status="notrecognised"' "$(eval "$(line 4)")"
/usr/bin/python3 -B "$project/deploy/lib/browser/sample_app.py" "http://127.0.0.1:$port/" com.example.daily.2026-11 ||
    fail "the tour: the sample app"
say "as expected: the sample app in a browser"
expect '^600$' "$(stat -c %a "$home/home/secrets/daily")"

# SIGTERM, because a shell starts its background jobs with SIGINT ignored.
kill -TERM $run
status=0
wait $run || status=$?
[ $status = 0 ] || fail "deploy/run ended with status $status after SIGTERM"
say "The tour of deploy/run works"
