"""Compares this server with its peers, alternating between them, in one run. deploy/bench builds, installs and starts it."""

import argparse
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import cases
import footprint
import load
import provenance
import readers
import report
import servers
import verification
from load import Peer, Request
from readers import EDITION, SMALL

IDLE = 10_000
# The RSS limit with IDLE plain connections, in megabytes, and the permitted relative change of memory after long load.
IDLE_BAR, GROWTH_BAR = 170, 0.05
# The minimum duration, in minutes, for the bar of memory under load.
LONG = 60
# The servers that are measured at a constant rate.
BOTH = ("gatefold", "go")


def say(text):
    print(f"==> {text}", file=sys.stderr, flush=True)


def pattern(text):
    try:
        re.compile(text)
    except re.error as wrong:
        raise argparse.ArgumentTypeError(f"expected a regular expression, found {text}: {wrong}") from None
    return text


def end(number, _):
    """Exits so that all clean-up code runs, and ignores further signals meanwhile."""
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)


def parser_with_programs(**options):
    """Returns a parser of the options that deploy/bench passes, and of those for all measurements."""
    parser = argparse.ArgumentParser(**options)
    parser.add_argument("--gatefold", required=True)
    parser.add_argument("--go", required=True)
    parser.add_argument("--loader", required=True)
    parser.add_argument("--caller", default=".", help="the folder to which --out is relative")
    parser.add_argument("--out", help="the folder for tables, JSON and plot (default: .gatefold/bench in the checkout)")
    parser.add_argument("--seconds", type=int, default=6, help="the duration of each measurement in seconds (default: 6)")
    parser.add_argument("--only", default="", type=pattern, help="run only the cases whose name matches this regular expression")
    parser.add_argument("--micro", help="the program gatefold-bench, whose micro-benchmarks also run")
    parser.add_argument("--swift", help="the compiler's version, for the report")
    parser.add_argument("--build", help="the build options, for the report")
    return parser


