"""Sends calls of many readers at a constant rate, independent of the responses, and records each in a history."""

import asyncio
import collections
import itertools
import random
import threading
import time
import urllib.parse

import calls
from client import Client, NoResponse
from history import ERROR, GRANTED, Operation

# The share of each kind in percent. Each phase has the same mix.
MIX = {"sign_in": 14, "guess": 2, "device": 8, "verify": 28, "edition": 12, "foreign": 3, "download": 17, "sign_out": 8,
       "purchase": 8}
# Readers with one device, and from then on readers whose devices are counted.
SINGLE_READERS = 900_000
# Sessions that ended are checked as often as sessions that run, but only the newest ones.
RECENT = 2000


def email(reader):
    return f"reader{reader}@example.com"


class Session:
    def __init__(self, number, token):
        self.number, self.token = number, token
        # The header of downloads, once the session has edition credentials.
        self.authorization = None


class Load:
    """Readers with their sessions. It runs in a thread of its own until it is stopped."""

    def __init__(self, address, port, store, rate, seed):
        # Longer than the timeout of HAProxy and one repetition of a call.
        self.client = Client(address, port, timeout=12.0)
        self.store, self.rate = store, rate
        self.random = random.Random(seed)
        # A different order of readers for each seed, of which none signs in twice.
        self.readers = ((number * 7919 + seed) % SINGLE_READERS for number in itertools.count())
        self.device_readers = collections.deque([SINGLE_READERS], maxlen=40)
        self.transactions = itertools.count(1)
        self.run_name = f"{int(time.time())}-{seed}"
        self.running = []
        self.ended = collections.deque(maxlen=RECENT)
        # Every session whose sign-out was sent, for the audit.
        self.signed_out = []
        self.operations = []
        self.phase = "warm-up"
        self.lag = 0.0
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.send_until_stopped()), daemon=True)

    def start(self):
        self.thread.start()
        return self

    def stop(self):
        """Sends no more calls, and waits for the responses of the others."""
        self.stopping.set()
        self.thread.join()

    async def send_until_stopped(self):
        tasks, start = set(), time.monotonic()
        for number in itertools.count():
            scheduled = start + number / self.rate
            if (delay := scheduled - time.monotonic()) > 0:
                await asyncio.sleep(delay)
            self.lag = max(self.lag, time.monotonic() - scheduled)
            if self.stopping.is_set():
                break
            task = asyncio.create_task(self.send_one())
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        await asyncio.gather(*tasks)
        self.client.close()

    # MARK: Operations

    async def send_one(self):
        kind = self.random.choices(list(MIX), MIX.values())[0]
        session = None
        if kind in ("verify", "edition", "foreign", "download"):
            # A third of the calls concern sessions that were signed out.
            source = self.ended if self.ended and self.random.random() < 0.33 and kind != "foreign" else self.running
            session = source[self.random.randrange(max(0, len(source) - RECENT), len(source))] if source else None
            if session is None:
                kind = "sign_in"
            elif kind == "download" and session.authorization is None:
                kind = "edition"
        if kind == "sign_out":
            # Some sessions stay, so that others find one.
            if len(self.running) > 100:
                index = self.random.randrange(len(self.running))
                self.running[index], self.running[-1] = self.running[-1], self.running[index]
                session = self.running.pop()
                self.ended.append(session)
                self.signed_out.append(session)
            else:
                kind = "sign_in"
        await self.perform(kind, session)

    async def perform(self, kind, session):
        reader = device = None
        if kind in ("sign_in", "guess"):
            reader = next(self.readers)
        subject = str(session.number) if session else str(reader)
        token = urllib.parse.quote(session.token) if session else ""
        if kind == "sign_in":
            work = self.client.post("/sign_in", {"email": email(reader), "password": f"password-{reader}", "device": "only"})
        elif kind == "guess":
            work = self.client.post("/sign_in", {"email": email(reader), "password": "a guess", "device": "only"})
        elif kind == "device":
            if self.random.random() < 0.15:
                self.device_readers.append(self.device_readers[-1] + 1)
            reader, device = self.random.choice(self.device_readers), self.random.choice("abcd")
            subject = str(reader)
            work = self.client.post("/sign_in", {"email": email(reader), "password": f"password-{reader}", "device": device})
        elif kind == "verify":
            work = self.client.get(f"/verify_subscription?token={token}")
        elif kind in ("edition", "foreign"):
            edition = calls.HELD if kind == "edition" else calls.NOT_HELD
            work = self.client.get(f"/edition_credentials?token={token}&product_id={edition}")
        elif kind == "download":
            work = self.client.get(f"/content/daily/{calls.HELD}.zip", [("Authorization", session.authorization)])
        elif kind == "sign_out":
            work = self.client.post("/sign_out", {"token": session.token})
        elif kind == "purchase":
            subject = f"GPA.{self.run_name}-{next(self.transactions)}"
            work = self.client.post("/daily/iap", {**self.store.receipt(subject), "account": f"account-{subject}"})
        start = time.monotonic()
        response, result, detail = None, ERROR, ""
        try:
            response = await work
            result, detail = calls.interpret(kind, response)
        except (OSError, NoResponse, TimeoutError, asyncio.TimeoutError) as error:
            detail = type(error).__name__
        end = time.monotonic()
        node = response.headers.get("x-node", "") if response else ""
        self.operations.append(Operation(kind, subject, start, end, result, self.phase, node, device or "", detail))
        if kind == "sign_in" and result == GRANTED:
            self.running.append(Session(reader, calls.token(response)))
        elif kind == "edition" and result == GRANTED:
            session.authorization = calls.credentials(response)


async def audit(addresses, sessions, concurrency=20):
    """Verifies sessions at every node itself, after all faults. Returns the operations."""
    found, waiting = [], collections.deque(sessions)
    clients = {name: Client(*address) for name, address in addresses.items()}

    async def worker():
        while waiting:
            session = waiting.popleft()
            for name, client in clients.items():
                start, result, detail = time.monotonic(), ERROR, ""
                try:
                    response = await client.get(f"/verify_subscription?token={urllib.parse.quote(session.token)}")
                    result, detail = calls.interpret("audit", response)
                except (OSError, NoResponse, TimeoutError, asyncio.TimeoutError) as error:
                    detail = type(error).__name__
                found.append(Operation("audit", str(session.number), start, time.monotonic(), result, "audit", name, "", detail))

    await asyncio.gather(*(worker() for _ in range(concurrency)))
    for client in clients.values():
        client.close()
    return found
