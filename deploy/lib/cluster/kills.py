"""Kills a node again and again while it delivers, and compares the effects with what was ordered."""

import json
import random
import time

import delivering
import outbox
from nodes import NODES
from outbox import SQL, WEBHOOK
from receiver import Receiver
from topology import say

# Deliveries of each kind that are added before each start, so that the node is never without work.
ADDED = 100
CONCURRENT = 20
# The longest time in seconds from the first call of the webhook to the kill.
MAX_DELAY = 0.15
# The attempts of a killed node are repeated when their lease ends: a second of deadline, and five to record the result.
DEADLINE, LEASE = "1s", 6
SETTLING = 90


def measure(nodes, count, seed, seconds):
    """Kills a node some times, or until the time is over. Returns the number of kills and of attempts that they interrupted, and
    the effects of each kind."""
    receiver = Receiver(nodes.hosts["receiver"].address, nodes.hosts["receiver"].port("webhook")).start()
    name, moments = NODES[0], random.Random(seed)
    say(f"Killing a node {count:,} times while it delivers")
    kills = ordered = interrupted = 0
    end = time.monotonic() + seconds
    try:
        # The first start creates the tables.
        nodes.run_node(name)
        nodes.stop_nodes()
        while kills < count and time.monotonic() < end:
            if outbox.pending(nodes.server, WEBHOOK) < 5 * ADDED:
                for publication in (SQL, WEBHOOK):
                    outbox.fill(nodes.server, publication, ordered + 1, ADDED)
                ordered += ADDED
            start = nodes.server.execute("SELECT extract(epoch FROM clock_timestamp())")
            nodes.run_node(name, concurrent=CONCURRENT, deadline=DEADLINE)
            called, limit = receiver.count, time.monotonic() + 15
            while receiver.count == called and time.monotonic() < limit:
                time.sleep(0.001)
            time.sleep(moments.random() * MAX_DELAY)
            nodes.processes[name].kill()
            kills += 1
            interrupted += int(nodes.server.execute(
                # The leases that this node took since its start. Those of earlier kills end earlier.
                "SELECT count(*) FROM gatefold.delivery WHERE lease IS NOT NULL AND delivered IS NULL "
                f"AND next > {start} + {LEASE}", "gatefold"))
            if kills % 100 == 0:
                say(f"{kills:,} kills")
        nodes.run_node(name, concurrent=CONCURRENT, deadline=DEADLINE)
        settled = time.monotonic() + SETTLING
        while any(outbox.pending(nodes.server, publication) for publication in (SQL, WEBHOOK)) and time.monotonic() < settled:
            time.sleep(0.5)
        # A call that was made twice would arrive by then.
        time.sleep(7)
    finally:
        nodes.stop_nodes()
        receiver.stop()
    effects = {SQL: outbox.compared_bookings(outbox.transactions(SQL, ordered), outbox.bookings(nodes.server)),
               WEBHOOK: outbox.compared_calls(outbox.transactions(WEBHOOK, ordered), receiver.keys)}
    if all(each.is_right for each in effects.values()):
        delivering.clear(nodes.server)
    else:
        keep_evidence(nodes, receiver)
    return kills, interrupted, effects


def keep_evidence(nodes, receiver):
    """Writes the calls of the webhook and the tables of both databases into the folder of the logs."""
    logs = nodes.run / "logs"
    (logs / "calls.json").write_text(json.dumps(receiver.keys))
    for table, name in (("gatefold.delivery", "gatefold"), ("booking", "billing"), ("gatefold_delivery", "billing")):
        (logs / f"{table}.txt").write_text(nodes.server.execute(f"SELECT * FROM {table}", name))


def rows(result):
    kills, interrupted, effects = result
    found = []
    for publication, title in ((SQL, "SQL"), (WEBHOOK, "webhook")):
        each = effects[publication]
        repeated = f", {each.repeated:,} called again with the first key" if publication == WEBHOOK else ""
        found.append((f"effects over {kills:,} kills of a node that delivers, {title}",
                      f"of {each.ordered:,}: {len(each.lost)} lost, {len(each.twice)} twice, {len(each.wrong)} wrong{repeated}",
                      "each once", each.is_right))
    found.append(("attempts that the kills interrupted", f"{interrupted:,}", "", True))
    return found
