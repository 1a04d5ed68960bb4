"""The subscriber system of the publisher: one PostgreSQL server with the readers, apart from that of the state, so that a fault of the
state does not also hide the readers."""

import signal
import subprocess

import processes
from database import programs, wait

READERS = 1_000_000

# The password of reader n is password-n, salted and hashed with SHA-256: cheap, because the load tests the nodes and not hashing.
SEED = f"""
CREATE TABLE reader (id integer PRIMARY KEY, email text NOT NULL, password text NOT NULL, state text NOT NULL);
INSERT INTO reader SELECT n, 'reader' || n || '@example.com',
    '{{SSHA256}}' || encode(sha256(convert_to('password-' || n, 'UTF8') || int4send(n)) || int4send(n), 'base64'), 'active'
    FROM generate_series(0, {READERS - 1}) AS n;
CREATE UNIQUE INDEX ON reader (email);
CREATE TABLE holding (state text NOT NULL, edition text NOT NULL);
INSERT INTO holding VALUES ('active', 'com.example.daily.2026-10'), ('active', 'com.example.daily.2026-11');
GRANT SELECT ON reader, holding TO gatefold;
VACUUM ANALYZE;
"""


class SubscriberSystem:
    """A server on a host of its own. Every program on the network of the cluster may query it without a password."""

    def __init__(self, run, host, owner):
        self.host = host
        self.programs = programs()
        self.data = run / "subscribers" / "data"
        self.data.parent.mkdir()
        owner(self.data.parent)
        self.process = processes.Process(run, "subscribers", host, [
            self.programs / "postgres", "-D", self.data, "-p", host.port("postgresql"), "-c", f"listen_addresses={host.address}",
            "-c", "unix_socket_directories=", "-c", "max_connections=100", "-c", "shared_buffers=64MB"])

    def start(self):
        subprocess.run(
            processes.unprivileged([str(self.programs / "initdb"), "-D", str(self.data), "-U", "postgres", "--auth=trust",
                                    "--no-sync"]), check=True, stdout=subprocess.DEVNULL)
        with open(self.data / "pg_hba.conf", "a") as rules:
            rules.write("host all all samenet trust\n")
        self.process.start()
        wait(self.is_ready, 60, "the subscriber system")
        self.execute("CREATE ROLE gatefold LOGIN; CREATE DATABASE readers")
        self.execute(SEED, "readers")

    def is_ready(self):
        return subprocess.run([str(self.programs / "pg_isready"), "-q", "-h", self.host.address, "-p",
                               str(self.host.port("postgresql"))]).returncode == 0

    def execute(self, statements, database="postgres"):
        subprocess.run(
            [str(self.programs / "psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", self.host.address,
             "-p", str(self.host.port("postgresql")), "-U", "postgres", "-d", database],
            input=statements, text=True, check=True, timeout=300, stdout=subprocess.DEVNULL)

    def stop(self):
        self.process.stop(signal.SIGINT, seconds=10)
