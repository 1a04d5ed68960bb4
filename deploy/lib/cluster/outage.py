"""Takes PostgreSQL away while known readers use the nodes, and counts what they were refused and which sign-outs were lost."""

import asyncio
import collections
import itertools
import signal
import time

import calls
from client import Client, NoResponse
from history import DENIED, DONE, GRANTED
from nodes import EDITION, NODES
from sessions import signed_in
from topology import say

READERS = 1_200
# The readers at the end of the list stay signed in. The others sign out.
STAYING = 400
RATE = 100
SIGN_OUTS = 8
# The calm time before, and the time within which all nodes must be ready again, in seconds.
BEFORE, RETURN = 5, 30


class Outage:
    """A load of a constant rate on both nodes, in which PostgreSQL stops and starts again."""

    def __init__(self, nodes, seconds):
        self.nodes, self.seconds = nodes, seconds
        self.clients = [Client(nodes.hosts[name].address, nodes.hosts[name].port("node")) for name in NODES]
        self.made, self.refused, self.signed_out, self.failed = 0, collections.Counter(), [], collections.Counter()
        self.late, self.lost = [], {}

    def measure(self):
        for name in NODES:
            self.nodes.run_node(name)
        try:
            asyncio.run(self.run())
            # The journals are written. Neither the nodes' memory nor their own files have the sign-outs then.
            say("Starting the nodes again, without their files")
            self.nodes.stop_nodes()
            for name in NODES:
                for file in ("revocations.snapshot", "revocations.journal"):
                    (self.nodes.run / name / file).unlink(missing_ok=True)
                self.nodes.run_node(name)
            self.lost["after a restart"] = asyncio.run(self.count_granted())
        finally:
            self.nodes.stop_nodes()
        return self

    async def run(self):
        self.tokens = await signed_in(self.clients[0], range(READERS))
        self.credentials = {}
        for token in self.tokens:
            for client in self.clients:
                await client.get(f"/verify_subscription?token={token}")
            if token in self.tokens[-STAYING:]:
                self.credentials[token] = calls.credentials(
                    await self.clients[0].get(f"/edition_credentials?token={token}&product_id={EDITION}"))
        running = asyncio.Event()
        loads = [asyncio.create_task(self.repeat(RATE, running, self.decide)),
                 asyncio.create_task(self.repeat(SIGN_OUTS, running, self.sign_out))]
        await asyncio.sleep(BEFORE)
        say(f"PostgreSQL is away for {self.seconds} s")
        self.nodes.server.stop(signal.SIGQUIT)
        await asyncio.sleep(self.seconds)
        await asyncio.to_thread(self.nodes.server.start)
        back = time.monotonic()
        while not all(await asyncio.gather(*(asyncio.to_thread(self.nodes.is_ready, name) for name in NODES))):
            if time.monotonic() - back > RETURN:
                raise SystemExit(f"gatefold: the nodes were not ready {RETURN} s after PostgreSQL")
            await asyncio.sleep(0.1)
        self.recovery = time.monotonic() - back
        await asyncio.sleep(BEFORE)
        running.set()
        await asyncio.gather(*loads)
        await asyncio.sleep(2)
        self.lost["after the return"] = await self.count_granted()
        self.close()

    def close(self):
        for client in self.clients:
            client.close()

    async def repeat(self, rate, ended, call):
        """Makes calls at a constant rate, independent of the responses."""
        tasks, start = [], time.monotonic()
        for number in itertools.count():
            if (delay := start + number / rate - time.monotonic()) > 0:
                await asyncio.sleep(delay)
            if ended.is_set():
                break
            tasks.append(asyncio.create_task(call(number)))
        await asyncio.gather(*tasks)

    async def decide(self, number):
        token = self.tokens[READERS - 1 - number % STAYING]
        client = self.clients[number // 3 % 2]
        kind, path, headers = [
            ("verify", f"/verify_subscription?token={token}", []),
            ("edition", f"/edition_credentials?token={token}&product_id={EDITION}", []),
            ("download", f"/content/daily/{EDITION}.zip", [("Authorization", self.credentials[token])])][number % 3]
        self.made += 1
        result, detail = await self.result(kind, client.get(path, headers))
        if result != GRANTED:
            self.refused[f"{kind} {detail}"[:80]] += 1

    async def sign_out(self, number):
        if number >= READERS - STAYING:
            return
        token = self.tokens[number]
        result, detail = await self.result("sign_out", self.clients[number % 2].get(f"/sign_out?token={token}"))
        if result != DONE:
            self.failed[detail[:80]] += 1
            return
        self.signed_out.append(token)
        response = time.monotonic()
        other = self.clients[1 - number % 2]
        while (await self.result("verify", other.get(f"/verify_subscription?token={token}")))[0] != DENIED:
            if time.monotonic() - response > 10:
                break
            await asyncio.sleep(0.02)
        self.late.append(time.monotonic() - response)

    async def result(self, kind, call):
        try:
            return calls.interpret(kind, await call)
        except (OSError, NoResponse, TimeoutError, asyncio.TimeoutError) as error:
            return "error", type(error).__name__

    async def count_granted(self):
        """Returns how many verifications of sessions that were signed out succeed, at all nodes."""
        clients = [Client(self.nodes.hosts[name].address, self.nodes.hosts[name].port("node")) for name in NODES]
        granted = 0
        for token in self.signed_out:
            for client in clients:
                granted += (await self.result("audit", client.get(f"/verify_subscription?token={token}")))[0] != DENIED
        for client in clients:
            client.close()
        return granted


def rows(outage):
    refused = sum(outage.refused.values())
    lost = sum(outage.lost.values())
    causes = "".join(f"; {count} {cause}" for cause, count in (outage.refused + outage.failed).most_common(3))
    return [
        (f"PostgreSQL away for {outage.seconds} s: refusals of known readers", f"{refused} of {outage.made:,} decisions{causes}",
         "0", refused == 0),
        (f"PostgreSQL away for {outage.seconds} s: sign-outs lost",
         f"{lost} of {len(outage.signed_out):,}, {sum(outage.failed.values())} not acknowledged", "0",
         lost == 0 and not outage.failed),
        ("in force at the other node in the outage, maximum", f"{max(outage.late, default=0):.2f} s", "2 s",
         max(outage.late, default=0) <= 2),
        ("both nodes ready after the return", f"{outage.recovery:.1f} s", "", True)]
