"""Fills the outbox of deliveries, and compares the effects with it."""

import dataclasses

# The publication of each kind of delivery.
SQL, WEBHOOK = "bookings", "calls"
INSERTION = """
INSERT INTO gatefold.delivery (
    store, transaction_id, publication, owner, account, product, quantity, purchased, environment, ordered, attempts, next)
SELECT 'google', '{publication}-' || n, '{publication}', '', 'account-' || n, 'credit5', 1, 1793000000, 'production',
    extract(epoch FROM clock_timestamp()), 0, 0
FROM generate_series({first}, {last}) AS n
"""


def fill(server, publication, first, count):
    """Adds deliveries of different accounts, as purchases do. The purchases themselves are not measured."""
    server.execute(INSERTION.format(publication=publication, first=first, last=first + count - 1), "gatefold")


def pending(server, publication):
    return int(server.execute(
        f"SELECT count(*) FROM gatefold.delivery WHERE publication = '{publication}' AND delivered IS NULL", "gatefold"))


def transactions(publication, count):
    return {f"{publication}-{number}" for number in range(1, count + 1)}


def bookings(server):
    """Returns how often each transaction was credited by SQL."""
    rows = server.execute("SELECT purchase, count(*) FROM booking GROUP BY purchase", "billing").splitlines()
    return {row.rpartition("|")[0]: int(row.rpartition("|")[2]) for row in rows}


@dataclasses.dataclass
class Effects:
    """The differences between what was ordered and what took effect."""
    ordered: int
    lost: list
    twice: list
    # Transactions that nobody ordered, or that a webhook names with a key that is not its first one.
    wrong: list
    # Calls of the webhook that repeat an earlier one. These are allowed.
    repeated: int = 0

    @property
    def is_right(self):
        return not (self.lost or self.twice or self.wrong)


def compared_bookings(ordered, booked):
    return Effects(len(ordered), sorted(ordered - booked.keys()), sorted(name for name, count in booked.items() if count > 1),
                   sorted(booked.keys() - ordered))


def compared_calls(ordered, called):
    """Compares the idempotency keys of the calls, by transaction and in order. A service credits each key once, so that a second
    key credits a second time."""
    # A service that has credited a key credits nothing for another transaction with the same key.
    first, credited = {}, set()
    for name, keys in called.items():
        if keys[0] not in first:
            first[keys[0]] = name
            credited.add(name)
    return Effects(
        len(ordered), sorted(ordered - credited), sorted(name for name, keys in called.items() if len(set(keys)) > 1),
        sorted(called.keys() - ordered), sum(len(keys) - 1 for keys in called.values()))
