"""Sockets and answers over one connection by the server hypercorn: PORT CERTIFICATE KEY. Over HTTP/2 its sockets are streams (RFC 8441).
/refused has none, /private one for who shows a token. What a message says may be done instead of sending it back:

    close CODE REASON     closes with the status
    burst N SIZE          sends N messages of SIZE bytes
    version               sends the version of HTTP
"""
import asyncio
import sys

import hypercorn.asyncio
import hypercorn.config


async def answer(send, kind, status, text):
    fields = [(b"content-type", b"text/plain"), (b"content-length", str(len(text)).encode())]
    await send({"type": f"{kind}.start", "status": status, "headers": fields})
    await send({"type": f"{kind}.body", "body": text.encode()})


async def converse(scope, receive, send):
    await receive()
    if scope["path"] == "/refused":
        return await answer(send, "websocket.http.response", 403, "not here\n")
    if scope["path"] == "/private" and dict(scope["headers"]).get(b"authorization") != b"Bearer good":
        return await answer(send, "websocket.http.response", 401, "who is there?\n")
    wanted = scope["subprotocols"]
    await send({"type": "websocket.accept", "subprotocol": wanted[0] if wanted else None})
    while True:
        event = await receive()
        if event["type"] == "websocket.disconnect":
            return
        text = event.get("text")
        words = text.split(" ") if text is not None and len(text) < 100 else []
        if words[:1] == ["close"]:
            return await send({"type": "websocket.close", "code": int(words[1]), "reason": " ".join(words[2:])})
        elif words[:1] == ["burst"]:
            for _ in range(int(words[1])):
                await send({"type": "websocket.send", "bytes": bytes(int(words[2]))})
        elif words == ["version"]:
            await send({"type": "websocket.send", "text": scope["http_version"]})
        else:
            await send({"type": "websocket.send", **{key: event[key] for key in ("text", "bytes") if event.get(key) is not None}})


async def serve(scope, receive, send):
    if scope["type"] == "websocket":
        await converse(scope, receive, send)
    elif scope["type"] == "http":
        await answer(send, "http.response", 200, scope["path"] + "\n")
    else:
        raise NotImplementedError(scope["type"])


config = hypercorn.config.Config()
config.bind = [f"127.0.0.1:{sys.argv[1]}"]
config.certfile, config.keyfile = sys.argv[2:4]
asyncio.run(hypercorn.asyncio.serve(serve, config))
