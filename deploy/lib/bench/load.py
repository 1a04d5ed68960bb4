"""Puts load on a server with wrk, and says what came of it."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
CORES = os.sched_getaffinity(0)


class Request:
    """One request, over and over; or, with a file of lines, one after the other: a path and further headers, with tabs
    between them. Where path or header says {n}, each request has another number, so that none comes twice."""

    def __init__(self, path, method="GET", headers=None, body="", lines=None):
        self.path, self.method, self.headers, self.body, self.lines = path, method, headers or {}, body, lines

    @property
    def samples(self):
        """Some of its requests, each as a path and its headers."""
        lines = self.lines.read_text().splitlines() if self.lines else [self.path]
        for line in dict.fromkeys((lines[0], lines[len(lines) // 2], lines[-1])):
            path, *more = line.replace("{n}", "sample").split("\t")
            yield path, {**self.headers, **dict(one.split(": ", 1) for one in more)}


@contextlib.contextmanager
def apart(servers):
    """Keeps the servers from the last core, and what is started meanwhile on it."""
    last = {max(CORES)}
    keep(servers, CORES - last)
    os.sched_setaffinity(0, last)
    try:
        yield
    finally:
        os.sched_setaffinity(0, CORES)
        keep(servers, CORES)


def keep(servers, cores):
    """Has all threads of the servers run on these cores, and those that they start."""
    for pid in {pid for server in servers for pid in server.pids()}:
        try:
            threads = os.listdir(f"/proc/{pid}/task")
        except FileNotFoundError:
            continue
        for thread in threads:
            # One that has ended meanwhile runs nowhere.
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(int(thread), cores)


def measure(port, request, connections, seconds, servers):
    """Requests per second, latencies in microseconds, bytes per second, and the CPU and memory that the servers used."""
    held = []
    look = lambda: held.append((
        sum(server.proportional_bytes() for server in servers), sum(server.resident_bytes() for server in servers)))
    before = sum(server.cpu_seconds() for server in servers)
    told = run(port, request, connections, seconds, look)
    if told is None:
        names = ", ".join(server.name for server in servers)
        print(f"==> No answer from {names} on port {port}, {connections} connections; once more", file=sys.stderr)
        time.sleep(2)
        before = sum(server.cpu_seconds() for server in servers)
        told = run(port, request, connections, seconds, look)
    if told is None:
        raise SystemExit(f"{request.method} {request.path[:60]}: nothing was answered on port {port}")
    cpu = sum(server.cpu_seconds() for server in servers) - before
    elapsed = told["microseconds"] / 1e6
    return {
        "per_second": told["requests"] / elapsed,
        "bytes_per_second": told["bytes"] / elapsed,
        "p50": told["p50"],
        "p99": told["p99"],
        "cpu_per_100000": cpu / told["requests"] * 100_000,
        "cpu_per_gigabyte": cpu / told["bytes"] * 1e9,
        # While the connections are there.
        "pss_megabytes": held[-1][0] / 1e6,
        "rss_megabytes": held[-1][1] / 1e6,
    }


def run(port, request, connections, seconds, look=lambda: None):
    """What wrk says; every request must have been answered. None where nothing was answered at all.

    Looks once, in the middle."""
    threads = str(min(len(os.sched_getaffinity(0)), connections))
    environment = {
        **os.environ, "BENCH_METHOD": request.method, "BENCH_PATH": request.path, "BENCH_BODY": request.body,
        "BENCH_LINES": str(request.lines or ""), "BENCH_THREADS": threads,
        "BENCH_HEADERS": "\n".join(f"{name}: {value}" for name, value in request.headers.items()),
    }
    with subprocess.Popen(
        ["wrk", "-t", threads, "-c", str(connections), "-d", f"{seconds}s", "--timeout", "30s",
         "-s", str(HERE / "wrk.lua"), f"http://127.0.0.1:{port}/"],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as wrk:
        time.sleep(seconds / 2)
        look()
        output, errors = wrk.communicate()
    lines = [line for line in errors.splitlines() if line.startswith("{")]
    if wrk.returncode or not lines:
        raise SystemExit(f"wrk ended with {wrk.returncode}:\n{output}\n{errors}")
    told = json.loads(lines[-1])
    if not told["requests"] and not told["status_errors"] and not told["socket_errors"]:
        return None
    if told["status_errors"] or told["socket_errors"]:
        raise SystemExit(f"{request.method} {request.path[:60]}: not every request was answered: {told}")
    return told
