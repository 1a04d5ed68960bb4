"""Measures the time from an acknowledged sign-out to its effect at every node."""

import asyncio
import itertools
import time

import calls
from client import Client, NoResponse
from history import DENIED, DONE, ERROR
from pairs import percentile
from sessions import signed_in
from topology import say

SECONDS = 20
# A fraction of the sessions is observed, at all nodes, because observing all would be most of the load.
OBSERVED_PER_SECOND = 15
INTERVAL = 0.05
GIVE_UP = 10.0
# Readers that the rest of the report does not use.
FIRST_READER = 970_000


def measure(front, nodes, rate, first_reader=FIRST_READER):
    """Signs readers in at an address, and then out at a constant rate. Returns the rate, the times of the sign-outs, and the times
    until the last of the nodes, given by their addresses, rejected."""
    return asyncio.run(Measurement(front, nodes, rate, first_reader).run())


class Measurement:
    def __init__(self, front, nodes, rate, first_reader):
        self.front = Client(*front)
        self.nodes = [Client(*node) for node in nodes]
        self.rate, self.first_reader = rate, first_reader
        self.sign_outs, self.delays, self.failures = [], [], 0

    async def run(self):
        count = min(self.rate * SECONDS, 29_000)
        say(f"Signing {count:,} readers in, and out again at {self.rate} a second")
        tokens = await signed_in(self.front, range(self.first_reader, self.first_reader + count))
        # The nodes have read the sessions of their own sign-ins. Starts with calm nodes.
        await asyncio.sleep(2)
        tasks, start = [], time.monotonic()
        step = max(1, self.rate // OBSERVED_PER_SECOND)
        for number, token in enumerate(tokens):
            if (delay := start + number / self.rate - time.monotonic()) > 0:
                await asyncio.sleep(delay)
            tasks.append(asyncio.create_task(self.sign_out(token, number % step == 0)))
        sent = time.monotonic() - start
        await asyncio.gather(*tasks)
        for client in [self.front, *self.nodes]:
            client.close()
        return {"rate": len(tokens) / sent, "sign_outs": self.sign_outs, "delays": self.delays, "failures": self.failures}

    async def sign_out(self, token, is_observed):
        if is_observed:
            # The nodes must decide from the revocation and not because the session is new to them.
            await asyncio.gather(*(self.verify(client, token) for client in self.nodes))
        start = time.monotonic()
        try:
            response = await self.front.get(f"/sign_out?token={token}")
        except (OSError, NoResponse, TimeoutError, asyncio.TimeoutError):
            self.failures += 1
            return
        if calls.interpret("sign_out", response)[0] != DONE:
            self.failures += 1
            return
        committed = time.monotonic()
        self.sign_outs.append(committed - start)
        if is_observed:
            self.delays.append(max(await asyncio.gather(*(self.until_denied(client, token, committed) for client in self.nodes))))

    async def until_denied(self, client, token, committed):
        for number in itertools.count(1):
            sent = time.monotonic()
            if await self.verify(client, token) == DENIED or sent - committed > GIVE_UP:
                # The request that was denied decided after it was sent.
                return time.monotonic() - committed
            await asyncio.sleep(max(0, committed + number * INTERVAL - time.monotonic()))

    async def verify(self, client, token):
        """Returns the result, which is an error if the node does not respond."""
        try:
            return calls.interpret("verify", await client.get(f"/verify_subscription?token={token}"))[0]
        except (OSError, NoResponse, TimeoutError, asyncio.TimeoutError):
            return ERROR


def histogram(values, width=0.2):
    """Returns the number of values in each interval."""
    counts = {}
    for value in values:
        counts[int(value / width)] = counts.get(int(value / width), 0) + 1
    return [(index * width, (index + 1) * width, counts.get(index, 0)) for index in range(max(counts) + 1)]


def rendered(times):
    delays = times["delays"]
    if not delays:
        return ["No sign-out was acknowledged."]
    sign_outs = times["sign_outs"]
    lines = [
        f"Revocation without a fault: {times['rate']:.0f} sign-outs a second, {times['failures']} failed. The response took p50 "
        f"{percentile(sign_outs, 0.5) * 1000:.0f} ms, p99 {percentile(sign_outs, 0.99) * 1000:.0f} ms. From the response until the "
        f"last of three nodes rejected, for {len(delays)} of them: p50 {percentile(delays, 0.5):.2f} s, p99 "
        f"{percentile(delays, 0.99):.2f} s, maximum {max(delays):.2f} s.", "", "| after, in s | sessions |", "| --- | --- |"]
    return lines + [f"| {low:.1f} to {high:.1f} | {number} |" for low, high, number in histogram(delays)]
