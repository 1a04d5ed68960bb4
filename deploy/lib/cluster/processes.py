"""Starts, signals and stops the processes of the cluster. Each is found by its process id and start time, so that no other
process is ever signalled."""

import os
import pathlib
import signal
import subprocess
import time

# The account of all processes when root starts them, because PostgreSQL and PgBouncer refuse to run as root.
ACCOUNT = "nobody"


def unprivileged(arguments):
    if os.geteuid() != 0:
        return list(arguments)
    return ["setpriv", f"--reuid={ACCOUNT}", "--regid=nogroup", "--clear-groups", *arguments]


def identity(pid):
    """Returns the start time of a process in ticks, or None if it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else fields[19]


def family(pid):
    """Returns the process and its descendants."""
    found, waiting = [], [pid]
    while waiting:
        current = waiting.pop()
        found.append(current)
        try:
            for task in pathlib.Path(f"/proc/{current}/task").iterdir():
                waiting += [int(child) for child in (task / "children").read_text().split()]
        except OSError:
            pass
    return found


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


class Process:
    """A program on a host of the cluster. Its id is in the folder `pids` while it runs."""

    def __init__(self, run, name, host, arguments, environment=None):
        self.name, self.host, self.arguments = name, host, [str(argument) for argument in arguments]
        self.environment = environment or {}
        self.log, self.record = run / "logs" / f"{name}.log", run / "pids" / name
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            # A session of its own: Ctrl-C reaches only the main program, which stops the others in order.
            self.process = subprocess.Popen(
                self.host.command(unprivileged(self.arguments)), stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True, env={**os.environ, **self.environment})
        self.record.write_text(f"{self.process.pid} {identity(self.process.pid)}\n")
        return self

    @property
    def pid(self):
        return self.process.pid

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self, number=signal.SIGKILL):
        send([self.pid], number)
        if number == signal.SIGKILL:
            self.process.wait()

    def stop(self, number=signal.SIGTERM, seconds=30):
        """Ends the process, and waits."""
        if not self.is_running():
            return
        send([self.pid], signal.SIGCONT)
        send([self.pid], number)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def tail(self, lines=15):
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        except OSError:
            return ""


def postmaster(data):
    """Returns the process id of the PostgreSQL server on a data folder, which Patroni starts, or None."""
    try:
        pid = int((data / "postmaster.pid").read_text().split()[0])
        arguments = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (OSError, ValueError, IndexError):
        return None
    return pid if str(data).encode() in arguments or f"--config-file={data}/postgresql.conf".encode() in arguments else None


def stop_recorded(run):
    """Stops the processes that an earlier run has recorded. Their main program has ended."""
    pids = []
    for record in (run / "pids").glob("*"):
        fields = record.read_text().split()
        if len(fields) == 2 and identity(fields[0]) == fields[1]:
            pids.append(int(fields[0]))
    pids += [pid for data in run.glob("db*/data") if (pid := postmaster(data))]
    everything = sorted({member for pid in pids for member in family(pid)})
    send(everything, signal.SIGCONT)
    send(everything, signal.SIGTERM)
    end = time.monotonic() + 10
    while any(identity(pid) for pid in everything) and time.monotonic() < end:
        time.sleep(0.1)
    send([pid for pid in everything if identity(pid)], signal.SIGKILL)
