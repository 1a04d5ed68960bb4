"""Measures this server beside its peers, in turns, in one run. Started by deploy/bench, which builds and installs."""

import argparse
import base64
import hashlib
import json
import os
import pathlib
import re
import secrets
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import load
import report
import servers

EDITION = "com.example.bench.2026-11"
SMALL = "com.example.bench.2026-10"

# The project's own bars: case, who, compared with whom, by what, and at least (negative: at most) how much of it.
BARS = [
    ("verify_subscription, 64 connections", "gatefold", "go", "per_second", 1.3),
    ("verify_subscription, 64 connections", "gatefold", "nginx return", "per_second", 0.75),
    ("verify_subscription, 64 connections", "gatefold", "go", "p99", -1.0),
    ("verify_subscription, 64 connections", "gatefold", "php-fpm", "per_second", 6),
    ("edition_credentials, 64 connections", "gatefold", "go", "per_second", 1.2),
    ("edition_credentials, 64 connections", "gatefold", "go", "p99", -1.0),
    ("auth-request, 64 connections", "gatefold", "nginx return", "per_second", 0.75),
    ("download 100 MB", "nginx, asking gatefold", "nginx", "bytes_per_second", 0.9),
    ("download 20 KB", "nginx, asking gatefold", "nginx", "bytes_per_second", 0.5),
    ("download 100 MB", "gatefold", "nginx", "bytes_per_second", 0.9),
    ("download 100 MB", "gatefold", "nginx", "cpu_per_gigabyte", -1.3),
]


def say(text):
    print(f"==> {text}", file=sys.stderr, flush=True)


def get(url, body=None, headers=None):
    request = urllib.request.Request(url, data=body.encode() if body else None, headers=headers or {})
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, ""


def prepare(run):
    """Secrets, readers and editions."""
    for name in ("secret", "house-secret", "references"):
        (run / name).write_text(secrets.token_urlsafe(32) + "\n")
        (run / name).chmod(0o644)
    rows = ["email,number,password,state,editions"]
    issues = " ".join(f"com.example.bench.2026-{month}" for month in ("09", "10", "11"))
    for number in range(1000):
        name = "ada" if number == 0 else f"reader{number}"
        salt = secrets.token_bytes(8)
        digest = hashlib.sha256(b"analytical engine" + salt).digest()
        stored = "{SSHA256}" + base64.b64encode(digest + salt).decode()
        rows.append(f"{name}@example.com,{1000 + number},{stored},active,{issues}")
    (run / "readers.csv").write_text("\n".join(rows) + "\n")
    content = run / "content"
    content.mkdir()
    for edition, size in ((EDITION, 100 << 20), (SMALL, 20 << 10)):
        with open(content / f"{edition}.zip", "wb") as file:
            for _ in range(0, size, 1 << 20):
                file.write(os.urandom(min(size, 1 << 20)))
    run.chmod(0o755)
    content.chmod(0o755)
    return content


def returns(answers):
    """nginx locations that say what Gatefold said."""
    lines = []
    for path, (status, text) in answers.items():
        assert "$" not in text, "a dollar would be a variable"
        quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        lines.append(f'        location = {path} {{ return {status} "{quoted}"; }}')
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="deploy/bench")
    parser.add_argument("--gatefold", required=True)
    parser.add_argument("--go", required=True)
    parser.add_argument("--out", default=".gatefold/bench", help="where tables, JSON and plot go")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=6, help="of each measurement")
    parser.add_argument("--only", default="", help="cases whose name matches this regular expression")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="gatefold-bench-") as folder:
        run = pathlib.Path(folder)
        content = prepare(run)
        started = []
        try:
            measure_all(arguments, run, content, started)
        finally:
            for server in reversed(started):
                server.stop()


