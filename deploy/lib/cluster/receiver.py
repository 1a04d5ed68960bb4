"""A service that accepts the calls of the webhook, and records their idempotency keys."""

import asyncio
import json
import threading


class Receiver:
    """The keys of each transaction in the order of the calls. It runs in a thread of its own."""

    def __init__(self, host, port):
        self.host, self.port = host, port
        self.keys = {}
        self.count = 0
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def start(self):
        self.thread.start()
        starting = self.loop.create_server(lambda: Connection(self), self.host, self.port)
        self.server = asyncio.run_coroutine_threadsafe(starting, self.loop).result(10)
        return self

    def stop(self):
        self.loop.call_soon_threadsafe(self.server.close)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)

    def record(self, key, body):
        self.keys.setdefault(json.loads(body)["transaction"], []).append(key)
        self.count += 1


class Connection(asyncio.Protocol):
    def __init__(self, receiver):
        self.receiver, self.received = receiver, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.received += data
        while (end := self.received.find(b"\r\n\r\n")) >= 0:
            fields = dict(line.lower().split(b": ", 1) if not line.lower().startswith(b"idempotency-key")
                          else (b"idempotency-key", line.split(b": ", 1)[1]) for line in self.received[:end].split(b"\r\n")[1:])
            last = end + 4 + int(fields.get(b"content-length", 0))
            if len(self.received) < last:
                return
            # Recorded before the response, as a service that stores the key with the credit does.
            self.receiver.record(fields[b"idempotency-key"].decode(), self.received[end + 4:last])
            self.received = self.received[last:]
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
