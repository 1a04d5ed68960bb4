"""What the clients did and what they received: one record for each operation."""

import dataclasses
import json

# What the response meant.
GRANTED, DENIED, DONE, ERROR = "granted", "denied", "done", "error"


@dataclasses.dataclass
class Operation:
    """One call of a client, which retries nothing itself. Times are in seconds of the client's monotonic clock.

    kind      subject                       result
    sign_in   the session, for its reader   granted or denied
    guess     the reader, wrong password    granted or denied
    device    the reader; `device` is set   granted or denied
    verify    the session                   granted or denied
    edition   the session, a held edition   granted or denied
    foreign   the session, another edition  granted or denied
    download  the session                   granted or denied
    sign_out  the session                   done
    purchase  the transaction               done or denied
    audit     the session, after all faults granted or denied

    Each result may also be `error`: no response, or one that reports a failure. Its effect is then unknown.
    """
    kind: str
    subject: str
    start: float
    end: float
    result: str
    # The fault during which the operation ended. A fault also affects the requests that were in flight when it began, and the calm
    # time after each fault is longer than the timeout of the client.
    phase: str = ""
    # The node that responded, if one did.
    node: str = ""
    device: str = ""
    detail: str = ""


@dataclasses.dataclass
class History:
    """All operations, and the effects that the databases show at the end."""
    operations: list
    # The number of bookings of each transaction; None if the audit was not possible.
    bookings: dict | None = None

    def save(self, file):
        with open(file, "w") as lines:
            for operation in self.operations:
                lines.write(json.dumps(dataclasses.asdict(operation)) + "\n")
            lines.write(json.dumps({"bookings": self.bookings}) + "\n")

    @staticmethod
    def load(file):
        history = History([])
        with open(file) as lines:
            for line in lines:
                fields = json.loads(line)
                if "bookings" in fields:
                    history.bookings = fields["bookings"]
                else:
                    history.operations.append(Operation(**fields))
        return history
