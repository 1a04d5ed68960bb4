"""Two nodes on one PostgreSQL server and, for comparison, a node with its state in a file. Nothing is between them and the load."""

import os
import pathlib
import pwd
import secrets
import shutil
import subprocess

import configuration
import network
import processes
from database import wait
from server import Server
from topology import get, say

NODES = ["node1", "node2"]
# The node with its state in a file, and one that differs from it in one setting: it does not record what happens to readers.
ALONE, WITHOUT_TIMELINE = "alone", "without-timeline"
READERS = 30_000
EDITION = "com.example.daily.2026-11"
TABLES = """
CREATE TABLE booking (purchase text NOT NULL, account text NOT NULL, booked_at timestamptz NOT NULL DEFAULT now());
GRANT INSERT, SELECT ON booking TO gatefold;
GRANT CREATE ON SCHEMA public TO gatefold
"""


class Nodes:
    """All processes of the measurements, in a folder that it creates. Each measurement starts the nodes that it needs."""

    def __init__(self, run, gatefold):
        self.run = run
        # A copy, because the account of the processes may not be able to read the checkout.
        self.gatefold = run / "gatefold"
        shutil.copyfile(gatefold, self.gatefold)
        self.gatefold.chmod(0o755)
        for name in ("logs", "pids", "configuration", "secrets", "editions", "house", "postgresql", *NODES, ALONE, WITHOUT_TIMELINE):
            (run / name).mkdir()
        self.hosts = network.Loopback(["database", "receiver", *NODES, ALONE, WITHOUT_TIMELINE]).hosts
        self.password = secrets.token_hex(16)
        self.server = Server(run, self.hosts["database"], self.password)
        self.processes = {}

    def start(self):
        self.create_secrets()
        (self.run / "editions" / f"{EDITION}.zip").write_bytes(os.urandom(2000))
        for path in self.run.iterdir():
            if path.is_dir():
                self.own(path)
        say("Starting PostgreSQL")
        self.server.create()
        self.server.start()
        self.server.execute(f"CREATE ROLE gatefold LOGIN PASSWORD '{self.password}'")
        self.server.execute("CREATE DATABASE gatefold OWNER gatefold")
        self.server.execute("CREATE DATABASE billing")
        self.server.execute("CREATE EXTENSION pg_stat_statements")
        self.server.execute(TABLES, "billing")
        say(f"Inserting {READERS:,} readers")
        self.import_readers()

    def create_secrets(self):
        folder = self.run / "secrets"
        for name in ("pseudonyms", "daily", "bookings", "calls"):
            subprocess.run([self.gatefold, "secret", "new", "--out", folder / name], check=True, stdout=subprocess.DEVNULL)
        (folder / "postgresql").write_text(self.password + "\n")
        # Gatefold requires the key of a store. No purchase is made through it.
        encoded = subprocess.run(
            "openssl genrsa 2048 2>/dev/null | openssl rsa -pubout 2>/dev/null", shell=True, check=True, capture_output=True,
            text=True).stdout
        (folder / "play.pub").write_text("".join(line for line in encoded.splitlines() if "-----" not in line) + "\n")

    def own(self, path):
        """Gives a folder with its contents to the account of the processes."""
        if os.geteuid() == 0:
            account = pwd.getpwnam(processes.ACCOUNT)
            for inner in [path, *path.rglob("*")]:
                os.chown(inner, account.pw_uid, account.pw_gid)

    def import_readers(self):
        rows = [f"{email(number)},password-{number},automatic,2019-01-01/2090-12-31," for number in range(READERS)]
        file = self.run / "readers.csv"
        file.write_text("\n".join(["identifier,password,state,periods,editions", *rows]) + "\n")
        subprocess.run(
            processes.unprivileged([
                self.gatefold, "subscribers", "import", file, "--backend", "house", "--config", self.configure(ALONE)]),
            check=True, stdout=subprocess.DEVNULL)

    def configure(self, name, concurrent=4, deadline="5s"):
        host = self.hosts[name]
        state = f"path: {self.run}/{name}/state.sqlite" if name not in NODES else (
            f"kind: postgresql\n  folder: {self.run}/{name}\n  node_url: \"http://{host.at('admin')}\"\n"
            f"  connection: {{hosts: [\"{self.hosts['database'].at('postgresql')}\"], database: gatefold, user: gatefold, "
            f"password: {{file: {self.run}/secrets/postgresql}}, tls: {{mode: disable}}}}")
        return configuration.write(
            self.run, "measured.yaml", f"{name}.yaml", LISTEN=host.at("node"), ADMIN=host.at("admin"), RUN=self.run, STATE=state,
            POSTGRESQL=self.hosts["database"].at("postgresql"), WEBHOOK=self.hosts["receiver"].at("webhook"),
            CONCURRENT=concurrent, DEADLINE=deadline,
            TIMELINE="false" if name == WITHOUT_TIMELINE else "true")

    # MARK: Nodes

    def run_node(self, name, **settings):
        """Starts a node, and waits until it is ready. Returns its process."""
        self.processes[name] = processes.Process(
            self.run, name, self.hosts[name], [self.gatefold, "serve", "--config", self.configure(name, **settings)]).start()
        wait(lambda: self.is_ready(name), 60, name, 0.02)
        return self.processes[name]

    def is_ready(self, name):
        if not self.processes[name].is_running():
            raise SystemExit(f"gatefold: {name} ended:\n{self.processes[name].tail()}")
        return get(f"http://{self.hosts[name].at('admin')}/readyz") == 200

    def stop_nodes(self):
        for process in self.processes.values():
            process.stop(seconds=15)

    def stop(self):
        self.stop_nodes()
        self.server.stop()


def email(reader):
    return f"reader{reader}@example.com"


def clear(run):
    """Removes everything except the logs, and the file by which the folder is recognised."""
    for path in pathlib.Path(run).iterdir():
        if path.name not in ("cluster", "logs"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
