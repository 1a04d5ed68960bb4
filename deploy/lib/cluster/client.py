"""A minimal HTTP client that holds connections open, as the HTTP libraries of apps do."""

import asyncio
import urllib.parse


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        return self.body.decode(errors="replace")


class NoResponse(Exception):
    """The connection ended before the response."""


class Client:
    """Connections to one address."""

    def __init__(self, host, port, timeout=10.0):
        self.host, self.port, self.timeout = host, port, timeout
        self.idle = []

    async def get(self, path, headers=()):
        return await self.call("GET", path, headers, b"")

    async def post(self, path, fields):
        body = urllib.parse.urlencode(fields).encode()
        return await self.call("POST", path, [("Content-Type", "application/x-www-form-urlencoded")], body)

    async def call(self, method, path, headers, body):
        """Returns the response, or throws an OSError, a NoResponse or a TimeoutError. Nothing is retried, except on a connection
        that the server closed while it was idle."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}:{self.port}",
                 *(f"{name}: {value}" for name, value in headers)]
        if method == "POST":
            lines.append(f"Content-Length: {len(body)}")
        message = "\r\n".join([*lines, "", ""]).encode() + body
        return await asyncio.wait_for(self.exchange(message), self.timeout)

    async def exchange(self, message):
        while self.idle:
            reader, writer = self.idle.pop()
            if reader.at_eof() or writer.is_closing():
                writer.close()
                continue
            return await self.send(message, reader, writer)
        reader, writer = await asyncio.open_connection(self.host, self.port)
        return await self.send(message, reader, writer)

    async def send(self, message, reader, writer):
        reusable = False
        try:
            writer.write(message)
            response = await self.read(reader)
            reusable = response.headers.get("connection", "").lower() != "close"
        except (asyncio.IncompleteReadError, ValueError, IndexError) as error:
            raise NoResponse(type(error).__name__) from error
        finally:
            if reusable:
                self.idle.append((reader, writer))
            else:
                writer.close()
        return response

    async def read(self, reader):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        status = int(head[0].split()[1])
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body = b""
            while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
                body += (await reader.readexactly(size + 2))[:-2]
            await reader.readuntil(b"\r\n")
        else:
            body = await reader.readexactly(int(headers.get("content-length", "0")))
        return Response(status, headers, body)

    def close(self):
        for _, writer in self.idle:
            writer.close()
        self.idle = []
