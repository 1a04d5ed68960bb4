"""Generates load on a server with wrk, and returns the results."""

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
    """A request that is repeated, or a file of requests that are sent in turn. Each line has a path and further headers,
    separated by tabs. {n} in a path or header is replaced by a different number in each request, so that none is repeated."""

    def __init__(self, path, method="GET", headers=None, body="", lines=None):
        self.path, self.method, self.headers, self.body, self.lines = path, method, headers or {}, body, lines

    @property
    def samples(self):
        """The first, middle and last of its requests, each as a path and its headers."""
        lines = self.lines.read_text().splitlines() if self.lines else [self.path]
        for line in dict.fromkeys((lines[0], lines[len(lines) // 2], lines[-1])):
            path, *more = line.replace("{n}", "sample").split("\t")
            yield path, {**self.headers, **dict(one.split(": ", 1) for one in more)}


@contextlib.contextmanager
def apart(servers):
    """Moves the servers off the last core, and runs this process and its new children on it."""
    last = {max(CORES)}
    keep(servers, CORES - last)
    os.sched_setaffinity(0, last)
    try:
        yield
    finally:
        os.sched_setaffinity(0, CORES)
        keep(servers, CORES)


def keep(servers, cores):
    """Pins all threads of the servers, and the threads that they start, to these cores."""
    for pid in {pid for server in servers for pid in server.pids()}:
        try:
            threads = os.listdir(f"/proc/{pid}/task")
        except FileNotFoundError:
            continue
        for thread in threads:
            # A thread may have ended meanwhile.
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(int(thread), cores)


def measure(port, request, connections, seconds, servers):
    """Returns requests per second, latencies in microseconds, bytes per second, and the CPU time and memory of the servers."""
    memory = []
    take_sample = lambda: memory.append((
        sum(server.proportional_bytes() for server in servers), sum(server.resident_bytes() for server in servers)))
    before = sum(server.cpu_seconds() for server in servers)
    result = run(port, request, connections, seconds, take_sample)
    if result is None:
        names = ", ".join(server.name for server in servers)
        print(f"==> No response from {names} on port {port}, {connections} connections; trying again", file=sys.stderr)
        time.sleep(2)
        before = sum(server.cpu_seconds() for server in servers)
        result = run(port, request, connections, seconds, take_sample)
    if result is None:
        raise SystemExit(f"{request.method} {request.path[:60]}: no response on port {port}")
    cpu = sum(server.cpu_seconds() for server in servers) - before
    elapsed = result["microseconds"] / 1e6
    return {
        "per_second": result["requests"] / elapsed,
        "bytes_per_second": result["bytes"] / elapsed,
        "p50": result["p50"],
        "p99": result["p99"],
        "cpu_per_100000": cpu / result["requests"] * 100_000,
        "cpu_per_gigabyte": cpu / result["bytes"] * 1e9,
        # Measured while the connections are open.
        "pss_megabytes": memory[-1][0] / 1e6,
        "rss_megabytes": memory[-1][1] / 1e6,
    }


def run(port, request, connections, seconds, take_sample=lambda: None):
    """Returns the results of wrk, or None when the server sent no response at all. Fails if any request had no valid response.

    Calls take_sample once, in the middle of the measurement."""
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
        take_sample()
        output, errors = wrk.communicate()
    lines = [line for line in errors.splitlines() if line.startswith("{")]
    if wrk.returncode or not lines:
        raise SystemExit(f"wrk ended with {wrk.returncode}:\n{output}\n{errors}")
    result = json.loads(lines[-1])
    if not result["requests"] and not result["status_errors"] and not result["socket_errors"]:
        return None
    if result["status_errors"] or result["socket_errors"]:
        raise SystemExit(f"{request.method} {request.path[:60]}: some requests had no valid response: {result}")
    return result
