"""One PostgreSQL server without a standby, for measurements."""

import os
import signal
import subprocess

import database
import processes

# The defaults of PostgreSQL, and the counts of statements.
SETTINGS = """
shared_preload_libraries = 'pg_stat_statements'
max_connections = 200
"""


class Server:
    """A PostgreSQL server in a folder of the run, and a connection of the superuser to each of its databases."""

    def __init__(self, run, host, password):
        self.run, self.host, self.password = run, host, password
        self.programs = database.programs()
        self.data = run / "postgresql" / "data"
        self.process = processes.Process(run, "postgresql", host, [
            self.programs / "postgres", "-D", self.data, "-h", host.address, "-p", host.port("postgresql"), "-k", ""])
        self.connections = {}

    def create(self):
        """Creates the files of the server. The folder of the data belongs to the account of the processes."""
        subprocess.run(processes.unprivileged([
            str(self.programs / "initdb"), "-D", str(self.data), "-U", "postgres", "-A", "scram-sha-256", "-E", "UTF8",
            "--locale=C.UTF-8", f"--pwfile={self.run}/secrets/postgresql"]), check=True, stdout=subprocess.DEVNULL)
        with open(self.data / "postgresql.conf", "a") as settings:
            settings.write(SETTINGS)

    def start(self):
        self.process.start()
        database.wait(self.accepts, 60, "PostgreSQL", 0.1)

    def accepts(self):
        return subprocess.run(
            [str(self.programs / "pg_isready"), "-q", "-h", self.host.address,
             "-p", str(self.host.port("postgresql"))]).returncode == 0

    def stop(self, number=None):
        """Stops the server, as a machine that shuts down does, or with another signal."""
        for connection in self.connections.values():
            connection.close()
        self.connections = {}
        # SIGINT does not wait for the clients.
        self.process.stop(number or signal.SIGINT)

    def execute(self, statements, name="postgres"):
        """Runs statements as the superuser. Returns the values, with `|` between columns."""
        if name not in self.connections:
            self.connections[name] = Connection(
                [str(self.programs / "psql"), "-X", "-q", "-A", "-t", "-h", self.host.address, "-p",
                 str(self.host.port("postgresql")), "-U", "postgres", "-d", name], self.password)
        return self.connections[name].execute(statements)


class Connection:
    """A psql that stays open, because the start of another one takes longer than most measured times."""

    def __init__(self, command, password):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "PGPASSWORD": password}, start_new_session=True)

    def execute(self, statements):
        self.process.stdin.write(f"{statements};\n\\echo -- end\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line == "-- end\n":
                failure = next((line for line in lines if line.startswith(("ERROR:", "FATAL:"))), None)
                if failure:
                    raise RuntimeError(failure.strip())
                return "".join(lines).strip()
            lines.append(line)
        raise RuntimeError("".join(lines).strip() or "psql ended")

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
