"""Compares this server with its peers, alternating between them, in one run. deploy/bench builds, installs and starts it."""

import argparse
import base64
import concurrent.futures
import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import load
import provenance
import report
import servers
import footprint

EDITION = "com.example.bench.2026-11"
SMALL = "com.example.bench.2026-10"

READERS = 1000
# Sessions of each reader. Together they exceed Gatefold's token cache (20,000), and requests use them in turn, so that each
# misses the cache.
SESSIONS = 25
IDLE = 10_000
# The RSS limit with IDLE connections, in megabytes, and the permitted relative change of memory after long load.
IDLE_BAR, GROWTH_BAR = 200, 0.05
# The minimum duration, in minutes, for the bar of memory under load.
LONG = 60
MANY = f"verify_subscription of {READERS:,} readers, 64 connections"
# Gatefold caches a response for one second for byte-identical requests. These cases have none. Its token cache is separate:
# only the case with sessions has more tokens than that cache holds.
NEVER = "verify_subscription, never the same twice, 64 connections"
MANY_NEVER = f"verify_subscription of {READERS:,} readers, never the same twice, 64 connections"
SESSIONS_NEVER = f"verify_subscription of {READERS * SESSIONS:,} sessions, never the same twice, 64 connections"
ISSUED_NEVER = "edition_credentials, never the same twice, 64 connections"
# The credentials of each reader in turn, each time for another path of the edition.
ASKED_NEVER = "auth-request, never the same twice, 64 connections"
# With load and servers on all cores, their placement alone changes the CPU time of nginx by a factor of two.
APART = "download 100 MB, load on a core of its own"
CALLS = ("verify_subscription", "edition_credentials", "sign_in", "auth-request")
# The cases that --only selects from, in addition to idle connections, memory and micro.
CASES = [
    *(f"{call}, {connections}" for connections in ("64 connections", "1 connection") for call in CALLS),
    NEVER, MANY, MANY_NEVER, ISSUED_NEVER, ASKED_NEVER, SESSIONS_NEVER, "download 100 MB", APART,
    "download 20 KB",
]
# The project's bars: case, server, peer, measure, and the minimum ratio (negative: maximum).
BARS = [
    *((case, "gatefold", *bar) for case in ("verify_subscription, 64 connections", MANY, NEVER, MANY_NEVER) for bar in (
        ("go", "per_second", 1.3), ("nginx return", "per_second", 0.75), ("go", "p99", -1.0),
        ("php-fpm", "per_second", 6))),
    *((case, "gatefold", *bar) for case in ("edition_credentials, 64 connections", ISSUED_NEVER) for bar in (
        ("go", "per_second", 1.2), ("go", "p99", -1.0), ("php-fpm", "per_second", 6))),
    ("auth-request, 64 connections", "gatefold", "nginx return", "per_second", 0.75),
    (ASKED_NEVER, "gatefold", "nginx return", "per_second", 0.75),
    ("download 20 KB", "nginx, asking gatefold", "nginx", "bytes_per_second", 0.5),
    ("download 20 KB", "nginx, auth_request alone", "nginx", "bytes_per_second", 0.5),
    *((case, *bar) for case in ("download 100 MB", APART) for bar in (
        ("nginx, asking gatefold", "nginx", "bytes_per_second", 0.9),
        ("nginx, auth_request alone", "nginx", "bytes_per_second", 0.9),
        ("gatefold", "nginx", "bytes_per_second", 0.9), ("gatefold", "nginx", "cpu_per_gigabyte", -1.3))),
]


def say(text):
    print(f"==> {text}", file=sys.stderr, flush=True)


def get(url, body=None, headers=None):
    request = urllib.request.Request(url, data=body.encode() if body else None, headers=headers or {})
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""


