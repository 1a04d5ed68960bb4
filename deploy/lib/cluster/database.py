"""PostgreSQL under Patroni with etcd: starts the members, finds the primary, and runs statements."""

import json
import os
import pathlib
import signal
import subprocess
import time
import urllib.error
import urllib.request

import configuration
import processes
import volumes

MEMBERS = ["db1", "db2"]
# Three votes, so that the lease of the primary survives the failure of any one host.
VOTERS = ["db1", "db2", "dcs"]

BOOKINGS = """
-- Without a key, so that a purchase that is credited twice has two rows.
CREATE TABLE booking (purchase text NOT NULL, account text NOT NULL, booked_at timestamptz NOT NULL DEFAULT now());
GRANT INSERT, SELECT ON booking TO gatefold;
GRANT CREATE ON SCHEMA public TO gatefold;
"""


def programs():
    """Returns the folder of the newest PostgreSQL of Debian."""
    versions = [path for path in pathlib.Path("/usr/lib/postgresql").glob("*/bin") if path.parent.name.isdigit()]
    return max(versions, key=lambda path: int(path.parent.name))


class Database:
    """The members, their volumes and their voters."""

    def __init__(self, run, hosts, password):
        self.run, self.hosts, self.password = run, hosts, password
        self.programs = programs()
        self.data = {name: run / name / "data" for name in MEMBERS}
        self.voters = {name: self.voter(name) for name in VOTERS}
        self.patroni = {name: self.member(name) for name in MEMBERS}

    def prepare(self, owner):
        """Creates the volumes. Returns whether their size is limited."""
        limited = [volumes.create(self.run / name, self.run / f"{name}.ext4") for name in MEMBERS]
        for name in MEMBERS:
            self.data[name].mkdir(mode=0o700)
            owner(self.run / name)
            owner(self.data[name])
        return all(limited)

    def voter(self, name):
        host = self.hosts[name]
        (self.run / f"etcd-{name}").mkdir(mode=0o700)
        peers = ",".join(f"{voter}=http://{self.hosts[voter].at('etcd-peers')}" for voter in VOTERS)
        return processes.Process(self.run, f"etcd-{name}", host, [
            "etcd", "--name", name, "--data-dir", self.run / f"etcd-{name}",
            "--listen-client-urls", f"http://{host.at('etcd')}", "--advertise-client-urls", f"http://{host.at('etcd')}",
            "--listen-peer-urls", f"http://{host.at('etcd-peers')}", "--initial-advertise-peer-urls",
            f"http://{host.at('etcd-peers')}", "--initial-cluster", peers, "--initial-cluster-state", "new",
            # patroni.yaml explains why.
            "--enable-v2",
            # Tolerates a busy machine: a vote only after 3 s of silence.
            "--heartbeat-interval", "300", "--election-timeout", "3000", "--logger", "zap", "--log-level", "warn"])

    def member(self, name):
        host = self.hosts[name]
        file = configuration.write(
            self.run, "patroni.yaml", f"{name}.yaml", NAME=name, REST=host.at("patroni"), POSTGRESQL=host.at("postgresql"),
            ETCD=", ".join(f'"{self.hosts[voter].at("etcd")}"' for voter in VOTERS), DATA=self.data[name], RUN=self.run,
            PROGRAMS=self.programs, PASSWORD=self.password)
        return processes.Process(self.run, f"patroni-{name}", host, ["patroni", file], {"PYTHONDONTWRITEBYTECODE": "1"})

    # MARK: State

    def ask(self, name, path, method="GET", body=None, seconds=3):
        """Returns the status and the JSON of a member's REST interface, or None if it does not respond."""
        request = urllib.request.Request(
            f"http://{self.hosts[name].at('patroni')}{path}", method=method,
            data=json.dumps(body).encode() if body is not None else None)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=seconds) as response:
                text = response.read()
                return response.status, (json.loads(text) if text[:1] == b"{" else text.decode())
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(errors="replace")
        except (OSError, ValueError):
            return None

    def role(self, name, path):
        response = self.ask(name, path)
        return response is not None and response[0] == 200

    def primary(self):
        """Returns the name of the member that holds the lease, or None."""
        return next((name for name in MEMBERS if self.role(name, "/primary")), None)

    def synchronous_standby(self):
        return next((name for name in MEMBERS if self.role(name, "/synchronous")), None)

    def is_redundant(self):
        primary = self.primary()
        return primary is not None and self.synchronous_standby() not in (None, primary)

    def other(self, name):
        return next(member for member in MEMBERS if member != name)

    def pids(self, name):
        """Returns the processes of a member: PostgreSQL with its children, and Patroni."""
        server = processes.postmaster(self.data[name])
        patroni = self.patroni[name]
        return [*(processes.family(patroni.pid) if patroni.is_running() else []), *(processes.family(server) if server else [])]

    # MARK: Statements

    def execute(self, statements, database="postgres", member=None, seconds=120):
        """Runs statements as the superuser at the primary. Returns the values, with `|` between columns."""
        host = self.hosts[member or self.primary() or MEMBERS[0]]
        run = subprocess.run(
            [str(self.programs / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", host.address,
             "-p", str(host.port("postgresql")), "-U", "postgres", "-d", database],
            input=statements, capture_output=True, text=True, timeout=seconds,
            env={**os.environ, "PGPASSWORD": self.password, "PGCONNECT_TIMEOUT": "5"})
        if run.returncode:
            raise RuntimeError(run.stderr.strip())
        return run.stdout.strip()

    def seed(self):
        # The statements commit on the standby only if one is attached: Patroni adds it when it streams.
        self.execute(f"CREATE ROLE gatefold LOGIN PASSWORD '{self.password}'; CREATE DATABASE state OWNER gatefold")
        self.execute("CREATE DATABASE bookings")
        self.execute(BOOKINGS, "bookings")

    def stop(self):
        """Stops the standby first, because a failover would only delay the end."""
        primary = self.primary()
        for name in sorted(MEMBERS, key=lambda name: name == primary):
            processes.send(self.pids(name), signal.SIGCONT)
            self.patroni[name].stop(seconds=20)
            processes.send(self.pids(name), signal.SIGKILL)
        for voter in self.voters.values():
            voter.stop(seconds=5)


def wait(condition, seconds, what, interval=0.3):
    """Waits until the condition holds, and returns the time that it took."""
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > seconds:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(interval)
    return time.monotonic() - start