def measure_all(arguments, run, content, started):
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
    form = "email=ada%40example.com&password=analytical%20engine"
    for _ in range(100):
        status, text = get(f"{base}/sign_in", form)
        if "<token" in text:
            break
        # The feed is being loaded.
        time.sleep(0.1)
    token = re.search(r"<token[^>]*>(.*)</token>", text).group(1)
    pair = {}
    answers = {}
    for edition in (EDITION, SMALL):
        query = f"token={token}&product_id={edition}"
        told = get(f"{base}/edition_credentials?{query}")
        answers["/edition_credentials"] = told
        userid, password = re.search(r"<userid>(.*)</userid><password>(.*)</password>", told[1]).groups()
        pair[edition] = "Basic " + base64.b64encode(f"{userid}:{password}".encode()).decode()
    answers["/verify_subscription"] = get(f"{base}/verify_subscription?token={token}")
    answers["/house/sign_in"] = get(f"{base}/house/sign_in", form)
    answers["/auth-request/original-uri"] = (200, "")
    nginx = start(servers.nginx(run, content, ours.port, returns(answers))).wait()

    asked = {"X-Original-URI": f"/content/bench/{EDITION}.zip", "X-Original-Method": "GET", "Authorization": pair[EDITION]}
    post = {"Content-Type": "application/x-www-form-urlencoded"}
    requests = {
        "verify_subscription": (load.Request(f"/verify_subscription?token={token}"), "/verify_subscription?token=ada"),
        "edition_credentials": (
            load.Request(f"/edition_credentials?token={token}&product_id={EDITION}"),
            f"/edition_credentials?token=ada&product_id={EDITION}"),
        "sign_in": (load.Request("/house/sign_in", "POST", post, form), "/house/sign_in"),
        "auth-request": (load.Request("/auth-request/original-uri", headers=asked), None),
    }
    cases = []
    for connections in (64, 1):
        for name, (request, historic) in requests.items():
            noun = "connection" if connections == 1 else "connections"
            peers = [("gatefold", ours.port, request, [ours]), ("nginx return", nginx.port, request, [nginx]),
                     ("go", go.port, request, [go])]
            if historic:
                peers.append(("php-fpm", nginx.ports["PHP"], load.Request(
                    historic, request.method, request.headers, request.body), [php, nginx]))
            cases.append((f"{name}, {connections} {noun}", connections, peers))
    for name, edition, connections in (("100 MB", EDITION, 4), ("20 KB", SMALL, 64)):
        request = load.Request(f"/content/bench/{edition}.zip", headers={"Authorization": pair[edition]})
        cases.append((f"download {name}", connections, [
            ("gatefold", ours.port, request, [ours]),
            ("nginx, asking gatefold", nginx.ports["CHECKED"], request, [nginx, ours]),
            ("nginx", nginx.ports["PLAIN"], request, [nginx])]))
    cases = [case for case in cases if re.search(arguments.only, case[0])]

    check(cases, answers)
    measured = {name: {peer[0]: [] for peer in peers} for name, _, peers in cases}
    for turn in range(arguments.rounds):
        say(f"Round {turn + 1} of {arguments.rounds}")
        for name, connections, peers in cases:
            # Whoever goes first in one round goes last in the next.
            for peer, port, request, counted in peers if turn % 2 == 0 else reversed(peers):
                measured[name][peer].append(load.measure(port, request, connections, arguments.seconds, counted))
    results = {
        name: {peer: report.medians(rounds) for peer, rounds in peers.items()} for name, peers in measured.items()}
    verdict = report.bars(results, BARS)
    settings = {"rounds": arguments.rounds, "seconds": arguments.seconds}
    folder = pathlib.Path(arguments.out)
    report.write(results, folder, settings, verdict)
    print(report.machine())
    print(f"medians of {arguments.rounds} rounds of {arguments.seconds} s, in turns, wrk on the same machine")
    print(report.table(results))
    print(f"\nbars\n{verdict}\n\nwritten to {folder}/bench.txt, bench.json and bench.svg")


def check(cases, answers):
    """Every peer must give the answer that it is measured for."""
    for name, _, peers in cases:
        for peer, port, request, _ in peers:
            url = f"http://127.0.0.1:{port}{request.path}"
            status, text = get(url, request.body or None, request.headers) if "download" not in name else head(url, request)
            sample = answers["/" + ("house/sign_in" if name.startswith("sign_in") else name.split(",")[0])][1] \
                if "download" not in name and not name.startswith("auth-request") else ""
            shape = lambda document: re.sub(r">[^<]*</(token|userid|password)>", "></>", re.sub(r"<token[^>]*>", "<token>", document))
            if status != 200 or shape(text) != shape(sample):
                raise SystemExit(f"{name}: {peer} answered {status} {text[:300]!r}, expected {sample[:300]!r}")


def head(url, request):
    asked = urllib.request.Request(url, headers=request.headers, method="HEAD")
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked, timeout=20) as answer:
        return answer.status, ""


if __name__ == "__main__":
    main()
