"""Measures what a decision costs: the statements in PostgreSQL, and the CPU time in comparison with a state in a file."""

import asyncio
import time

import calls
import generator
import pairs
import statements
from client import Client
from nodes import EDITION, NODES
from sessions import signed_in
from topology import say

READERS = 1_000
# So many that no event is joined with a former one of the same reader and edition, as it is within ten seconds.
DISTINCT_READERS = 20_000
CONNECTIONS = 32
KINDS = ["verify_subscription", "edition_credentials", "auth-request"]
# A publication that sells in app stores reads what the reader has bought, with each decision. It has no bar.
WITH_STORES = "verify_subscription with app stores"
PUBLICATION_WITH_STORES = "bookings"


def measure_statements(nodes, seconds):
    """Returns the decisions and the growing statements of each kind. The readers sign in at the second node, and the first one
    decides."""
    for name in NODES:
        nodes.run_node(name)
    usual = known_readers(nodes, NODES[1], NODES[0])
    buyers = known_readers(nodes, NODES[1], NODES[0], PUBLICATION_WITH_STORES)
    result = {}
    for kind in [*KINDS, WITH_STORES]:
        lines = buyers if kind == WITH_STORES else usual
        say(f"Counting the statements of {kind}")
        before, start = statements.counts(nodes.server), time.monotonic()
        decisions, _ = send(nodes, NODES[0], kind, lines, seconds)
        # The writes that the load has left to a later second.
        time.sleep(3)
        between, elapsed = statements.counts(nodes.server), time.monotonic() - start
        time.sleep(elapsed)
        after = statements.counts(nodes.server)
        idle, loaded = statements.difference(between, after), statements.difference(before, between)
        result[kind] = {"decisions": decisions, "growing": statements.growing(idle, loaded), "idle": sum(idle.values()) / elapsed}
    nodes.stop_nodes()
    return result


def measure_cpu(nodes, compared, rounds, seconds, started=(), kinds=KINDS, readers=READERS):
    """Returns the CPU seconds per decision of each kind and round at each of two nodes, and those per second without load.
    The nodes `started` run beside them."""
    for name in (*compared, *started):
        nodes.run_node(name)
    lines = {name: known_readers(nodes, name, name, readers=readers) for name in compared}
    idle = idle_cpu(nodes, compared)
    result = {}
    for kind in kinds:
        say(f"Measuring the CPU time of {kind}")
        for name in compared:
            send(nodes, name, kind, lines[name], 2)
        rows = {name: [] for name in compared}
        for _ in range(rounds):
            loads = [load(nodes, name, kind, lines[name]) for name in compared]
            for name, (decisions, cpu) in zip(compared, generator.side_by_side(loads, CONNECTIONS // len(loads), seconds)):
                # What the node does each second without load is no cost of a decision.
                rows[name].append(max(cpu - idle[name] * seconds, 0.001) / decisions)
        result[kind] = rows
    nodes.stop_nodes()
    return result, idle


def idle_cpu(nodes, names, seconds=10):
    before = {name: generator.Measured(nodes.processes[name]).cpu_seconds() for name in names}
    time.sleep(seconds)
    return {name: (generator.Measured(nodes.processes[name]).cpu_seconds() - before[name]) / seconds for name in names}


def known_readers(nodes, entrance, name, publication="daily", readers=READERS):
    """Signs readers in at one node and verifies them at another. Returns a file with their tokens and credentials."""
    return asyncio.run(prepare(nodes, entrance, name, publication, readers))


async def prepare(nodes, entrance, name, publication, readers):
    clients = [Client(nodes.hosts[each].address, nodes.hosts[each].port("node")) for each in (entrance, name)]
    rows = []
    for token in await signed_in(clients[0], range(readers), f"/{publication}"):
        await clients[1].get(f"/{publication}/verify_subscription?token={token}")
        edition = EDITION.replace("daily", publication)
        credentials = await clients[1].get(f"/{publication}/edition_credentials?token={token}&product_id={edition}")
        rows.append(f"{token}\t{calls.credentials(credentials)}\n")
    for client in clients:
        client.close()
    if len(rows) < readers:
        raise SystemExit(f"gatefold: only {len(rows)} of {readers} readers could sign in")
    lines = nodes.run / f"lines-{name}-{publication}"
    lines.write_text("".join(rows))
    return lines


def send(nodes, name, kind, lines, seconds):
    return generator.closed_loop(*load(nodes, name, kind, lines), CONNECTIONS, seconds)


def load(nodes, name, kind, lines):
    """Returns a node, its port, and the requests of a kind to it."""
    request = generator.load.Request
    requests = {
        "verify_subscription": request("/verify_subscription?token={1}&n={n}", lines=lines),
        WITH_STORES: request(f"/{PUBLICATION_WITH_STORES}/verify_subscription?token={{1}}&n={{n}}", lines=lines),
        "edition_credentials": request(f"/edition_credentials?token={{1}}&product_id={EDITION}&n={{n}}", lines=lines),
        "auth-request": request("/auth-request/original-uri", {
            "X-Original-Method": "GET", "X-Original-URI": f"/content/daily/{EDITION}/page-{{n}}.html", "Authorization": "{2}"},
            lines=lines)}
    return nodes.processes[name], nodes.hosts[name].port("node"), requests[kind]


# MARK: Rows

def named(growths, shown=3):
    """Returns the statements that grow most with the load."""
    largest = sorted(growths, key=lambda growth: growth.idle - growth.loaded)
    names = [f"`{growth.query[:50]}` {growth.idle:,} to {growth.loaded:,}" for growth in largest[:shown]]
    more = [f"{len(growths) - shown} more"] if len(growths) > shown else []
    return "".join(f"; {name}" for name in names + more)


def statement_rows(result):
    rows = []
    for kind, row in result.items():
        added = statements.per_thousand(row["growing"], row["decisions"])
        rows.append((f"statements per 1,000 decisions: {kind}",
                     f"{added:,.4g} in {row['decisions']:,.0f} decisions{named(row['growing'])}",
                     "" if kind == WITH_STORES else "0", kind == WITH_STORES or not row["growing"]))
    return rows


def cpu_rows(what, result, low_bar, high_bar):
    """Returns a row for each kind: the ratio of the second node to the first one. Each end of the interval has a bar."""
    rows = []
    for kind, measured in result.items():
        first, second = measured.values()
        ratio, low, high = pairs.ratio(first, second)
        microseconds = [pairs.percentile(values, 0.5) * 1e6 for values in (first, second)]
        rows.append((f"CPU per decision, {what}: {kind}",
                     f"{ratio:.3f} (95 %: {low:.3f} to {high:.3f}); {microseconds[1]:.1f} to {microseconds[0]:.1f} µs",
                     f"interval in {low_bar:.2f} to {high_bar:.2f}" if low_bar else f"at most {high_bar:.2f}",
                     low_bar <= low and high <= high_bar))
    return rows


def idle_row(idle):
    (first, first_seconds), (second, second_seconds) = idle.items()
    return ("CPU of an idle node", f"{second} {second_seconds * 1000:.1f}, {first} {first_seconds * 1000:.1f} ms a second", "", True)
