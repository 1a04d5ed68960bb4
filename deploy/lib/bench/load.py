"""Generates load on a server, and returns the results. wrk sends HTTP/1.1 in a closed loop, and the program in the folder loader
everything else."""

import contextlib
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
CORES = os.sched_getaffinity(0)
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclasses.dataclass
class Request:
    """A template of requests of which none is repeated. In the path, the headers and the body, {1}, {2}… are replaced by the
    fields of the next line of a file, separated by tabs, and {n} by a different number in each request."""
    path: str
    headers: dict = dataclasses.field(default_factory=dict)
    body: str = ""
    lines: pathlib.Path | None = None

    @property
    def method(self):
        return "POST" if self.body else "GET"

    @property
    def samples(self):
        """The requests of the first, middle and last line."""
        lines = self.lines.read_text().splitlines() if self.lines else [""]
        for line in dict.fromkeys((lines[0], lines[len(lines) // 2], lines[-1])):
            fields = {"n": "0123456789abcdef", **{str(number): field for number, field in enumerate(line.split("\t"), 1)}}
            filled = lambda text: re.sub(r"\{(n|\d+)\}", lambda found: fields[found.group(1)], text)
            yield Request(filled(self.path), {name: filled(value) for name, value in self.headers.items()}, filled(self.body))


@dataclasses.dataclass
class Peer:
    """A server under load: its name in the tables, where it listens, and the processes whose resources count."""
    name: str
    port: int
    request: Request
    servers: list
    # http, https (both HTTP/1.1) or h2.
    protocol: str = "http"


@contextlib.contextmanager
def apart(servers):
    """Moves the servers off the last core, and runs this process and its new children on it."""
    last = {max(CORES)}
    pin(servers, CORES - last)
    os.sched_setaffinity(0, last)
    try:
        yield
    finally:
        os.sched_setaffinity(0, CORES)
        pin(servers, CORES)


def pin(servers, cores):
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


class Generator:
    """The programs that send requests."""

    def __init__(self, loader):
        # The path of the built program.
        self.loader = loader

    def closed_loop(self, peer, connections, seconds):
        """Measures requests that each connection sends when it has its response."""
        command, environment = self.loader_command(peer, connections, seconds), {}
        if peer.protocol != "h2":
            command, environment = wrk_command(peer, connections, seconds)
        return measured(peer, command, environment, seconds)

    def constant_rate(self, peer, connections, seconds, rate):
        """Measures requests that arrive at a constant rate, independent of the responses. Latencies are from the intended time."""
        return measured(peer, [*self.loader_command(peer, connections, seconds), "-rate", f"{rate:.3f}"], {}, seconds)

    def each_once(self, peer, connections):
        """Sends one request for each line, in a closed loop. The caller measures."""
        return measured(peer, [*self.loader_command(peer, connections, 3600), "-once"], {}, 0)

    def handshakes(self, peer, connections, seconds, resume):
        command = [self.loader, "handshakes", "-address", f"127.0.0.1:{peer.port}", "-path", peer.request.path,
                   "-connections", str(connections), "-seconds", str(seconds), f"-resume={str(resume).lower()}"]
        return measured(peer, command, {}, seconds)

    def loader_command(self, peer, connections, seconds):
        request = peer.request
        command = [self.loader, "requests", "-address", f"127.0.0.1:{peer.port}", "-protocol", peer.protocol,
                   "-connections", str(connections), "-seconds", str(seconds), "-method", request.method,
                   "-path", request.path, "-body", request.body, "-lines", str(request.lines or "")]
        for name, value in request.headers.items():
            command += ["-header", f"{name}: {value}"]
        return command


def wrk_command(peer, connections, seconds):
    """Returns the command and its environment."""
    request, threads = peer.request, str(min(len(os.sched_getaffinity(0)), connections))
    environment = {
        "BENCH_METHOD": request.method, "BENCH_PATH": request.path, "BENCH_BODY": request.body,
        "BENCH_LINES": str(request.lines or ""), "BENCH_THREADS": threads,
        "BENCH_HEADERS": "\n".join(f"{name}: {value}" for name, value in request.headers.items())}
    return ["wrk", "-t", threads, "-c", str(connections), "-d", f"{seconds}s", "--timeout", "30s", "-s", str(HERE / "wrk.lua"),
            f"{peer.protocol}://127.0.0.1:{peer.port}/"], environment


def measured(peer, command, environment, seconds):
    """Returns requests per second, latencies in microseconds, bytes per second, and the CPU time and memory of the servers."""
    for attempt in (1, 2):
        before = sum(server.cpu_seconds() for server in peer.servers)
        result, memory = run(command, environment, seconds, lambda: (
            sum(server.proportional_bytes() for server in peer.servers),
            sum(server.resident_bytes() for server in peer.servers)))
        if result["requests"] or result["status_errors"] or result["socket_errors"]:
            break
        print(f"==> No response from {peer.name} on port {peer.port}; trying again", file=sys.stderr)
        time.sleep(2)
    if not result["requests"] or result["status_errors"] or result["socket_errors"]:
        raise SystemExit(
            f"{peer.name}, {peer.request.method} {peer.request.path[:60]}: some requests had no valid response: {result}")
    cpu = sum(server.cpu_seconds() for server in peer.servers) - before
    elapsed = result["microseconds"] / 1e6
    return {
        "per_second": result["requests"] / elapsed,
        "bytes_per_second": result["bytes"] / elapsed,
        "p50": result["p50"],
        "p99": result["p99"],
        **({"lag_p99": result["lag_p99"]} if "lag_p99" in result else {}),
        "cpu_per_100000": cpu / result["requests"] * 100_000,
        "cpu_per_gigabyte": cpu / max(1, result["bytes"]) * 1e9,
        # Measured while the connections are open.
        "pss_megabytes": memory[0] / 1e6,
        "rss_megabytes": memory[1] / 1e6,
    }


def run(command, environment, seconds, sample):
    """Returns the last line of JSON that the program prints, and the sample taken in the middle of its run."""
    with subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        time.sleep(seconds / 2)
        sampled = sample()
        output, errors = program.communicate()
    lines = [line for line in (output + errors).splitlines() if line.startswith("{")]
    if program.returncode or not lines:
        raise SystemExit(f"{command[0]} ended with {program.returncode}:\n{output}\n{errors}")
    return json.loads(lines[-1]), sampled
