"""Measures what several nodes on one PostgreSQL server cost and how fast they are, and prints the numbers with their bars."""

import dataclasses
import time
import typing

import decisions
import delivering
import kills
import outage
import provenance
import revocation
from database import programs
from nodes import ALONE, NODES, WITHOUT_TIMELINE
from pairs import percentile
from topology import say

# The time limits of the parts in seconds. Kills that do not fit into the time are left out, and the table shows their number.
KILL_SECONDS = 2400
DELIVERIES, CONCURRENT = 10_000, (4, 100)


@dataclasses.dataclass
class Part:
    name: str
    # Returns the rows: what was measured, the result, the bar, and whether it is met.
    measure: typing.Callable


def statements(nodes, arguments):
    return decisions.statement_rows(decisions.measure_statements(nodes, arguments.seconds))


def cpu(nodes, arguments):
    result, idle = decisions.measure_cpu(nodes, (ALONE, NODES[0]), arguments.rounds, 3, started=NODES[1:])
    return decisions.cpu_rows("PostgreSQL to SQLite", result, 0.97, 1.03) + [decisions.idle_row(idle)]


def timeline(nodes, arguments):
    # Credentials are the decision of which each is an event. The other decisions are events only if they refuse.
    result, _ = decisions.measure_cpu(
        nodes, (WITHOUT_TIMELINE, ALONE), arguments.rounds, 3, kinds=["verify_subscription", "edition_credentials"],
        readers=decisions.DISTINCT_READERS)
    return decisions.cpu_rows("with to without a timeline", result, 0, 1.02)


def deliveries(nodes, arguments):
    found = []
    for concurrent in CONCURRENT:
        found += delivering.rows(delivering.measure(nodes, DELIVERIES, concurrent, NODES[:1]), NODES[:1], concurrent)
    return found + delivering.rows(delivering.measure(nodes, DELIVERIES, CONCURRENT[-1], NODES), NODES, CONCURRENT[-1])


def kill(nodes, arguments):
    return kills.rows(kills.measure(nodes, arguments.kills, arguments.seed, KILL_SECONDS))


def sign_outs(nodes, arguments):
    for name in NODES:
        nodes.run_node(name)
    addresses = [(nodes.hosts[name].address, nodes.hosts[name].port("node")) for name in NODES]
    try:
        times = revocation.measure(addresses[0], addresses, arguments.sign_outs, first_reader=0)
    finally:
        nodes.stop_nodes()
    return revocation_rows(times)


def revocation_rows(times):
    responses, delays = times["sign_outs"], times["delays"]
    if not delays:
        return [("revocation", "no sign-out was acknowledged", "p99 1.2 s, maximum 2 s", False)]
    return [
        (f"revocation at {times['rate']:,.0f} sign-outs a second, from the response to force on all nodes",
         f"p50 {percentile(delays, 0.5):.2f}, p99 {percentile(delays, 0.99):.2f}, maximum {max(delays):.2f} s, of {len(delays)}",
         "p99 1.2 s, maximum 2 s", percentile(delays, 0.99) <= 1.2 and max(delays) <= 2),
        ("response to the sign-out",
         f"p50 {percentile(responses, 0.5) * 1000:.0f}, p99 {percentile(responses, 0.99) * 1000:.0f}, maximum "
         f"{max(responses) * 1000:.0f} ms; {times['failures']} of {len(responses) + times['failures']:,} failed",
         "0 failed", times["failures"] == 0)]


def away(nodes, arguments):
    return outage.rows(outage.Outage(nodes, arguments.away).measure())


PARTS = [Part("statements", statements), Part("cpu", cpu), Part("timeline", timeline), Part("deliveries", deliveries), Part("sign-outs", sign_outs),
         Part("outage", away), Part("kills", kill)]
NAMES = [part.name for part in PARTS]


def run(nodes, arguments):
    """Returns the exit status: 1 if a number misses its bar."""
    found = []
    for part in PARTS:
        if not arguments.only or part.name in arguments.only:
            start = time.monotonic()
            rows = part.measure(nodes, arguments)
            # Shown at once, because a later part may fail.
            for what, measured, _, _ in rows:
                say(f"{what}: {measured}")
            say(f"{part.name} took {time.monotonic() - start:.0f} s")
            found += rows
    text = rendered(found, arguments)
    print(text, flush=True)
    return status(found)


def status(rows):
    return 0 if all(is_met for *_, is_met in rows) else 1


def rendered(rows, arguments):
    lines = [
        f"{provenance.machine()} {len(NODES)} nodes and PostgreSQL {programs().parent.name} on one machine, with their default "
        f"settings and `fsync` on. Seed {arguments.seed}.", "", "| what | measured | bar | met |", "| --- | --- | --- | --- |"]
    lines += [f"| {what} | {measured} | {bar} | {('yes' if is_met else '**no**') if bar else ''} |"
              for what, measured, bar, is_met in rows]
    return "\n".join(lines) + "\n"
