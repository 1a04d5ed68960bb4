"""The faults of deploy/cluster --report. Each begins with the injection, and returns when it is repaired, but not necessarily when
the cluster has recovered."""

import contextlib
import dataclasses
import signal
import time
import typing

import processes
import volumes
from topology import NODES


@dataclasses.dataclass
class Fault:
    name: str
    # The row in the table.
    title: str
    inject: typing.Callable
    # Returns the reason why this machine cannot do it, or None.
    obstacle: typing.Callable = lambda cluster: None


def none(cluster):
    pass


def kill_nodes(cluster):
    for name in NODES:
        cluster.nodes[name].kill()
        time.sleep(5)
        cluster.nodes[name].start()
        wait_until_ready(cluster, name)


def restart_nodes(cluster):
    for name in NODES:
        cluster.nodes[name].stop()
        cluster.nodes[name].start()
        wait_until_ready(cluster, name)


def upgrade_nodes(cluster):
    cluster.upgrade()
    restart_nodes(cluster)


def move_clock(cluster):
    """Five minutes ahead, then five minutes behind, which is a step back by ten minutes."""
    cluster.clocks.check(cluster.nodes["node1"])
    for seconds in (300, -300, 0):
        cluster.clocks.move("node1", seconds)
        time.sleep(15)


def suspend_node(cluster):
    cluster.nodes["node1"].kill(signal.SIGSTOP)
    time.sleep(30)
    cluster.nodes["node1"].kill(signal.SIGCONT)


def cut_off_node(cluster):
    with cut_off(cluster, "node2"):
        time.sleep(30)


def crash_postgresql(cluster):
    """PostgreSQL is killed and Patroni continues: Patroni fails over at once."""
    primary = cluster.database.primary()
    processes.send(processes.family(processes.postmaster(cluster.database.data[primary])), signal.SIGKILL)


def kill_primary(cluster):
    """All processes of the host of the primary are killed, as in a power cut. The standby waits for the end of the lease."""
    with killed(cluster, cluster.database.primary()):
        time.sleep(30)


def kill_standby(cluster):
    with killed(cluster, cluster.database.synchronous_standby()):
        time.sleep(15)


def suspend_primary(cluster):
    """The host of the primary freezes until after the failover, and then continues where it was."""
    primary = cluster.database.primary()
    pids = [*cluster.database.pids(primary), cluster.database.voters[primary].pid]
    processes.send(pids, signal.SIGSTOP)
    time.sleep(30)
    processes.send(pids, signal.SIGCONT)


def cut_off_primary(cluster):
    """The primary continues, but nobody reaches it, and it does not reach etcd."""
    with cut_off(cluster, cluster.database.primary()):
        time.sleep(35)


def cut_off_standby(cluster):
    with cut_off(cluster, cluster.database.synchronous_standby()):
        time.sleep(30)


def switch_over(cluster):
    primary = cluster.database.primary()
    cluster.database.ask(primary, "/switchover", "POST", {"leader": primary, "candidate": cluster.database.other(primary)}, 30)


def restart_primary(cluster):
    cluster.database.ask(cluster.database.primary(), "/restart", "POST", {}, 30)


def restart_pgbouncer(cluster):
    cluster.pool.stop()
    cluster.pool.start()


def suspend_pgbouncer(cluster):
    cluster.pool.kill(signal.SIGSTOP)
    time.sleep(15)
    cluster.pool.kill(signal.SIGCONT)


def end_connections(cluster):
    for _ in range(10):
        cluster.database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'gatefold'")
        time.sleep(1)


def fill_disk(cluster):
    folder = cluster.database.data[cluster.database.primary()].parent
    volumes.fill(folder)
    time.sleep(30)
    volumes.free(folder)


def kill_voter(cluster):
    """The witness of etcd is killed: two of three votes remain."""
    voter = cluster.database.voters["dcs"]
    voter.kill()
    time.sleep(10)
    voter.start()


