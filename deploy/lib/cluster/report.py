"""Injects faults under load, lets the checker compare the history with the model, and prints the table."""

import asyncio
import collections
import time

import faults
import load
import provenance
import revocation
from calls import Store
from checker import DUPLICATE, LOST, WRONG, check
from history import ERROR, History
from topology import NODES, say

# The time in which the cluster must recover by itself after a fault.
RECOVERY_LIMIT = 90
DECISIONS = ("verify", "edition", "foreign", "download")


def run(cluster, arguments):
    """Returns the exit status: 1 if the checker found a fault."""
    chosen = [fault for fault in faults.ALL if fault.name in arguments.faults] or faults.ALL
    if arguments.faults:
        chosen.sort(key=lambda fault: arguments.faults.index(fault.name))
    front = cluster.hosts["front"]
    store = Store(cluster.run / "secrets/play.pem")
    addresses = [(cluster.hosts[name].address, cluster.hosts[name].port("node")) for name in NODES]
    times = revocation.measure((front.address, front.port("apps")), addresses, arguments.sign_outs) if arguments.sign_outs else None
    say(f"Sending {arguments.rate} requests a second")
    readers = load.Load(front.address, front.port("apps"), store, arguments.rate, arguments.seed).start()
    phases, skipped, interrupted = [], [], False
    try:
        time.sleep(10)
        for fault in chosen:
            if reason := fault.obstacle(cluster):
                say(f"Skipped: {fault.title}: {reason}")
                skipped.append((fault, reason))
                continue
            phases.append(inject(cluster, readers, fault, arguments.seconds))
        readers.phase = "end"
    except KeyboardInterrupt:
        say("Interrupted; reporting what was measured")
        interrupted = True
    finally:
        readers.stop()
    history = History(readers.operations)
    if not interrupted:
        examine(cluster, readers, history)
    history.save(cluster.run / "history.jsonl")
    findings = check(history)
    text = rendered(history, phases, skipped, findings, arguments, times, readers.lag)
    (cluster.run / "report.md").write_text(text)
    print(text)
    for finding in findings[:50]:
        say(f"{finding.kind}, {finding.phase}: {finding.explanation}: {finding.operation}")
    say(f"The report and the history are in {cluster.run}")
    return status(phases, findings)


def status(phases, findings):
    return 1 if findings or any(phase["recovered"] is None or phase["failure"] for phase in phases) else 0


def inject(cluster, readers, fault, seconds):
    """Injects a fault, and waits until the cluster is whole again. Returns what happened."""
    say(f"Fault: {fault.title}")
    readers.phase = fault.name
    start, failure = time.monotonic(), None
    try:
        fault.inject(cluster)
    # Such as a database that has no primary any more. The other faults and the history are still of use.
    except Exception as error:
        failure = repr(error)
        say(f"The fault could not be completed: {failure}")
    repaired = time.monotonic()
    recovered = None
    while time.monotonic() - repaired < RECOVERY_LIMIT:
        revive(cluster)
        if cluster.is_whole():
            recovered = time.monotonic()
            break
        time.sleep(0.5)
    if recovered is None:
        say(f"The cluster did not recover within {RECOVERY_LIMIT} s")
    # Longer than the timeout of the client, so that each request of this phase ends in it.
    time.sleep(max(13, start + seconds - time.monotonic()))
    errors = [operation for operation in list(readers.operations) if operation.phase == fault.name and operation.result == ERROR]
    say(f"{len(errors)} errors; {collections.Counter(f'{error.kind} {error.detail}'[:60] for error in errors).most_common(6)}")
    return {"fault": fault, "start": start, "repaired": repaired, "recovered": recovered, "failure": failure}


def revive(cluster):
    """Starts ended processes, as systemd would."""
    for process in cluster.all_processes:
        if not process.is_running():
            say(f"{process.name} has ended; starting it again")
            process.start()


def examine(cluster, readers, history):
    """Adds what the nodes decide and what the database contains after all faults."""
    say("Auditing every ended session at every node, and every purchase")
    # All revocations are in force then, and the circuit breakers are closed.
    time.sleep(5)
    addresses = {name: (cluster.hosts[name].address, cluster.hosts[name].port("node")) for name in NODES}
    sample = readers.signed_out + readers.running[-2000:]
    history.operations += asyncio.run(load.audit(addresses, sample))
    acknowledged = {operation.subject for operation in history.operations
                    if operation.kind == "purchase" and operation.result == "done"}
    end = time.monotonic() + 60
    while True:
        rows = cluster.database.execute("SELECT purchase, count(*) FROM booking GROUP BY purchase", "bookings").splitlines()
        history.bookings = {row.rpartition("|")[0]: int(row.rpartition("|")[2]) for row in rows}
        if acknowledged <= history.bookings.keys() or time.monotonic() > end:
            return
        time.sleep(1)


# MARK: The table

def rendered(history, phases, skipped, findings, arguments, times, lag):
    lines = [
        f"{provenance.machine()} {arguments.rate} requests a second, at least {arguments.seconds} s for each fault, seed "
        f"{arguments.seed}. The load generator was at most {lag * 1000:.0f} ms late.", "",
        "| fault | requests | errors the client saw | wrong decisions | acknowledged writes lost | duplicates | recovery |",
        "| --- | --- | --- | --- | --- | --- | --- |"]
    lines += [row(history, phase, findings) for phase in phases]
    others = [finding for finding in findings if finding.phase not in {phase["fault"].name for phase in phases}]
    if others:
        counts = " | ".join(str(count(others, kind)) for kind in (WRONG, LOST, DUPLICATE))
        lines.append(f"| before and after the faults | | | {counts} | |")
    lines += [f"| {fault.title} | skipped: {reason} | | | | | |" for fault, reason in skipped]
    lines += ["", "Errors: all, and in parentheses those of decisions (verifications, edition credentials, downloads). "
              "Recovery: the time from the injection to the end of the last failed request."]
    if times is not None:
        lines += ["", *revocation.rendered(times)]
    return "\n".join(lines) + "\n"


def row(history, phase, findings):
    name = phase["fault"].name
    operations = [operation for operation in history.operations if operation.phase == name]
    errors = [operation for operation in operations if operation.result == ERROR]
    of_decisions = sum(operation.kind in DECISIONS for operation in errors)
    found = [finding for finding in findings if finding.phase == name]
    recovery = max((error.end for error in errors), default=phase["start"]) - phase["start"]
    shown = "not completed" if phase["failure"] else "did not recover" if phase["recovered"] is None else f"{recovery:.1f} s" if errors else "0 s"
    return (f"| {phase['fault'].title} | {len(operations):,} | {len(errors):,} ({of_decisions:,}) | {count(found, WRONG)} "
            f"| {count(found, LOST)} | {count(found, DUPLICATE)} | {shown} |")


def count(findings, kind):
    return sum(finding.kind == kind for finding in findings)
