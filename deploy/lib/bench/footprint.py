"""The memory of a server with many idle connections, and after a long load."""

import json
import resource
import statistics
import subprocess
import sys
import time


def open_files(wanted):
    """Raises the limit of open files of this process and its children to the wanted number if possible, and returns the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for limit in (max(hard, wanted), hard):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
            return limit
        except (ValueError, OSError):
            continue
    return soft


def listeners(server, files, wanted):
    """Returns the number of connections to open to each listener of a server with the given limit of open files, up to the wanted
    total: slightly more than half of the files for the main one (Sources/Server/Listeners/OpenFileLimit.swift), and a few for
    the admin one."""
    admin = min(256, max(32, files // 8))
    main = min(wanted, (files - 256 - admin) // 20 * 11)
    return {server.port: main, server.ports["ADMIN"]: min(wanted - main, admin)}


def idle_connections(loader, server, counts, protocol):
    """Returns the resident megabytes before and after opening the connections. Each connection has completed one request."""
    before, begun = server.resident_bytes(), time.monotonic()
    command = [loader, "idle"]
    for port, count in counts.items():
        command += ["-open", f"{protocol if port == server.port else 'http'} 127.0.0.1:{port} {count}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        if program.stdout.readline() != "open\n":
            raise SystemExit("idle connections: not all could be opened")
        if time.monotonic() - begun > 45:
            raise SystemExit("idle connections: opening them took longer than the servers' idle timeout")
        time.sleep(1)
        during = server.resident_bytes()
        result = json.loads(program.communicate("\n")[0])
    if result["closed"]:
        raise SystemExit(f"idle connections: {result['closed']} of {result['connections']} were closed within a few seconds")
    count = result["connections"]
    return {
        "connections": count, "of_admin_listener": count - counts[server.port],
        "rss_megabytes_before": before / 1e6, "rss_megabytes": during / 1e6,
        "bytes_per_connection": (during - before) / count,
    }


def memory_over_time(generator, peer, connections, minutes):
    """Returns the resident megabytes after each minute of load. The ratio of the last to the first shows whether memory grows."""
    samples = []
    for minute in range(minutes):
        print(f"==> Memory: minute {minute + 1} of {minutes}", file=sys.stderr, flush=True)
        generator.closed_loop(peer, connections, 57)
        # The median of three samples, because memory that is being freed makes single samples vary.
        readings = []
        for _ in range(3):
            time.sleep(1)
            readings.append(sum(server.resident_bytes() for server in peer.servers))
        samples.append(statistics.median(readings) / 1e6)
    return {"minutes": minutes, "rss_megabytes": samples, "ratio": samples[-1] / samples[0]}
