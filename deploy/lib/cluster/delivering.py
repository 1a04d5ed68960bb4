"""Measures how many purchases a second are credited in the system of a publisher."""

import time

import generator
import outbox
from nodes import NODES
from outbox import SQL, WEBHOOK
from receiver import Receiver
from topology import say

LIMIT = 120


def measure(nodes, count, concurrent, names):
    """Returns the deliveries a second of each kind, and the CPU time of the nodes and of PostgreSQL for each in milliseconds."""
    receiver = Receiver(nodes.hosts["receiver"].address, nodes.hosts["receiver"].port("webhook")).start()
    result = {}
    try:
        for name in names:
            nodes.run_node(name, concurrent=concurrent)
        for publication in (SQL, WEBHOOK):
            say(f"Delivering {count:,} purchases of {publication}, {len(names)} nodes, {concurrent} at a time")
            result[publication] = run(nodes, names, publication, count)
    finally:
        nodes.stop_nodes()
        receiver.stop()
        clear(nodes.server)
    return result


def run(nodes, names, publication, count):
    measured = [generator.Measured(nodes.processes[name]) for name in names]
    database = generator.Measured(nodes.server.process)
    outbox.fill(nodes.server, publication, 1, count)
    before = sum(each.cpu_seconds() for each in measured), database.cpu_seconds()
    end = time.monotonic() + LIMIT
    while (left := outbox.pending(nodes.server, publication)) and time.monotonic() < end:
        time.sleep(0.25)
    cpu = sum(each.cpu_seconds() for each in measured) - before[0], database.cpu_seconds() - before[1]
    span = float(nodes.server.execute(
        f"SELECT max(delivered) - min(delivered) FROM gatefold.delivery WHERE publication = '{publication}'", "gatefold") or 0)
    made = count - left
    return {"made": made, "left": left, "per_second": made / max(span, 0.001),
            "node_cpu": cpu[0] / max(made, 1) * 1000, "database_cpu": cpu[1] / max(made, 1) * 1000}


def clear(server):
    server.execute("TRUNCATE gatefold.delivery", "gatefold")
    server.execute("DROP TABLE IF EXISTS gatefold_delivery", "billing")
    server.execute("TRUNCATE booking", "billing")


def rows(result, names, concurrent):
    titles = {SQL: "SQL", WEBHOOK: "webhook"}
    return [(f"deliveries a second, {titles[publication]}, {len(names)} node{'s' * (len(names) > 1)}, {concurrent} at a time",
             f"{row['per_second']:,.0f}; CPU of each: nodes {row['node_cpu']:.2f}, PostgreSQL {row['database_cpu']:.2f} ms"
             + (f"; {row['left']:,} not delivered" if row["left"] else ""),
             "2,000", row["per_second"] >= 2000 and not row["left"]) for publication, row in result.items()]
