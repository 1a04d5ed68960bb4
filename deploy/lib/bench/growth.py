"""Measures how this server's speed, memory and start grow, and states the law that each follows. deploy/bench --growth starts it."""

import contextlib
import os
import re
import secrets
import signal
import sqlite3
import statistics
import subprocess
import time

import bench
import footprint
import growth_report
import load
import provenance
import readers
import report
import servers
from growth_report import Series
from load import Peer, Request

CONNECTIONS = (1, 2, 4, 8, 16, 32, 64, 512, 5000)
CACHED = (50_000, 100_000, 200_000, 400_000)
SUBSCRIBERS = (100_000, 1_000_000, 10_000_000)
MANY_SUBSCRIBERS = 50_000_000
REVOCATIONS = (1_000, 10_000, 100_000, 1_000_000)
PUBLICATIONS = (1, 10, 50, 100, 200)
# The readers who are verified in turn, spread over the database.
SAMPLE = 100_000
REPETITIONS = 5
NAMES = ["connections", "cached readers", "subscribers", "revocations", "publications"]

EMBEDDED = "{kind: sqlite, path: @RUN@/subscribers.sqlite}"
# A program that knows every reader. Its results are cached for as long as the measurement takes.
PROGRAM = """kind: process
    command: [python3, @RUN@/subscribers.py]
    processes: 2
    subscription: {state: {from: state, active: [active]}, editions: {from: editions}}
    protection:
      concurrency: {max_queued: 20000, queue_timeout: 1m}
      cache: {ttl: 24h, revalidate_after: 20h, max_memory: 20GB}"""
SCRIPT = """import json, sys
for line in sys.stdin:
    request = json.loads(line)
    record = {"state": "active", "editions": ["com.example.bench.2026-11"]}
    print(json.dumps({"id": request["id"], "record": record}), flush=True)
"""