def suspend_voters(cluster):
    """Two of three voters of etcd freeze. Patroni cannot extend the lease, and makes the primary read-only."""
    pids = [cluster.database.voters[name].pid for name in ("dcs", cluster.database.other(cluster.database.primary()))]
    processes.send(pids, signal.SIGSTOP)
    time.sleep(25)
    processes.send(pids, signal.SIGCONT)


def delay_database(cluster):
    cluster.network.delay("pool", 200)
    time.sleep(30)
    cluster.network.end_delay("pool")


def kill_subscribers(cluster):
    cluster.subscribers.process.kill()
    time.sleep(30)
    cluster.subscribers.process.start()


# MARK: Parts

@contextlib.contextmanager
def cut_off(cluster, name):
    cluster.network.disconnect(name)
    try:
        yield
    finally:
        cluster.network.connect(name)


@contextlib.contextmanager
def killed(cluster, name):
    """Kills PostgreSQL, Patroni and etcd of a host, and starts them again at the end."""
    database = cluster.database
    processes.send([*database.pids(name), database.voters[name].pid], signal.SIGKILL)
    for process in (database.patroni[name], database.voters[name]):
        process.process.wait()
    yield
    database.voters[name].start()
    database.patroni[name].start()


def wait_until_ready(cluster, name, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not cluster.nodes[name].is_running():
            # As systemd would.
            time.sleep(1)
            cluster.nodes[name].start()
        if cluster.is_ready(name):
            return
        time.sleep(0.2)


def needs_links(cluster):
    return None if cluster.network.can_disconnect else cluster.network.why_not


def needs_delay(cluster):
    return None if cluster.network.can_delay else cluster.network.why_not


def needs_clocks(cluster):
    return cluster.clocks.why_not


def needs_former(cluster):
    return None if cluster.newer else "--upgrade-from names no program of a former release"


def needs_volumes(cluster):
    return None if cluster.has_volumes else "a disk of limited size needs root and loop devices"


ALL = [
    Fault("none", "none, for comparison", none),
    Fault("kill-nodes", "`kill -9` of each node in turn", kill_nodes),
    Fault("restart-nodes", "restart of each node in turn (SIGTERM)", restart_nodes),
    Fault("upgrade-nodes", "rolling upgrade of the nodes from the former release", upgrade_nodes, needs_former),
    Fault("move-clock", "the clock of a node is moved by +5 and by -5 minutes", move_clock, needs_clocks),
    Fault("suspend-node", "a node is suspended for 30 s (SIGSTOP), and wakes", suspend_node),
    Fault("cut-off-node", "a node is cut off for 30 s", cut_off_node, needs_links),
    Fault("crash-postgresql", "`kill -9` of PostgreSQL on the primary", crash_postgresql),
    Fault("kill-primary", "`kill -9` of everything on the primary's host", kill_primary),
    Fault("kill-standby", "`kill -9` of everything on the standby's host", kill_standby),
    Fault("suspend-primary", "the primary's host freezes for 30 s, and wakes", suspend_primary),
    Fault("cut-off-primary", "the primary is cut off for 35 s", cut_off_primary, needs_links),
    Fault("cut-off-standby", "the standby is cut off for 30 s", cut_off_standby, needs_links),
    Fault("switch-over", "planned switchover", switch_over),
    Fault("restart-primary", "restart of PostgreSQL on the primary", restart_primary),
    Fault("restart-pgbouncer", "restart of PgBouncer", restart_pgbouncer),
    Fault("suspend-pgbouncer", "PgBouncer is suspended for 15 s", suspend_pgbouncer),
    Fault("end-connections", "all connections of the nodes are ended, each second for 10 s", end_connections),
    Fault("full-disk", "the primary's disk is full for 30 s", fill_disk, needs_volumes),
    Fault("kill-voter", "`kill -9` of one of three voters of etcd", kill_voter),
    Fault("suspend-voters", "two of three voters of etcd freeze for 25 s", suspend_voters),
    Fault("kill-subscribers", "`kill -9` of the subscriber system for 30 s", kill_subscribers),
    Fault("delay-database", "packets of PgBouncer are delayed by 200 ms for 30 s", delay_database, needs_delay),
]
NAMES = [fault.name for fault in ALL]