def prepare(run):
    """Creates secrets, readers and editions."""
    for name in ("secret", "house-secret", "pseudonyms"):
        (run / name).write_text(secrets.token_urlsafe(32) + "\n")
        (run / name).chmod(0o644)
    rows = ["email,number,password,state,editions"]
    issues = " ".join(f"com.example.bench.2026-{month}" for month in ("09", "10", "11"))
    for number in range(READERS):
        name = "ada" if number == 0 else f"reader{number}"
        salt = secrets.token_bytes(8)
        digest = hashlib.sha256(b"analytical engine" + salt).digest()
        stored = "{SSHA256}" + base64.b64encode(digest + salt).decode()
        rows.append(f"{name}@example.com,{1000 + number},{stored},active,{issues}")
    (run / "readers.csv").write_text("\n".join(rows) + "\n")
    content = run / "content"
    content.mkdir()
    for edition, size in ((EDITION, 100_000_000), (SMALL, 20_000)):
        with open(content / f"{edition}.zip", "wb") as file:
            for _ in range(0, size, 1_000_000):
                file.write(os.urandom(min(size, 1_000_000)))
    run.chmod(0o755)
    content.chmod(0o755)
    return content


def returns(responses):
    """Returns nginx locations that repeat the responses of Gatefold."""
    lines = []
    for path, (status, text) in responses.items():
        assert "$" not in text, "nginx would read a dollar sign as a variable"
        quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        lines.append(f'        location = {path} {{ return {status} "{quoted}"; }}')
    return "\n".join(lines)


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


