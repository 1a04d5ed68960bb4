"""Signs readers in."""

import asyncio
import urllib.parse

import calls
from history import GRANTED


async def signed_in(client, readers, publication="", workers=16):
    """Returns the token of each reader, ready for a query. The publication is the prefix of the path, if it is not the default."""
    waiting, tokens = iter(readers), {}

    async def worker():
        for reader in waiting:
            fields = {"email": f"reader{reader}@example.com", "password": f"password-{reader}", "device": "only"}
            for _ in range(5):
                response = await client.post(f"{publication}/sign_in", fields)
                if calls.interpret("sign_in", response)[0] == GRANTED:
                    tokens[reader] = urllib.parse.quote(calls.token(response))
                    break
                await asyncio.sleep(1)

    await asyncio.gather(*(worker() for _ in range(workers)))
    return [tokens[reader] for reader in readers if reader in tokens]
