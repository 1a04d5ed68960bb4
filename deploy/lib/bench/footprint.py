"""The memory of a server with many idle connections, and after a long load."""

import resource
import selectors
import socket
import statistics
import sys
import time

import load


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


def idle_connections(server, counts, path):
    """Returns the resident megabytes before and after opening the connections. Each connection has completed one request."""
    ports = [port for port, count in counts.items() for _ in range(count)]
    count = len(ports)
    before = server.resident_bytes()
    selector, waiting, connections = selectors.DefaultSelector(), set(), []
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    begun = time.monotonic()
    try:
        # At most 256 at a time, because the test measures idle connections and not simultaneous connection attempts.
        while len(connections) < count or waiting:
            while len(connections) < count and len(waiting) < 256:
                connection = socket.socket()
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.connect(("127.0.0.1", ports[len(connections)]))
                connection.sendall(request)
                connections.append(connection)
                waiting.add(connection)
                selector.register(connection, selectors.EVENT_READ)
            for key, _ in selector.select(10):
                response = key.fileobj.recv(65536)
                if not response.startswith(b"HTTP/1.1 200"):
                    raise SystemExit(f"idle connection: {response[:200]!r}")
                selector.unregister(key.fileobj)
                waiting.discard(key.fileobj)
            if time.monotonic() - begun > 45:
                raise SystemExit("idle connections: opening them took longer than the servers' idle timeout")
        time.sleep(1)
        during = server.resident_bytes()
        closed = sum(1 for connection in connections if is_closed(connection))
        if closed:
            raise SystemExit(f"idle connections: {closed} of {count} were closed within a few seconds")
    finally:
        for connection in connections:
            connection.close()
    return {
        "connections": count, "of_admin_listener": count - counts[server.port],
        "rss_megabytes_before": before / 1e6, "rss_megabytes": during / 1e6,
        "bytes_per_connection": (during - before) / count,
    }


def is_closed(connection):
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False


def memory_over_time(server, request, connections, minutes):
    """Returns the resident megabytes after each minute of load. The ratio of the last to the first shows whether memory grows."""
    samples = []
    for minute in range(minutes):
        print(f"==> Memory: minute {minute + 1} of {minutes}", file=sys.stderr, flush=True)
        load.run(server.port, request, connections, 57)
        # The median of three samples, because memory that is being freed makes single samples vary.
        readings = []
        for _ in range(3):
            time.sleep(1)
            readings.append(server.resident_bytes())
        samples.append(statistics.median(readings) / 1e6)
    return {"minutes": minutes, "rss_megabytes": samples, "ratio": samples[-1] / samples[0]}