def main():
    parser = argparse.ArgumentParser(prog="deploy/bench")
    parser.add_argument("--gatefold", required=True)
    parser.add_argument("--go", required=True)
    parser.add_argument("--caller", default=".", help="the folder to which --out is relative")
    parser.add_argument("--out", help="the folder for tables, JSON and plot (default: .gatefold/bench in the checkout)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=6, help="the duration of each measurement in seconds (default: 6)")
    parser.add_argument("--only", default="", type=pattern, help="run only the cases whose name matches this regular expression")
    parser.add_argument("--memory-minutes", type=int, default=3,
                        help="minutes of load; memory at the end is compared with memory after a minute; 0 skips it (default: 3)")
    parser.add_argument("--micro", help="the program gatefold-bench, whose micro-benchmarks also run")
    parser.add_argument("--swift", help="the compiler's version, for the report")
    parser.add_argument("--build", help="the build options, for the report")
    parser.add_argument("--markdown", action="store_true", help="print the tables for the article Performance instead")
    arguments = parser.parse_args()
    there = [*CASES, "idle connections"]
    there += ["memory"] if arguments.memory_minutes > 0 else []
    there += ["micro"] if arguments.micro else []
    if not any(re.search(arguments.only, name) for name in there):
        parser.error(f"--only: no case matches {arguments.only}; there are:\n  " + "\n  ".join(there))

    # On a signal, the program stops its servers and removes its folder, as at any other end.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    # For the server, which reserves a file for each idle connection, and for the other ends in this process.
    files = footprint.open_files(3 * IDLE)
    with tempfile.TemporaryDirectory(prefix="gatefold-bench-") as folder:
        run = pathlib.Path(folder)
        content = prepare(run)
        started = []
        try:
            measure_all(arguments, run, content, started, files)
        finally:
            for server in reversed(started):
                server.stop()


def measure_all(arguments, run, content, started, files):
    # Recorded before the measurements, because the checkout may change during them.
    made = provenance.made(arguments.swift, arguments.build, arguments.go, servers.php_program())

    def start(server):
        started.append(server)
        return server

    upstream = start(servers.gatefold(arguments.gatefold, run, content, 1, name="upstream"))
    upstream.wait()
    ours = start(servers.gatefold(arguments.gatefold, run, content, upstream.port))
    ours.wait()
    go = start(servers.go(arguments.go, run)).wait()
    php = start(servers.php(run))

    base = f"http://127.0.0.1:{ours.port}"
    token = sign_in(f"{base}/sign_in", "ada")
    responses = {"/edition_credentials": get(credentials_url(base, token, EDITION))}
    pair = {edition: authorization(base, token, edition) for edition in (EDITION, SMALL)}
    responses["/verify_subscription"] = get(f"{base}/verify_subscription?token={token}")
    form = form_of("ada")
    responses["/house/sign_in"] = get(f"{base}/house/sign_in", form)
    responses["/auth-request/original-uri"] = (200, "")
    nginx = start(servers.nginx(run, content, ours.port, returns(responses))).wait()

    gate_headers = {"X-Original-URI": f"/content/bench/{EDITION}.zip", "X-Original-Method": "GET", "Authorization": pair[EDITION]}
    post = {"Content-Type": "application/x-www-form-urlencoded"}
    requests = {
        "verify_subscription": (
            load.Request(f"/verify_subscription?token={token}"), load.Request("/verify_subscription?token=ada")),
        "edition_credentials": (
            load.Request(f"/edition_credentials?token={token}&product_id={EDITION}"),
            load.Request(f"/edition_credentials?token=ada&product_id={EDITION}")),
        "sign_in": (load.Request("/house/sign_in", "POST", post, form), load.Request("/house/sign_in", "POST", post, form)),
        "auth-request": (load.Request("/auth-request/original-uri", headers=gate_headers), None),
    }
    cases = []
    for connections in (64, 1):
        for name, (request, historic) in requests.items():
            noun = "connection" if connections == 1 else "connections"
            peers = [("gatefold", ours.port, request, [ours]), ("nginx return", nginx.port, request, [nginx]),
                     ("go", go.port, request, [go])]
            if historic:
                peers.append(("php-fpm", nginx.ports["PHP"], historic, [php, nginx]))
            cases.append((f"{name}, {connections} {noun}", connections, peers))

    def asking(name, request, historic):
        return (name, 64, [
            ("gatefold", ours.port, request, [ours]), ("nginx return", nginx.port, request, [nginx]),
            ("go", go.port, request, [go]), ("php-fpm", nginx.ports["PHP"], historic, [php, nginx])])

    def written(name, lines):
        (run / name).write_text("".join(line + "\n" for line in lines))
        return load.Request(name, lines=run / name)

    for name, call in ((NEVER, "verify_subscription"), (ISSUED_NEVER, "edition_credentials")):
        cases.append(asking(name, *(load.Request(each.path + "&n={n}") for each in requests[call])))
    if any(re.search(arguments.only, name) for name in (MANY, MANY_NEVER, ASKED_NEVER)):
        say(f"Signing in {READERS:,} readers")
        tokens = [sign_in(f"{base}/sign_in", name) for name in names()]
        paths = [[f"/verify_subscription?token={word}" for word in words] for words in (tokens, names())]
        cases.append(asking(MANY, written("tokens", paths[0]), written("names", paths[1])))
        paths = [[path + "&n={n}" for path in each] for each in paths]
        cases.append(asking(MANY_NEVER, written("tokens-never", paths[0]), written("names-never", paths[1])))
        uri = f"X-Original-URI: /content/bench/{EDITION}/page-{{n}}.html"
        each = written("pairs-never", (
            f"/auth-request/original-uri\tX-Original-Method: GET\t{uri}\tAuthorization: {authorization(base, one, EDITION)}"
            for one in tokens))
        cases.append((ASKED_NEVER, 64, [
            ("gatefold", ours.port, each, [ours]), ("nginx return", nginx.port, each, [nginx]),
            ("go", go.port, each, [go])]))
    if re.search(arguments.only, SESSIONS_NEVER):
        say(f"Signing in {READERS:,} readers, {SESSIONS} times each")
        cases.append(asking(
            SESSIONS_NEVER,
            written("sessions", (f"/verify_subscription?token={one}&n={{n}}" for one in sign_all_in(ours.port))),
            written("names-sessions", (f"/verify_subscription?token={name}&n={{n}}" for name in names()))))
    for name, edition, connections in (
            ("download 100 MB", EDITION, 4), (APART, EDITION, 4), ("download 20 KB", SMALL, 64)):
        request = load.Request(f"/content/bench/{edition}.zip", headers={"Authorization": pair[edition]})
        cases.append((name, connections, [
            ("gatefold", ours.port, request, [ours]),
            # deploy/fronts/nginx/gatefold.conf.
            ("nginx, asking gatefold", nginx.ports["FRONT"], request, [nginx, ours]),
            ("nginx, auth_request alone", nginx.ports["CHECKED"], request, [nginx, ours]),
            # The cost of a query by itself: no check can be cheaper.
            ("nginx, asking nginx return", nginx.ports["ASKING"], request, [nginx]),
            ("nginx", nginx.ports["PLAIN"], request, [nginx])]))
    assert {case[0] for case in cases} <= set(CASES), "a case that is missing in CASES"
    cases = [
        case for case in cases
        if re.search(arguments.only, case[0]) and (case[0] != APART or len(load.CORES) > 1)]

    check(cases, responses)
    check_rejections((("gatefold", ours.port), ("go", go.port)), token, gate_headers)
    measured = {name: {peer[0]: [] for peer in peers} for name, _, peers in cases}
    for turn in range(arguments.rounds):
        say(f"Round {turn + 1} of {arguments.rounds}")
        for name, connections, peers in cases:
            # The order is reversed in every other round.
            for peer, port, request, counted in peers if turn % 2 == 0 else reversed(peers):
                with load.apart(counted) if name == APART else contextlib.nullcontext():
                    measured[name][peer].append(load.measure(port, request, connections, arguments.seconds, counted))
    standings = stand(arguments, run, content, upstream, start, pair, files)
    micro = json.loads(subprocess.run(
        [arguments.micro, "micro", "--json"], capture_output=True, text=True, check=True).stdout) \
        if arguments.micro and re.search(arguments.only, "micro") else []
    verdict = report.bars(report.all_medians(measured), BARS) \
        + report.standing_bars(standings, IDLE, IDLE_BAR, LONG, GROWTH_BAR)
    settings = {
        "rounds": arguments.rounds, "seconds": arguments.seconds, "only": arguments.only,
        "memory_minutes": arguments.memory_minutes}
    result = report.Report(measured, standings, micro, verdict, settings, made)
    folder = pathlib.Path(arguments.caller) / arguments.out if arguments.out else pathlib.Path(".gatefold/bench")
    result.write(folder)
    print(result.markdown() if arguments.markdown else result.text())
    print(f"==> Written to {folder}: bench.txt, bench.md, bench.json and bench.svg", file=sys.stderr)


def stand(arguments, run, content, upstream, start, pair, files):
    """Measures idle connections and memory, each with a separate, newly started server."""
    result = {}
    if re.search(arguments.only, "idle connections"):
        server = start(servers.gatefold(arguments.gatefold, run, content, upstream.port, name="idle")).wait()
        counts = footprint.listeners(server, files, IDLE)
        say(f"Opening {sum(counts.values()):,} idle connections")
        result["idle"] = footprint.idle_connections(server, counts, "/healthz")
        server.stop()
    if arguments.memory_minutes > 0 and re.search(arguments.only, "memory"):
        server = start(servers.gatefold(arguments.gatefold, run, content, upstream.port, name="long")).wait()
        base = f"http://127.0.0.1:{server.port}"
        tokens = [sign_in(f"{base}/sign_in", name) for name in list(names())[:200]]
        paths = []
        for name, token in zip(names(), tokens):
            paths += [
                f"/verify_subscription?token={token}", f"/edition_credentials?token={token}&product_id={EDITION}",
                f"/house/sign_in?{form_of(name)}", f"/content/bench/{SMALL}.zip", "/healthz"]
        (run / "mixed").write_text("".join(path + "\n" for path in paths))
        request = load.Request("mixed calls", headers={"Authorization": pair[SMALL]}, lines=run / "mixed")
        result["memory"] = footprint.memory_over_time(server, request, 64, arguments.memory_minutes)
        server.stop()
    return result


def names():
    return ("ada" if number == 0 else f"reader{number}" for number in range(READERS))


def form_of(name):
    return f"email={name}%40example.com&password=analytical%20engine"


def sign_in(url, name):
    """Returns a token for the reader. Retries until the feed of readers is loaded."""
    for _ in range(100):
        found = re.search(r"<token[^>]*>(.*)</token>", get(url, form_of(name))[1])
        if found:
            return found.group(1)
        time.sleep(0.1)
    raise SystemExit(f"{name} cannot sign in at {url}")


def sign_all_in(port):
    """Returns the tokens of SESSIONS sessions of each reader, in reader order. Each is verified once, to fill the cache."""
    def one(name):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)

        def fetch(*request):
            connection.request(*request)
            response = connection.getresponse()
            return response.status, response.read().decode()

        found = []
        for _ in range(SESSIONS):
            post = {"Content-Type": "application/x-www-form-urlencoded"}
            result = fetch("POST", "/sign_in", form_of(name), post)
            token = re.search(r"<token[^>]*>(.*)</token>", result[1])
            if not token:
                raise SystemExit(f"{name} cannot sign in {SESSIONS} times: {result}")
            found.append(token.group(1))
            status, text = fetch("GET", f"/verify_subscription?token={found[-1]}")
            if status != 200 or 'state="active"' not in text:
                raise SystemExit(f"{name} is not active: {status} {text[:300]!r}")
        connection.close()
        return found

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        tokens = [token for found in pool.map(one, names()) for token in found]
    assert len(set(tokens)) == READERS * SESSIONS
    return tokens


