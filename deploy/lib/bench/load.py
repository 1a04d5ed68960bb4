"""Puts load on a server with wrk, and says what came of it."""

import json
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).parent


class Request:
    """One request, over and over."""

    def __init__(self, path, method="GET", headers=None, body=""):
        self.path, self.method, self.headers, self.body = path, method, headers or {}, body


def measure(port, request, connections, seconds, servers):
    """Requests per second, latencies in microseconds, bytes per second, and the CPU that the servers used."""
    environment = {
        **os.environ, "BENCH_METHOD": request.method, "BENCH_PATH": request.path, "BENCH_BODY": request.body,
        "BENCH_HEADERS": "\n".join(f"{name}: {value}" for name, value in request.headers.items()),
    }
    before = sum(server.cpu_seconds() for server in servers)
    done = subprocess.run(
        ["wrk", "-t", str(min(2, connections)), "-c", str(connections), "-d", f"{seconds}s", "--timeout", "30s",
         "-s", str(HERE / "wrk.lua"), f"http://127.0.0.1:{port}/"],
        env=environment, capture_output=True, text=True, check=True)
    cpu = sum(server.cpu_seconds() for server in servers) - before
    lines = [line for line in done.stderr.splitlines() if line.startswith("{")]
    if not lines:
        raise SystemExit(f"wrk said nothing:\n{done.stdout}\n{done.stderr}")
    told = json.loads(lines[-1])
    if told["status_errors"] or told["socket_errors"] or not told["requests"]:
        raise SystemExit(f"{request.method} {request.path[:60]}: not every request was answered: {told}")
    elapsed = told["microseconds"] / 1e6
    return {
        "per_second": told["requests"] / elapsed,
        "bytes_per_second": told["bytes"] / elapsed,
        "p50": told["p50"],
        "p99": told["p99"],
        "cpu_per_100000": cpu / told["requests"] * 100_000,
        "cpu_per_gigabyte": cpu / told["bytes"] * 1e9,
        "resident": sum(server.resident_mebibytes() for server in servers),
    }
