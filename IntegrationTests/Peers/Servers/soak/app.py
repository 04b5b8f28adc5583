"""An ASGI application for hypercorn, straight or behind nginx and Caddy, which scripts/soak talks to.

GET /download/N   N bytes, of which byte i is i % 251
GET /gzip/N       the same, compressed
GET /slow/N       the same in twenty pieces, with pauses
POST /upload      whether the body was such bytes, and how many
POST /mirror      the body, sent back while it comes
"""

import asyncio
import gzip
import json

PERIOD = bytes(i % 251 for i in range(251 * 600))


def pattern(start, count):
    start %= 251
    if start + count <= len(PERIOD):
        return PERIOD[start:start + count]
    return (PERIOD * (count // len(PERIOD) + 2))[start:start + count]


async def pieces(receive):
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionError("the client has gone")
        if message.get("body"):
            yield message["body"]
        if not message.get("more_body"):
            return


async def app(scope, receive, send):
    if scope["type"] != "http":
        # hypercorn asks for a lifespan, and goes on without one.
        raise RuntimeError(f"no {scope['type']} here")

    async def start(**fields):
        headers = [(name.replace("_", "-").encode(), str(value).encode()) for name, value in fields.items()]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    async def body(data, more=False):
        await send({"type": "http.response.body", "body": data, "more_body": more})

    _, route, *rest = scope["path"].split("/")
    count = int(rest[0]) if rest else 0
    if route == "download":
        await start(content_length=count)
        await body(pattern(0, count))
    elif route == "gzip":
        data = gzip.compress(pattern(0, count), 1)
        await start(content_length=len(data), content_encoding="gzip")
        await body(data)
    elif route == "slow":
        await start()
        step = count // 20 + 1
        for at in range(0, count, step):
            await body(pattern(at, min(step, count - at)), more=True)
            await asyncio.sleep(0.02)
        await body(b"")
    elif route == "upload":
        total, right = 0, True
        async for piece in pieces(receive):
            right = right and piece == pattern(total, len(piece))
            total += len(piece)
        data = json.dumps({"bytes": total, "right": right}).encode()
        await start(content_length=len(data), content_type="application/json")
        await body(data)
    elif route == "mirror":
        await start()
        async for piece in pieces(receive):
            await body(piece, more=True)
        await body(b"")
    else:
        raise RuntimeError(f"no route {scope['path']}")
