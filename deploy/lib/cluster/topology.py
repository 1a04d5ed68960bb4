"""The hosts and processes of the cluster: starts them in order, and stops them in the opposite order.

    apps ──▶ HAProxy ──▶ node1, node2, node3 ──▶ PgBouncer ──▶ HAProxy ──▶ the primary of db1 and db2
                                    └──▶ subscribers
"""

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import configuration
import network
import processes
import volumes
from clocks import Clocks
from database import Database, MEMBERS, wait
from subscribers import READERS, SubscriberSystem

NODES = ["node1", "node2", "node3"]
HOSTS = ["front", "pool", "dcs", "subscribers", *MEMBERS, *NODES]
EDITIONS = [f"com.example.daily.2026-{month}" for month in ("09", "10", "11")]


def say(text):
    print(f"\033[1m==>\033[0m {text}", file=sys.stderr, flush=True)


class Cluster:
    """All processes of the cluster, in a folder that it creates."""

    def __init__(self, run, gatefold, former=None):
        """Creates a cluster of a program, or of a former release that `upgrade` replaces."""
        self.run = run
        # A copy, because the account of the processes may not be able to read the checkout.
        self.gatefold = run / "gatefold"
        self.newer = gatefold if former else None
        self.network = None
        self.password = secrets.token_hex(16)
        for name in ("logs", "pids", "configuration", "secrets", "editions", *NODES):
            (run / name).mkdir()
        self.install(former or gatefold)
        self.clocks = Clocks(run)
        self.prefix = f"gatefold-{secrets.token_hex(2)}"
        (run / "prefix").write_text(self.prefix + "\n")

    def install(self, program):
        # Renamed, because the file of a program that runs cannot be written.
        copy = self.run / "gatefold.new"
        shutil.copyfile(program, copy)
        copy.chmod(0o755)
        copy.rename(self.gatefold)

    def upgrade(self):
        """Installs the newer program. Each node uses it from its next start on."""
        self.install(self.newer)

    # MARK: Start

    def start(self):
        self.network = network.create(HOSTS, self.prefix)
        say(f"Hosts: {self.network.kind}")
        self.hosts = self.network.hosts
        self.database = Database(self.run, self.hosts, self.password)
        self.has_volumes = self.database.prepare(self.own)
        self.subscribers = SubscriberSystem(self.run, self.hosts["subscribers"], self.own)
        self.create_secrets()
        self.create_editions()
        self.front = self.load_balancer()
        self.pool = self.pooler()
        self.nodes = {name: self.node(name) for name in NODES}
        for path in self.run.iterdir():
            if path.is_dir() and path.name not in (*MEMBERS, "subscribers"):
                self.own(path, deep=True)
        # They contain passwords.
        for name in ("configuration", "secrets"):
            (self.run / name).chmod(0o700)

        say("Starting etcd, PostgreSQL and Patroni")
        for voter in self.database.voters.values():
            voter.start()
        self.database.patroni["db1"].start()
        self.until(lambda: self.database.primary() == "db1", 120, "the primary", self.database.patroni["db1"])
        self.database.seed()
        self.database.patroni["db2"].start()
        self.until(self.database.is_redundant, 180, "the synchronous standby", self.database.patroni["db2"])

        say(f"Starting the subscriber system with {READERS:,} readers")
        self.subscribers.start()
        say("Starting HAProxy, PgBouncer and three nodes")
        self.front.start()
        self.pool.start()
        for process, service in ((self.front, "database"), (self.pool, "pgbouncer")):
            self.until(lambda: listens(process.host, service), 20, process.name, process)
        # HAProxy considers a server up until two checks have failed, so it first also sends to the standby.
        time.sleep(3)
        for node in self.nodes.values():
            node.start()
        for name in NODES:
            self.until(lambda: self.is_ready(name), 60, name, self.nodes[name])
        wait(lambda: get(self.url + "/healthz") == 200, 20, "HAProxy")

    def until(self, condition, seconds, what, process):
        def progress():
            if not process.is_running():
                raise SystemExit(f"gatefold: {process.name} ended:\n{process.tail()}")
            return condition()
        try:
            wait(progress, seconds, what)
        except TimeoutError as error:
            raise SystemExit(f"gatefold: {error}\n{process.tail()}")

    def own(self, path, deep=False):
        """Gives a file or folder to the account of the processes."""
        if os.geteuid() != 0:
            return
        account = pwd.getpwnam(processes.ACCOUNT)
        os.chown(path, account.pw_uid, account.pw_gid)
        for inner in path.iterdir() if deep and path.is_dir() else []:
            self.own(inner, deep=True)

    def create_secrets(self):
        folder = self.run / "secrets"
        for name in ("pseudonyms", "daily"):
            subprocess.run([self.gatefold, "secret", "new", "--out", folder / name], check=True, stdout=subprocess.DEVNULL)
        (folder / "postgresql").write_text(self.password + "\n")
        (folder / "postgresql").chmod(0o600)
        # The key of a simulated Google Play, which signs the receipts of the purchases.
        subprocess.run(["openssl", "genrsa", "-out", folder / "play.pem", "2048"], check=True, stderr=subprocess.DEVNULL)
        encoded = subprocess.run(["openssl", "rsa", "-in", folder / "play.pem", "-pubout"], check=True, capture_output=True,
                                 text=True).stdout
        (folder / "play.pub").write_text("".join(line for line in encoded.splitlines() if "-----" not in line) + "\n")

    def create_editions(self):
        for edition in EDITIONS:
            (self.run / "editions" / f"{edition}.zip").write_bytes(os.urandom(2000))

    def load_balancer(self):
        front, check = self.hosts["front"], "check"
        file = configuration.write(
            self.run, "haproxy.cfg", "haproxy.cfg", APPS=front.at("apps"), DATABASE=front.at("database"),
            NODES="\n".join(f"    server {name} {self.hosts[name].at('node')} {check}" for name in NODES),
            MEMBERS="\n".join(
                f"    server {name} {self.hosts[name].at('postgresql')} {check} port {self.hosts[name].port('patroni')}"
                for name in MEMBERS))
        return processes.Process(self.run, "haproxy", front, ["haproxy", "-db", "-f", file])

    def pooler(self):
        pool, front = self.hosts["pool"], self.hosts["front"]
        users = self.run / "pgbouncer-users.txt"
        users.write_text(f'"gatefold" "{self.password}"\n')
        users.chmod(0o600)
        self.own(users)
        file = configuration.write(
            self.run, "pgbouncer.ini", "pgbouncer.ini", RUN=self.run, HOST=front.address, PORT=front.port("database"),
            ADDRESS=pool.address, LISTEN=pool.port("pgbouncer"))
        return processes.Process(self.run, "pgbouncer", pool, ["pgbouncer", file])

    def node(self, name):
        file = self.configure(name)
        return processes.Process(
            self.run, name, self.hosts[name], [self.gatefold, "serve", "--config", file], self.clocks.environment(name))

    def configure(self, name):
        """Writes the configuration of a node."""
        host = self.hosts[name]
        trusted = {self.hosts["front"].address, str(getattr(self.network, "gateway", "127.0.0.1"))}
        return configuration.write(
            self.run, "gatefold.yaml", f"{name}.yaml", NAME=name, RUN=self.run, LISTEN=host.at("node"), ADMIN=host.at("admin"),
            POOL=self.hosts["pool"].at("pgbouncer"), TRUSTED=", ".join(f'"{address}"' for address in sorted(trusted)),
            READERS=self.hosts["subscribers"].at("postgresql"))

    # MARK: State

    @property
    def url(self):
        return f"http://{self.hosts['front'].at('apps')}"

    def is_ready(self, name):
        return get(f"http://{self.hosts[name].at('admin')}/readyz") == 200

    def is_whole(self):
        """Returns whether every part runs and a standby would take over."""
        return all(self.is_ready(name) for name in NODES) and self.database.is_redundant()

    @property
    def all_processes(self):
        database = self.database
        return [*database.voters.values(), *database.patroni.values(), self.subscribers.process, self.front, self.pool,
                *self.nodes.values()]

    # MARK: Stop

    def stop(self):
        if self.network is None:
            return
        if hasattr(self, "nodes"):
            for name in HOSTS if self.network.can_disconnect else []:
                self.network.connect(name)
            for node in self.nodes.values():
                processes.send([node.pid] if node.is_running() else [], signal.SIGCONT)
            for process in [*self.nodes.values(), self.pool, self.front]:
                process.stop(seconds=10)
            self.subscribers.stop()
            self.database.stop()
        self.network.remove()
        clear(self.run)


def listens(host, service):
    try:
        socket.create_connection((host.address, host.port(service)), 1).close()
        return True
    except OSError:
        return False


def get(url):
    """Returns the status of a response, or None."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=2) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


def clear(run):
    """Removes what a run has stored, except its logs and its report."""
    volumes.remove(run)
    for path in run.iterdir():
        if path.name in ("cluster", "logs", "configuration", "report.md", "history.jsonl"):
            continue
        shutil.rmtree(path) if path.is_dir() else path.unlink()
