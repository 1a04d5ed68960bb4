"""Starts the servers that are compared, reads their resource usage, and stops them."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import time

HERE = pathlib.Path(__file__).parent
FRONTS = HERE.parent.parent / "fronts"
TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def filled(template, **values):
    text = template.read_text()
    for name, value in values.items():
        text = text.replace(f"@{name}@", str(value))
    left = re.search(r"@[A-Z_]+@", text)
    if left:
        raise SystemExit(f"{template}: no value for {left.group()}")
    return text


class Server:
    """A process and its children, found by its pid. No other process is stopped or counted."""

    def __init__(self, name, command, port, run, environment=None):
        self.name, self.port = name, port
        self.log = open(run / f"{name}.log", "wb")
        self.process = subprocess.Popen(
            command, stdout=self.log, stderr=subprocess.STDOUT, env={**os.environ, **(environment or {})})

    def wait(self, seconds=20):
        """Waits until the server listens."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                time.sleep(0.05)
        self.stop()
        raise SystemExit(f"{self.name} did not start:\n{pathlib.Path(self.log.name).read_text()[-2000:]}")

    def pids(self):
        found, waiting = [], [self.process.pid]
        while waiting:
            pid = waiting.pop()
            found.append(pid)
            try:
                for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
                    waiting += [int(child) for child in (task / "children").read_text().split()]
            except OSError:
                pass
        return found

    def cpu_seconds(self):
        total = 0
        for pid in self.pids():
            try:
                fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                total += int(fields[11]) + int(fields[12])
            except OSError:
                pass
        return total / TICKS

    def proportional_bytes(self):
        """PSS: the private memory of the processes, and their proportional share of shared memory."""
        total = 0
        for pid in self.pids():
            try:
                for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                    if line.startswith("Pss:"):
                        total += int(line.split()[1]) * 1024
            except OSError:
                pass
        return total

    def resident_bytes(self):
        """RSS: the resident memory of the processes, including program pages. Shared memory counts once per process."""
        total = 0
        for pid in self.pids():
            try:
                for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
                    if line.startswith("VmRSS:"):
                        total += int(line.split()[1]) * 1024
            except OSError:
                pass
        return total

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()


def gatefold(program, run, content, upstream_port, port=None, name="gatefold"):
    port = port or free_port()
    configuration = run / f"{name}.yaml"
    configuration.write_text(
        filled(HERE / "gatefold.yaml", PORT=port, ADMIN=(admin := free_port()), RUN=run, CONTENT=content,
               UPSTREAM=upstream_port))
    server = Server(name, [program, "serve", "--config", str(configuration)], port, run)
    server.ports = {"ADMIN": admin}
    return server


def go(program, run):
    port = free_port()
    return Server(
        "go", [program, "-listen", f"127.0.0.1:{port}", "-secret", run / "secret", "-pseudonyms", run / "pseudonyms",
               "-readers", run / "readers.csv"], port, run)


def php_program():
    return sorted(pathlib.Path("/usr/sbin").glob("php-fpm*"))[-1]


def php(run):
    """Starts PHP-FPM on a socket, as root or as another user. nginx is in front of it."""
    # The user of the children must be able to read the script, and a checkout may be in a folder that only its owner may enter.
    shutil.copyfile(HERE / "peers/php/index.php", run / "index.php")
    (run / "index.php").chmod(0o644)
    program = php_program()
    # Each connection that nginx keeps open occupies a child. With fewer children than connections, some requests would hang.
    owner = "user = www-data\ngroup = www-data\nlisten.owner = www-data\n" if os.geteuid() == 0 else ""
    (run / "php.conf").write_text(
        f"[global]\nerror_log = {run}/php-error.log\ndaemonize = no\n[www]\nlisten = {run}/php.sock\nlisten.mode = 0666\n"
        f"listen.backlog = 4096\n{owner}pm = static\npm.max_children = 72\nclear_env = no\n"
        "php_admin_flag[opcache.enable] = on\n")
    server = Server(
        "php-fpm", [program, "--nodaemonize", "--fpm-config", run / "php.conf", "-d", "opcache.enable=1"], 0, run,
        {"GATEFOLD_SECRET": str(run / "secret")})
    end = time.monotonic() + 10
    while not (run / "php.sock").exists():
        if time.monotonic() > end or server.process.poll() is not None:
            server.stop()
            raise SystemExit(f"php-fpm did not start:\n{pathlib.Path(server.log.name).read_text()[-2000:]}")
        time.sleep(0.05)
    return server


def nginx(run, content, gatefold_port, returns):
    """Starts nginx with its own servers, and with the unchanged front configuration for publishers (deploy/fronts)."""
    ports = {name: free_port() for name in ("STATIC", "PHP", "PLAIN", "FRONT", "CHECKED", "ASKING")}
    (run / "front.conf").write_text(
        filled(FRONTS / "nginx/gatefold.conf", ADDRESS="127.0.0.1", PORT=ports["FRONT"],
               GATEFOLD=f"127.0.0.1:{gatefold_port}", PUBLICATION="bench", ROOT=content, RUN=run, LOG=run))
    user = "user www-data;\n" if os.geteuid() == 0 else ""
    (run / "nginx.conf").write_text(
        user + filled(HERE / "peers/nginx/nginx.conf", RUN=run, CONTENT=content, RETURNS=returns,
                      SCRIPT=run / "index.php", **ports))
    server = Server("nginx", ["nginx", "-c", str(run / "nginx.conf"), "-p", str(run)], ports["STATIC"], run)
    server.ports = ports
    return server