class Growth:
    def __init__(self, arguments, fleet):
        self.arguments, self.fleet, self.run = arguments, fleet, fleet.run
        self.generator = load.Generator(arguments.loader)
        (self.run / "subscribers.py").write_text(SCRIPT)

    @contextlib.contextmanager
    def server(self, backend, publications=""):
        backend = backend.replace("@RUN@", str(self.run))
        server = self.fleet.gatefold("growth", "growth.yaml", BACKEND=backend, PUBLICATIONS=publications)
        try:
            yield server
        finally:
            server.stop()

    def tokens(self, count, step=1):
        """Returns a file of tokens of readers with the keys 1, 1 + step…"""
        path = self.run / f"lines-{count}-{step}"
        with open(path, "w") as file:
            subprocess.run(
                [self.arguments.go, "-secret", self.run / "secret", "-pseudonyms", self.run / "pseudonyms", "-mint", str(count),
                 "-step", str(step)], stdout=file, check=True)
        return path

    def verify_each(self, server, tokens):
        """Verifies each token once, and checks the first response, for one that is not active costs less."""
        path = f"/verify_subscription?token={tokens.open().readline().strip()}"
        status, text = readers.Connection(server.port).fetch(path)
        if 'state="active"' not in text:
            raise SystemExit(f"a reader is not active: {status} {text[:300]!r}")
        self.generator.each_once(Peer("gatefold", server.port, Request("/verify_subscription?token={1}", lines=tokens), [server]), 64)

    def verify(self, server, tokens, connections=64):
        request = Request("/verify_subscription?token={1}&n={n}", lines=tokens)
        return self.generator.closed_loop(
            Peer("gatefold", server.port, request, [server]), connections, self.arguments.seconds)

    def connections(self):
        tokens = self.tokens(1000)
        rate = Series("verify, requests per second", "connections", "requests/s")
        p99 = Series("verify, p99", "connections", "ms at p99")
        with self.server(PROGRAM) as server:
            self.verify_each(server, tokens)
            for count in CONNECTIONS:
                result = self.verify(server, tokens, count)
                rate.points.append((count, result["per_second"]))
                p99.points.append((count, result["p99"] / 1000))
        return [rate, p99]

    def cached_readers(self):
        series = Series("memory of cached readers", "cached readers", "MB of RSS more than at the start")
        tokens = self.tokens(max(CACHED)).read_text().splitlines(keepends=True)
        with self.server(PROGRAM) as server:
            # The caches of a fixed size fill first.
            part = self.run / "lines-part"
            part.write_text("".join(tokens[:1000]))
            self.verify_each(server, part)
            before, done = server.resident_bytes(), 0
            for count in CACHED:
                part.write_text("".join(tokens[done:count]))
                self.verify_each(server, part)
                done = count
                time.sleep(1)
                series.points.append((count, (server.resident_bytes() - before) / 1e6))
        slope = (series.points[-1][1] - series.points[0][1]) / (CACHED[-1] - CACHED[0])
        series.note = f"{slope * 100_000:.1f} MB for each further 100,000 readers"
        return [series]

    def subscribers(self):
        rate = Series("verify from the embedded database, requests per second", "subscribers", "requests/s")
        p99 = Series("verify from the embedded database, p99", "subscribers", "ms at p99")
        size = Series("embedded database, size", "subscribers", "MB")
        file, done = self.run / "subscribers.sqlite", 0
        with self.server(EMBEDDED):
            pass
        for count in SUBSCRIBERS + ((MANY_SUBSCRIBERS,) if self.arguments.many_subscribers else ()):
            begun = time.monotonic()
            add_subscribers(file, done, count)
            bench.say(f"{count:,} subscribers, written in {time.monotonic() - begun:.0f} s")
            done = count
            tokens = self.tokens(SAMPLE, count // SAMPLE)
            with self.server(EMBEDDED) as server:
                self.verify_each(server, tokens)
                result = self.verify(server, tokens)
            rate.points.append((count, result["per_second"]))
            p99.points.append((count, result["p99"] / 1000))
            size.points.append((count, file.stat().st_size / 1e6))
        return [rate, p99, size]

    def revocations(self):
        series = Series("start with revocations", "revocations", "seconds until it listens")
        with self.server(EMBEDDED):
            pass
        done = 0
        for count in REVOCATIONS:
            add_revocations(self.run / "growth-state.sqlite", count - done)
            done = count
            series.points.append((count, statistics.median(self.start_time() for _ in range(REPETITIONS))))
        return [series]

    def start_time(self):
        begun = time.monotonic()
        # The server listens when it has read its state.
        with self.server(EMBEDDED) as server:
            taken = server.listened_at - begun
            if readers.Connection(server.port).fetch("/readyz")[0] != 200:
                raise SystemExit("the server is not ready after its start")
        return taken

    def publications(self):
        series = Series("reload with publications", "publications", "milliseconds")
        for count in PUBLICATIONS:
            for number in range(1, count):
                (self.run / f"secret-{number}").write_text(secrets.token_urlsafe(32) + "\n")
            with self.server(EMBEDDED, self.sections(count, "first")) as server:
                configuration = self.run / "growth.yaml"
                times = []
                for turn in range(REPETITIONS):
                    # A change in each publication.
                    text = configuration.read_text()
                    configuration.write_text(re.sub(r"title: \w+", f"title: Turn{turn}", text))
                    times.append(self.reload_time(server))
                series.points.append((count, statistics.median(times) * 1000))
        return [series]

    def sections(self, count, title):
        return "".join(
            f"  other{number}:\n    backend: readers\n    credentials: {{identifier: email, proofs: [password]}}\n"
            f"    policy: issue\n    secrets: [{{file: {self.run}/secret-{number}}}]\n"
            f"    catalogue: [{{id: com.example.other{number}.2026-11, title: {title}, published: 2026-11-01}}]\n"
            for number in range(1, count))

    def reload_time(self, server):
        log = self.run / "growth.log"
        written = log.stat().st_size
        begun = time.monotonic()
        server.process.send_signal(signal.SIGHUP)
        while time.monotonic() - begun < 60:
            with open(log, "rb") as file:
                file.seek(written)
                text = file.read()
            if b"Configuration reloaded" in text:
                return time.monotonic() - begun
            if b"not reloaded" in text:
                raise SystemExit(text.decode())
            time.sleep(0.001)
        raise SystemExit("the configuration was not reloaded within a minute")


def add_subscribers(file, done, count):
    """Adds subscribers with a period and an edition to a database that Gatefold created, up to the count."""
    numbers = f"WITH RECURSIVE number(n) AS (VALUES ({done + 1}) UNION ALL SELECT n + 1 FROM number WHERE n < {count})"
    with contextlib.closing(sqlite3.connect(file)) as db:
        # A journal would be as large as the database.
        db.execute("PRAGMA journal_mode = OFF")
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA cache_size = -500000")
        with db:
            db.execute("INSERT INTO subscriber (id, identifier, updated)"
                       f" {numbers} SELECT n, printf('reader%09d@example.com', n), 1767225600000 FROM number")
            db.execute(f'INSERT INTO period (subscriber, start, "end") {numbers} SELECT n, 1767225600000, NULL FROM number')
            db.execute("INSERT INTO edition (subscriber, edition)"
                       f" {numbers} SELECT n, 'com.example.bench.2026-11' FROM number")
        db.execute("PRAGMA journal_mode = WAL")


def add_revocations(file, count):
    """Adds revocations of all sessions of made-up subscribers to a state that Gatefold created."""
    now = time.time()
    with contextlib.closing(sqlite3.connect(file)) as db, db:
        db.executemany(
            "INSERT INTO revocation (publication, subscriber, session, before, expires) VALUES ('bench', ?, X'', ?, ?)",
            ((os.urandom(7), now - 60, now + 20 * 86_400) for _ in range(count)))


def main():
    parser = bench.parser_with_programs(prog="deploy/bench --growth")
    parser.add_argument("--many-subscribers", action="store_true", help=f"also {MANY_SUBSCRIBERS:,} subscribers")
    arguments = parser.parse_args()
    selected = [name for name in NAMES if re.search(arguments.only, name)]
    if not selected:
        parser.error(f"--only: nothing matches {arguments.only}; there are:\n  " + "\n  ".join(NAMES))
    footprint.open_files(4 * max(CONNECTIONS))
    bench.run_in_folder(arguments, lambda fleet: measure(arguments, fleet, selected))


def measure(arguments, fleet, selected):
    made = provenance.made(arguments.swift, arguments.build, arguments.go, servers.php_program())
    growth, series = Growth(arguments, fleet), []
    for name in selected:
        bench.say(f"Growing: {name}")
        series += getattr(growth, name.replace(" ", "_"))()
    machine, origin, _ = report.Report({}, {}, [], [], {"rounds": 1, "seconds": arguments.seconds}, made).head
    head = [machine, origin, f"verifications: {arguments.seconds} s for each figure; {made['at']}"]
    folder = bench.folder_of(arguments)
    print(growth_report.write(folder, series, head, made))
    bench.say(f"Written to {folder}: growth.txt, growth.json and growth.svg")


if __name__ == "__main__":
    main()
