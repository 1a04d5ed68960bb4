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

    def wait(self, seconds=20, port=None):
        """Waits until the server listens on its port, or on another one."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", port or self.port), 1).close()
                self.listened_at = time.monotonic()
                return self
            except OSError:
                time.sleep(0.005)
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


class Fleet:
    """Starts servers in a folder, and stops all of them."""

    def __init__(self, program, run, content):
        # The path of Gatefold, the folder of the run, and the folder of editions.
        self.program, self.run, self.content = program, run, content
        self.started = []

    def stop(self):
        for server in reversed(self.started):
            server.stop()

    def start(self, *server, **options):
        self.started.append(Server(*server, self.run, **options))
        return self.started[-1]

    def gatefold(self, name, template="gatefold.yaml", tls=False, **values):
        """Starts the server under test, with TLS on its only listener or without."""
        port, admin = free_port(), free_port()
        files = f"tls: {{certificate: {self.run}/certificate.pem, key: {self.run}/key.pem}}" if tls else ""
        configuration = self.run / f"{name}.yaml"
        configuration.write_text(
            filled(HERE / template, PORT=port, ADMIN=admin, RUN=self.run, CONTENT=self.content, TLS=files, **values))
        server = self.start(name, [self.program, "serve", "--config", str(configuration)], port)
        server.ports = {"ADMIN": admin}
        return server.wait()

    def go(self, program, feed):
        """Starts the peer in Go, which reads the database that Gatefold made from its feed of readers."""
        port, secure = free_port(), free_port()
        server = self.start(
            "go", [program, "-listen", f"127.0.0.1:{port}", "-listen-tls", f"127.0.0.1:{secure}",
                   "-certificate", self.run / "certificate.pem", "-key", self.run / "key.pem", "-secret", self.run / "secret",
                   "-pseudonyms", self.run / "pseudonyms", "-feed", feed], port)
        server.ports = {"SECURE": secure}
        return server.wait().wait(port=secure)

    def php(self):
        """Starts PHP-FPM on a socket, as root or as another user. nginx is in front of it."""
        run = self.run
        # The user of the children must be able to read the script, and a checkout may be in a folder that only its owner may enter.
        shutil.copyfile(HERE / "peers/php/index.php", run / "index.php")
        (run / "index.php").chmod(0o644)
        # Each connection that nginx keeps open occupies a child. With fewer children than connections, some requests would hang.
        owner = "user = www-data\ngroup = www-data\nlisten.owner = www-data\n" if os.geteuid() == 0 else ""
        (run / "php.conf").write_text(
            f"[global]\nerror_log = {run}/php-error.log\ndaemonize = no\n[www]\nlisten = {run}/php.sock\nlisten.mode = 0666\n"
            f"listen.backlog = 4096\n{owner}pm = static\npm.max_children = 72\nclear_env = no\n"
            "php_admin_flag[opcache.enable] = on\n")
        server = self.start(
            "php-fpm", [php_program(), "--nodaemonize", "--fpm-config", run / "php.conf", "-d", "opcache.enable=1"], 0,
            environment={"GATEFOLD_SECRET": str(run / "secret")})
        end = time.monotonic() + 10
        while not (run / "php.sock").exists():
            if time.monotonic() > end or server.process.poll() is not None:
                server.stop()
                raise SystemExit(f"php-fpm did not start:\n{pathlib.Path(server.log.name).read_text()[-2000:]}")
            time.sleep(0.05)
        return server

    def nginx(self, gatefold_port, returns):
        """Starts nginx with its own servers, and with the unchanged front configuration for publishers (deploy/fronts)."""
        run, ports = self.run, {name: free_port() for name in ("STATIC", "SECURE", "PHP", "PLAIN", "FRONT")}
        (run / "front.conf").write_text(
            filled(FRONTS / "nginx/gatefold.conf", ADDRESS="127.0.0.1", PORT=ports["FRONT"],
                   GATEFOLD=f"127.0.0.1:{gatefold_port}", PUBLICATION="bench", ROOT=self.content, RUN=run, LOG=run))
        user = "user www-data;\n" if os.geteuid() == 0 else ""
        (run / "nginx.conf").write_text(
            user + filled(HERE / "peers/nginx/nginx.conf", RUN=run, CONTENT=self.content, RETURNS=returns,
                          SCRIPT=run / "index.php", **ports))
        server = self.start("nginx", ["nginx", "-c", str(run / "nginx.conf"), "-p", str(run)], ports["STATIC"])
        server.ports = ports
        return server.wait()


def php_program():
    return sorted(pathlib.Path("/usr/sbin").glob("php-fpm*"))[-1]


def make_certificate(run):
    """Creates the certificate and key of all servers: ECDSA with P-256."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
         "/CN=bench", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", run / "key.pem", "-out", run / "certificate.pem"],
        check=True, stderr=subprocess.DEVNULL)