def credentials_url(base, token, edition):
    return f"{base}/edition_credentials?token={token}&product_id={edition}"


def authorization(base, token, edition):
    """Returns the Authorization header for an edition."""
    _, result = get(credentials_url(base, token, edition))
    userid, password = re.search(r"<userid>(.*)</userid><password>(.*)</password>", result).groups()
    return "Basic " + base64.b64encode(f"{userid}:{password}".encode()).decode()


def check(cases, responses):
    """Checks that every peer returns the response that is measured."""
    for name, _, peers in cases:
        sample = responses["/" + ("house/sign_in" if name.startswith("sign_in") else re.split(",| of", name)[0])][1] \
            if "download" not in name and not name.startswith("auth-request") else ""
        for peer, port, request, _ in peers:
            for path, headers in request.samples:
                url = f"http://127.0.0.1:{port}{path}"
                status, text = get(url, request.body or None, headers) if "download" not in name else head(url, headers)
                if status != 200 or shape(text) != shape(sample):
                    raise SystemExit(f"{name}: {peer} returned {status} {text[:300]!r}, expected {sample[:300]!r}")


def check_rejections(deciding, token, gate_headers):
    """Checks that each server that decides also rejects. A peer that grants every request would do less work."""
    def damaged(text):
        middle = len(text) // 2
        return text[:middle] + ("B" if text[middle] == "A" else "A") + text[middle + 1:]

    wrong = {**gate_headers, "Authorization": damaged(gate_headers["Authorization"])}
    for name, port in deciding:
        base = f"http://127.0.0.1:{port}"
        status, text = get(f"{base}/verify_subscription?token={damaged(token)}")
        if status != 200 or 'state="active"' in text:
            raise SystemExit(f"{name} accepts a modified token: {status} {text[:300]!r}")
        status, text = get(f"{base}/edition_credentials?token={damaged(token)}&product_id={EDITION}")
        if "<password>" in text:
            raise SystemExit(f"{name} returns credentials for a modified token: {status} {text[:300]!r}")
        for headers in (wrong, {**gate_headers, "X-Original-URI": f"/content/bench/{SMALL}.zip"}):
            if (status := get(f"{base}/auth-request/original-uri", None, headers)[0]) != 403:
                raise SystemExit(f"{name} accepts the wrong credentials for an edition: {status}")


def shape(document):
    """Removes the parts that differ in each response."""
    return re.sub(r">[^<]*</(token|userid|password)>", "></>", re.sub(r"<token[^>]*>", "<token>", document))


def head(url, headers):
    request = urllib.request.Request(url, headers=headers, method="HEAD")
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as response:
        return response.status, ""


if __name__ == "__main__":
    main()