def run_in_folder(arguments, measure):
    """Calls a function with a folder for the run and its servers. Stops the servers and removes the folder at any end."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    with tempfile.TemporaryDirectory(prefix="gatefold-bench-") as folder:
        run = pathlib.Path(folder)
        servers.make_certificate(run)
        fleet = servers.Fleet(arguments.gatefold, run, readers.prepare(run))
        try:
            measure(fleet)
        finally:
            fleet.stop()


def folder_of(arguments):
    return pathlib.Path(arguments.caller) / arguments.out if arguments.out else pathlib.Path(".gatefold/bench")


def main():
    parser = parser_with_programs(prog="deploy/bench")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory-minutes", type=int, default=3,
                        help="minutes of load; memory at the end is compared with memory after a minute; 0 skips it (default: 3)")
    parser.add_argument("--markdown", action="store_true", help="print the tables for the article Performance instead")
    arguments = parser.parse_args()
    there = [*cases.NAMES, "idle connections"]
    there += ["memory"] if arguments.memory_minutes > 0 else []
    there += ["micro"] if arguments.micro else []
    if not any(re.search(arguments.only, name) for name in there):
        parser.error(f"--only: no case matches {arguments.only}; there are:\n  " + "\n  ".join(there))
    # For the server, which reserves a file for each idle connection, and for the other ends.
    files = footprint.open_files(3 * IDLE)
    run_in_folder(arguments, lambda fleet: measure_all(arguments, fleet, files))


def measure_all(arguments, fleet, files):
    # Recorded before the measurements, because the checkout may change during them.
    made = provenance.made(arguments.swift, arguments.build, arguments.go, servers.php_program())
    generator = load.Generator(arguments.loader)
    upstream = fleet.gatefold("upstream", UPSTREAM=1)
    selected = [name for name in cases.NAMES if re.search(arguments.only, name)]
    if len(load.CORES) < 2 and cases.DOWNLOAD_LARGE in selected:
        selected.remove(cases.DOWNLOAD_LARGE)
    measured = measure_cases(arguments, fleet, upstream, generator, selected) if selected else {}
    standings = stand(arguments, fleet, upstream, generator, files)
    micro = json.loads(subprocess.run(
        [arguments.micro, "micro", "--json"], capture_output=True, text=True, check=True).stdout) \
        if arguments.micro and re.search(arguments.only, "micro") else []
    verdict = report.bars(report.all_medians(measured), cases.BARS) \
        + report.standing_bars(standings, IDLE, IDLE_BAR, LONG, GROWTH_BAR)
    settings = {
        "rounds": arguments.rounds, "seconds": arguments.seconds, "only": arguments.only,
        "memory_minutes": arguments.memory_minutes}
    result = report.Report(measured, standings, micro, verdict, settings, made)
    folder = folder_of(arguments)
    result.write(folder)
    print(result.markdown() if arguments.markdown else result.text())
    say(f"Written to {folder}: bench.txt, bench.md, bench.json and bench.svg")


def measure_cases(arguments, fleet, upstream, generator, selected):
    """Returns the rounds of each peer of each selected case."""
    compared, lines, token, authorization = start_servers(arguments, fleet, upstream, selected)
    chosen = [case for case in cases.all_cases(compared, lines) if case.name in selected]
    verification.check(chosen)
    verification.check_rejections([
        Peer("gatefold", compared.gatefold.port, None, []), Peer("gatefold", compared.gatefold_tls.port, None, [], "h2"),
        Peer("go", compared.go.port, None, []), Peer("go", compared.go.ports["SECURE"], None, [], "h2")], token, authorization)
    measured = {case.name: {peer.name: [] for peer in case.peers} for case in chosen}

    def in_turn(peers, turn):
        return peers if turn % 2 == 0 else reversed(peers)

    for turn in range(arguments.rounds):
        say(f"Round {turn + 1} of {arguments.rounds}")
        for case in chosen:
            for peer in in_turn(case.peers, turn):
                measured[case.name][peer.name].append(case.measure(generator, peer, arguments.seconds))
    calls = [case for case in chosen if case.is_call]
    # The same rate for both servers: half of what the slower one reached.
    rates = {
        case.name: min(report.medians(measured[case.name][name])["per_second"] for name in BOTH) / 2 for case in calls}
    for turn in range(arguments.rounds):
        say(f"Round {turn + 1} of {arguments.rounds}, at a constant rate")
        for case in calls:
            for peer in in_turn([peer for peer in case.peers if peer.name in BOTH], turn):
                result = generator.constant_rate(peer, case.connections, arguments.seconds, rates[case.name])
                measured[case.name][peer.name][turn] |= {
                    "open_rate": rates[case.name], **{f"open_{key}": result[key] for key in ("p50", "p99", "lag_p99")}}
    return measured


def start_servers(arguments, fleet, upstream, selected):
    """Starts the compared servers, and fills their caches. Returns them, the files of tokens, and one token and authorization."""
    ours = fleet.gatefold("gatefold", UPSTREAM=upstream.port)
    secure = fleet.gatefold("gatefold-tls", tls=True, UPSTREAM=upstream.port)
    # Both load the feed before they can sign a reader in.
    connection = readers.Connection(ours.port)
    connection.sign_in("ada", "/house/sign_in")
    readers.Connection(secure.port, secure=True).sign_in("ada", "/house/sign_in")
    go = fleet.go(arguments.go, fleet.run / f"feed-{ours.port}/readers.sqlite")

    say(f"Signing in {readers.READERS:,} readers")
    tokens = readers.sign_all_in(ours.port, 1)
    over_tls = readers.Connection(secure.port, secure=True)
    for token in tokens:
        over_tls.verify(token)
    columns = {
        "tokens": tokens, "names": readers.names(), "sessions": [],
        "authorizations": [
            "\t".join(connection.authorization(token, edition) for edition in (SMALL, EDITION)) for token in tokens]}
    if cases.SESSIONS in selected:
        say(f"Signing in {readers.READERS:,} readers, {readers.SESSIONS} times each")
        columns["sessions"] = readers.sign_all_in(ours.port, readers.SESSIONS)
    lines = {name: fleet.run / f"lines-{name}" for name in columns}
    for name, column in columns.items():
        lines[name].write_text("".join(line + "\n" for line in column))

    # A new connection, because the server closes idle ones.
    connection = readers.Connection(ours.port)
    nginx = fleet.nginx(ours.port, returns({
        "/verify_subscription": connection.fetch(f"/verify_subscription?token={tokens[0]}"),
        "/auth-request/original-uri": (200, ""), "/healthz": connection.fetch("/healthz")}))
    return cases.Servers(ours, secure, go, nginx, fleet.php()), lines, tokens[0], columns["authorizations"][0].split("\t")[1]


def returns(responses):
    """Returns nginx locations that repeat the responses of Gatefold."""
    lines = []
    for path, (status, text) in responses.items():
        assert "$" not in text, "nginx would read a dollar sign as a variable"
        quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        lines.append(f'        location = {path} {{ return {status} "{quoted}"; }}')
    return "\n".join(lines)


def stand(arguments, fleet, upstream, generator, files):
    """Measures idle connections and memory, each with a separate, newly started server."""
    result = {}
    if re.search(arguments.only, "idle connections"):
        for key, tls in (("idle", False), ("idle_tls", True)):
            server = fleet.gatefold(key, tls=tls, UPSTREAM=upstream.port)
            counts = footprint.listeners(server, files, IDLE)
            say(f"Opening {sum(counts.values()):,} idle connections{' over TLS' if tls else ''}")
            result[key] = footprint.idle_connections(generator.loader, server, counts, "https" if tls else "http")
            server.stop()
    if arguments.memory_minutes > 0 and re.search(arguments.only, "memory"):
        server = fleet.gatefold("long", UPSTREAM=upstream.port)
        connection, paths = readers.Connection(server.port), []
        for name in readers.names()[:200]:
            token = connection.sign_in(name)
            paths += [
                f"/verify_subscription?token={token}&", f"/edition_credentials?token={token}&product_id={EDITION}&",
                f"/house/sign_in?{readers.form_of(name)}&", f"/content/bench/{SMALL}.zip?", "/healthz?"]
        connection.sign_in("ada", "/house/sign_in")
        lines = fleet.run / "lines-mixed"
        lines.write_text("".join(path + "\n" for path in paths))
        request = Request("{1}n={n}", {"Authorization": connection.authorization(token, SMALL)}, lines=lines)
        peer = Peer("gatefold", server.port, request, [server])
        result["memory"] = footprint.memory_over_time(generator, peer, 64, arguments.memory_minutes)
        server.stop()
    return result


if __name__ == "__main__":
    main()
