"""Starts a cluster on this machine and shows how to damage it, or damages it and reports what readers noticed. The entry point of
deploy/cluster."""

import argparse
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time

import faults
import measure
import network
import nodes
import processes
import topology
import volumes
from topology import Cluster, say

RESTART_DELAY = 5
READER_SHOWN = 123456


def parsed_arguments():
    parser = argparse.ArgumentParser(prog="deploy/cluster")
    parser.add_argument("--gatefold", help=argparse.SUPPRESS)
    parser.add_argument("--caller", type=pathlib.Path, default=pathlib.Path.cwd(), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=pathlib.Path,
                        default=pathlib.Path(tempfile.gettempdir()) / f"gatefold-cluster-{os.getuid()}")
    parser.add_argument("--stop", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--away", type=int, default=60)
    parser.add_argument("--faults", default="")
    parser.add_argument("--upgrade-from", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=45)
    parser.add_argument("--rate", type=int, default=100)
    parser.add_argument("--sign-outs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.folder = (arguments.caller / arguments.folder).resolve()
    if arguments.upgrade_from:
        arguments.upgrade_from = arguments.caller / arguments.upgrade_from
        if not os.access(arguments.upgrade_from, os.X_OK) or arguments.upgrade_from.is_dir():
            parser.error(f"--upgrade-from: {arguments.upgrade_from} is not a program")
    if not 10 <= arguments.seconds <= 600:
        parser.error("--seconds: expected 10 to 600")
    if not 1 <= arguments.rate <= 2000:
        parser.error("--rate: expected 1 to 2000")
    if arguments.sign_outs is None:
        arguments.sign_outs = 1000 if arguments.measure else 100
    if not 0 <= arguments.sign_outs <= 2000 or (arguments.measure and not arguments.sign_outs):
        parser.error("--sign-outs: expected 0 to 2000")
    for name, value, least, most in (("kills", arguments.kills, 1, 10_000), ("rounds", arguments.rounds, 2, 100),
                                     ("away", arguments.away, 5, 600)):
        if not least <= value <= most:
            parser.error(f"--{name}: expected {least} to {most:,}")
    arguments.only = [name for name in arguments.only.split(",") if name]
    for name in arguments.only:
        if name not in measure.NAMES:
            parser.error(f"--only: expected some of {', '.join(measure.NAMES)}, found {name}")
    arguments.faults = [name for name in arguments.faults.split(",") if name]
    for name in arguments.faults:
        if name not in faults.NAMES:
            parser.error(f"--faults: expected some of {', '.join(faults.NAMES)}, found {name}")
    return arguments


def prepare(folder):
    """Creates the folder, or removes what an earlier run has left in it."""
    if folder.is_symlink() or (folder.exists() and folder.stat().st_uid != os.getuid()):
        raise SystemExit(f"gatefold: {folder} belongs to another account; choose another one with --folder")
    if folder.exists() and any(folder.iterdir()) and not (folder / "cluster").exists():
        raise SystemExit(f"gatefold: {folder} has other files; choose another one with --folder")
    folder.mkdir(exist_ok=True)
    if is_running(folder):
        raise SystemExit(f"gatefold: a cluster runs in {folder}; stop it with deploy/cluster --stop, or choose another --folder")
    clean(folder)
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    folder.chmod(0o755)
    (folder / "cluster").write_text(f"{os.getpid()} {processes.identity(os.getpid())}\n")


def is_running(folder):
    try:
        pid, start = (folder / "cluster").read_text().split()
    except (OSError, ValueError):
        return None
    return int(pid) if processes.identity(pid) == start else None


def clean(folder):
    """Stops the processes and removes the network of a run whose main program was killed."""
    if (folder / "pids").exists():
        processes.stop_recorded(folder)
    if (folder / "prefix").exists():
        network.remove_leftovers((folder / "prefix").read_text().strip())
    volumes.remove(folder)


def stop(folder):
    pid = is_running(folder)
    if pid:
        os.kill(pid, signal.SIGTERM)
        say("Stopping the cluster")
        end = time.monotonic() + 120
        while is_running(folder) and time.monotonic() < end:
            time.sleep(0.2)
        if is_running(folder):
            raise SystemExit("gatefold: the cluster did not stop within 120 s")
    elif not (folder / "pids").exists():
        raise SystemExit(f"gatefold: no cluster runs in {folder}")
    if (folder / "pids").exists():
        say("Removing what a killed cluster has left")
        clean(folder)
        topology.clear(folder)
    say(f"Stopped. The logs are in {folder}/logs")


def show(cluster):
    """Prints what runs, and how to damage it."""
    run, hosts = cluster.run, cluster.hosts
    network_lines = []
    if cluster.network.can_disconnect:
        link = f"ip -n {cluster.network.lan} link set"
        network_lines += [
            f"ip netns exec {hosts['node1'].namespace} bash                # a shell on node1",
            f"{link} node1 nomaster        # cuts node1 off; `{link} node1 master lan` connects it again",
            f"{link} db1 nomaster          # cuts db1 off"]
        if cluster.network.can_delay:
            delay = "tc qdisc add dev eth0 root netem delay 200ms"
            network_lines.append(f"ip netns exec {hosts['pool'].namespace} {delay}   # delays the database")
    lines = "\n".join(network_lines)
    reader = f"-d email=reader{READER_SHOWN}@example.com -d password=password-{READER_SHOWN} -d device=phone"
    token = "sed -n 's:.*<token[^>]*>\\(.*\\)</token>.*:\\1:p'"
    print(f"""
The cluster is ready at {cluster.url}. A reader's calls, for another terminal:

TOKEN=$(curl -s {cluster.url}/sign_in {reader} | {token})
curl -si "{cluster.url}/verify_subscription?token=$TOKEN"     # X-Node names the node that responded
curl -s "{cluster.url}/sign_out?token=$TOKEN"
{"".join(f'''
curl -s "http://{hosts[name].at('node')}/verify_subscription?token=$TOKEN"     # {name}''' for name in topology.NODES)}

What is damaged is started again after {RESTART_DELAY} s. The process ids are in {run}/pids:

pid() {{ cut -d ' ' -f 1 {run}/pids/$1; }}
kill -9 $(pid node1)                                 # a node
kill -STOP $(pid node2); sleep 30; kill -CONT $(pid node2)
postgresql() {{ head -n 1 {run}/$1/data/postmaster.pid; }}
kill -9 $(pid patroni-db1) $(postgresql db1)         # the primary: db2 is promoted when the lease ends, after 20 s
kill -9 $(postgresql db1)                            # PostgreSQL alone: db2 is promoted at once
kill $(pid pgbouncer)
{lines}

patronictl -c {run}/configuration/db1.yaml list
curl -s http://{hosts['node1'].at('admin')}/readyz

deploy/cluster --report damages everything by itself. Stop with Ctrl-C, or with deploy/cluster --stop.
""", flush=True)


def watch(cluster):
    """Starts ended processes again, as systemd would."""
    ended = {}
    while True:
        time.sleep(0.5)
        for process in cluster.all_processes:
            if process.is_running():
                continue
            since = ended.setdefault(process.name, time.monotonic())
            if time.monotonic() - since > RESTART_DELAY:
                say(f"Starting {process.name} again")
                process.start()
                del ended[process.name]


def interrupt(*_):
    # Later signals must not interrupt the end, which takes some seconds.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def main():
    arguments = parsed_arguments()
    if arguments.stop:
        return stop(arguments.folder)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    prepare(arguments.folder)
    if arguments.measure:
        return run_measurements(arguments)
    cluster = Cluster(arguments.folder, arguments.gatefold, arguments.upgrade_from)
    status = 0
    try:
        cluster.start()
        if arguments.report:
            import report
            status = report.run(cluster, arguments)
        else:
            show(cluster)
            watch(cluster)
    except KeyboardInterrupt:
        status = 130 if arguments.report else 0
    finally:
        say("Stopping")
        cluster.stop()
        say(f"Stopped. The logs are in {arguments.folder}/logs")
    return status


def run_measurements(arguments):
    """Removes the folder at the end, unless a measurement failed: its files show why."""
    servers, status = nodes.Nodes(arguments.folder, arguments.gatefold), 1
    try:
        servers.start()
        status = measure.run(servers, arguments)
    except KeyboardInterrupt:
        status = 130
    finally:
        say("Stopping")
        servers.stop()
        if status == 1:
            nodes.clear(arguments.folder)
            say(f"Stopped. The logs are in {arguments.folder}/logs")
        else:
            shutil.rmtree(arguments.folder)
    return status


if __name__ == "__main__":
    sys.exit(main())
