"""Replays a history against the model of what readers may do. Prints findings when called with the file of a history."""

import collections
import dataclasses
import sys

from history import DENIED, DONE, ERROR, GRANTED, History, Operation

# The documented time within which all nodes reject an ended session.
REVOCATION_BOUND = 2.0
# The device limit of a reader in gatefold.yaml.
MAX_DEVICES = 2

WRONG, LOST, DUPLICATE = "wrong decision", "acknowledged write lost", "duplicate"
DECISIONS = ("verify", "edition", "download")


@dataclasses.dataclass
class Finding:
    """A violation of the model."""
    kind: str
    # The fault during which the decision was made or the lost write was acknowledged.
    phase: str
    explanation: str
    operation: Operation


def check(history):
    """Returns all findings. An operation without a result may have had its effect or not, and both are allowed."""
    return [*check_passwords(history.operations), *check_sessions(history.operations), *check_devices(history.operations),
            *check_purchases(history.operations, history.bookings)]


def check_passwords(operations):
    """A reader with the right password is never rejected, and one with a wrong password never admitted. An edition that the
    reader does not hold is never opened."""
    for operation in operations:
        if operation.kind == "sign_in" and operation.result == DENIED:
            yield Finding(WRONG, operation.phase, "the right password was rejected", operation)
        if operation.kind == "guess" and operation.result == GRANTED:
            yield Finding(WRONG, operation.phase, "a wrong password was accepted", operation)
        if operation.kind == "foreign" and operation.result == GRANTED:
            yield Finding(WRONG, operation.phase, "an edition was opened that the reader does not hold", operation)


def check_sessions(operations):
    """A session opens what its reader holds until its sign-out begins, and nothing from two seconds after its end is known."""
    sign_outs, decisions, audits = (collections.defaultdict(list) for _ in range(3))
    for operation in operations:
        if operation.kind == "sign_out":
            sign_outs[operation.subject].append(operation)
        elif operation.kind in DECISIONS:
            decisions[operation.subject].append(operation)
        elif operation.kind == "audit":
            audits[operation.subject].append(operation)
    for session in {**decisions, **audits}:
        begun = min((call.start for call in sign_outs[session]), default=float("inf"))
        acknowledged = min((call for call in sign_outs[session] if call.result == DONE), key=lambda call: call.end, default=None)
        ended = acknowledged.end if acknowledged else float("inf")
        # A denial shows that a sign-out without a response took effect.
        ended = min([ended, *(call.end for call in decisions[session] if call.result == DENIED and call.end > begun)])
        for call in decisions[session]:
            if call.result == DENIED and call.end <= begun:
                yield Finding(WRONG, call.phase, f"{call.kind} was denied, and the session had not ended", call)
            if call.result == GRANTED and call.start > ended + REVOCATION_BOUND:
                late = f"{call.kind} was granted {call.start - ended:.2f} s after the session ended"
                yield Finding(WRONG, call.phase, late, call)
        for call in audits[session]:
            if call.result == GRANTED and acknowledged and call.start > acknowledged.end + REVOCATION_BOUND:
                yield Finding(LOST, acknowledged.phase, f"the sign-out is not in force at {call.node}", acknowledged)
            if call.result == DENIED and begun == float("inf"):
                yield Finding(WRONG, call.phase, f"the session is denied at {call.node}, and had not ended", call)


def check_devices(operations):
    """A reader has at most MAX_DEVICES devices, and a registered device stays registered. More devices than that, of which all
    but one were acknowledged before, mean that a registration was lost."""
    readers = collections.defaultdict(list)
    for operation in operations:
        if operation.kind == "device":
            readers[operation.subject].append(operation)
    for calls in readers.values():
        for call in calls:
            if call.result not in (GRANTED, DENIED):
                continue
            registered = {other.device for other in calls if other.result == GRANTED and other.end <= call.start}
            perhaps = {other.device for other in calls if other.result in (GRANTED, ERROR) and other.start < call.end}
            if call.result == GRANTED and len(registered - {call.device}) >= MAX_DEVICES:
                first = next(other for other in calls if other.result == GRANTED and other.end <= call.start)
                beyond = f"a device beyond the limit was accepted: {sorted(registered)}, then {call.device}"
                yield Finding(LOST, first.phase, beyond, call)
            if call.result == DENIED and call.device in registered:
                yield Finding(LOST, call.phase, f"the registered device {call.device} was rejected", call)
            elif call.result == DENIED and len(perhaps - {call.device}) < MAX_DEVICES:
                yield Finding(WRONG, call.phase, f"the device {call.device} was rejected below the limit", call)


def check_purchases(operations, bookings):
    """Each acknowledged purchase is credited exactly once, and any other at most once."""
    calls = {}
    for operation in operations:
        if operation.kind != "purchase":
            continue
        if operation.result == DENIED:
            yield Finding(WRONG, operation.phase, "a valid purchase was rejected", operation)
        # The transaction may be submitted again. The first acknowledgement counts.
        if operation.subject not in calls or calls[operation.subject].result != DONE:
            calls[operation.subject] = operation
    if bookings is None:
        return
    for transaction, operation in calls.items():
        count = bookings.get(transaction, 0)
        if count > 1:
            yield Finding(DUPLICATE, operation.phase, f"a purchase was credited {count} times", operation)
        if count == 0 and operation.result == DONE:
            yield Finding(LOST, operation.phase, "an acknowledged purchase was not credited", operation)
    for transaction in bookings.keys() - calls.keys():
        stray = Operation("purchase", transaction, 0, 0, DONE)
        yield Finding(DUPLICATE, "", "a purchase was credited that nobody made", stray)


if __name__ == "__main__":
    findings = check(History.load(sys.argv[1]))
    for finding in findings:
        print(f"{finding.kind}, {finding.phase}: {finding.explanation}\n    {finding.operation}")
    sys.exit(1 if findings else 0)
