"""An echo server by the package websockets: PORT, and for TLS CERTIFICATE KEY. What a message says may be done instead:

    close CODE REASON     closes with the status
    burst N SIZE          sends N messages of SIZE bytes
    headers               sends the fields of the handshake
"""
import asyncio
import json
import ssl
import sys

import websockets.asyncio.server as server


async def serve(socket):
    async for message in socket:
        words = message.split(" ") if isinstance(message, str) and len(message) < 100 else []
        if words[:1] == ["close"]:
            await socket.close(int(words[1]), " ".join(words[2:]))
        elif words[:1] == ["burst"]:
            for _ in range(int(words[1])):
                await socket.send(bytes(int(words[2])))
        elif words == ["headers"]:
            await socket.send(json.dumps(dict(socket.request.headers.raw_items())))
        else:
            await socket.send(message)


def refuse(connection, request):
    if request.path.startswith("/refused"):
        return connection.respond(403, "not here\n")


async def main():
    context = None
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
    async with server.serve(serve, "127.0.0.1", int(sys.argv[1]), ssl=context, max_size=None, process_request=refuse,
                            subprotocols=["echo.v1"], ping_interval=1, ping_timeout=5):
        await asyncio.get_running_loop().create_future()


asyncio.run(main())
