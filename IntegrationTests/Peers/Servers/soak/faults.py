"""A server for scripts/soak whose answers go wrong, over HTTP/2 (by the library h2) and HTTP/1.1.

    faults.py CERTIFICATE KEY     prints three ports: HTTP/2 without TLS, HTTP/2 over TLS, HTTP/1.1

The routes of app.py that start with download, slow and upload are answered well. The faults, each with the size of a body:

    /reset/N          the exchange is reset before an answer
    /reset-body/N     and in the middle of a body
    /truncate/N       the connection ends in the middle of a body
    /stall/N          nothing is answered
    /stall-body/N     half of the body comes
    /refuse/N         refused unprocessed; then answered well          (HTTP/2 alone)
    /goaway/N         answered well on a connection that takes no more (HTTP/1.1: Connection: close)
    /goaway-before/N  named as unprocessed on a connection that takes no more; then answered well (HTTP/2 alone)
    /early/N          413 before the body has been read
    /idle/N           answered well; the connection is closed a moment later without a word
"""

import asyncio
import random
import socket
import ssl
import struct
import sys

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions

from app import pattern

refused = set()


def reset(writer):
    """Ends a connection by a reset of TCP."""
    sock = writer.get_extra_info("socket")
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass
    writer.transport.abort()


def refused_before(path):
    """Whether the exchange was refused already: each names itself in its query."""
    if path in refused:
        refused.discard(path)
        return True
    refused.add(path)
    return False


class HTTP2:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.uploads, self.tasks = {}, {}
        self.opened = asyncio.Event()
        # The last exchange that is answered, once the connection takes no more.
        self.last = None

    async def run(self):
        self.h2.initiate_connection()
        await self.flush()
        try:
            while data := await self.reader.read(65536):
                for event in self.h2.receive_data(data):
                    self.handle(event)
                await self.flush()
        except (OSError, h2.exceptions.ProtocolError):
            pass
        finally:
            self.end()

    def end(self, hard=False):
        for task in list(self.tasks.values()):
            task.cancel()
        reset(self.writer) if hard else self.writer.close()

    async def flush(self):
        self.writer.write(self.h2.data_to_send())
        await self.writer.drain()

    def handle(self, event):
        if isinstance(event, h2.events.RequestReceived):
            if self.last is not None and event.stream_id > self.last:
                return
            fields = dict(event.headers)
            self.uploads[event.stream_id] = [0, True]
            route = fields[":path"].split("?")[0].split("/")
            self.route(event.stream_id, route[1], int(route[2]) if len(route) > 2 else 0, fields)
        elif isinstance(event, h2.events.DataReceived):
            upload = self.uploads.get(event.stream_id)
            if upload:
                upload[1] = upload[1] and event.data == pattern(upload[0], len(event.data))
                upload[0] += len(event.data)
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            if upload := self.uploads.get(event.stream_id):
                upload.append("ended")
                self.opened.set()
        elif isinstance(event, h2.events.StreamReset):
            self.uploads.pop(event.stream_id, None)
            if task := self.tasks.get(event.stream_id):
                task.cancel()
        elif isinstance(event, (h2.events.WindowUpdated, h2.events.RemoteSettingsChanged)):
            self.opened.set()

    def route(self, stream, route, count, fields):
        if route == "refuse" and not refused_before(fields[":path"]):
            self.h2.reset_stream(stream, h2.errors.ErrorCodes.REFUSED_STREAM)
            return
        if route == "goaway-before" and not refused_before(fields[":path"]):
            self.go_away(stream - 2)
            self.end_if_done()
            return
        task = asyncio.ensure_future(self.early(stream) if route == "early" else self.answer(stream, route, count))
        self.tasks[stream] = task
        task.add_done_callback(lambda _: self.done(stream))

    def go_away(self, last):
        """Written by hand: behind a GOAWAY of its own h2 sends nothing, though exchanges go on (RFC 9113, section 6.8)."""
        self.last = last if self.last is None else min(self.last, last)
        self.writer.write(self.h2.data_to_send())
        self.write_frame(7, 0, struct.pack(">II", max(self.last, 0), 0))

    def write_frame(self, kind, stream, payload):
        self.writer.write(struct.pack(">I", len(payload))[1:] + bytes([kind, 0]) + struct.pack(">I", stream) + payload)

    def done(self, stream):
        self.tasks.pop(stream, None)
        self.end_if_done()

    def end_if_done(self):
        if self.last is not None and not self.tasks:
            self.end()

    async def early(self, stream):
        self.h2.send_headers(stream, [(":status", "413"), ("content-length", "9")])
        self.h2.send_data(stream, b"too large", end_stream=True)
        upload = self.uploads.pop(stream, [])
        if len(upload) == 2:
            self.h2.reset_stream(stream, h2.errors.ErrorCodes.NO_ERROR)
        await self.flush()

    async def answer(self, stream, route, count):
        try:
            while len(self.uploads.get(stream, ())) == 2:
                await self.wait()
            upload = self.uploads.pop(stream, None)
            if upload is None or route == "stall":
                return
            if route == "reset":
                self.h2.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
                return await self.flush()
            body = pattern(0, count)
            if route == "upload":
                body = b'{"bytes": %d, "right": %s}' % (upload[0], b"true" if upload[1] else b"false")
            head = [(":status", "200")]
            # Half of them are told by the end of the stream alone, where that is not what is tested.
            if route in ("truncate", "reset-body", "stall-body") or random.random() < 0.5:
                head.append(("content-length", str(len(body))))
            self.h2.send_headers(stream, head)
            await self.send(stream, body[:len(body) // 2], slowly=route == "slow")
            if route == "reset-body":
                self.h2.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
                return await self.flush()
            if route == "truncate":
                await self.flush()
                return self.end(hard=random.random() < 0.5)
            if route == "stall-body":
                return
            if route == "goaway":
                self.go_away(self.h2.highest_inbound_stream_id if self.last is None else self.last)
            await self.send(stream, body[len(body) // 2:], slowly=route == "slow")
            self.h2.end_stream(stream)
            await self.flush()
            if route == "idle":
                await asyncio.sleep(random.random() * 0.5)
                self.end(hard=random.random() < 0.5)
        except (OSError, h2.exceptions.ProtocolError):
            pass

    async def wait(self):
        self.opened.clear()
        await self.opened.wait()

    async def send(self, stream, data, slowly):
        while data:
            size = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size, len(data))
            if size <= 0:
                await self.wait()
                continue
            self.h2.send_data(stream, data[:size])
            data = data[size:]
            await self.flush()
            await asyncio.sleep(0.005 if slowly else 0)


async def http1(reader, writer):
    try:
        while await exchange(reader, writer):
            pass
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
        pass
    finally:
        writer.close()


async def exchange(reader, writer):
    """Whether the connection goes on."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    _, target, _ = head[0].split(" ")
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    route = target.split("?")[0].split("/")
    name, count = route[1], int(route[2]) if len(route) > 2 else 0
    if name == "early":
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 9\r\nConnection: close\r\n\r\ntoo large")
        await writer.drain()
        # Closed in an orderly way: what the client still sends is thrown away for a moment.
        writer.write_eof()
        try:
            async with asyncio.timeout(2):
                while await reader.read(65536):
                    pass
        except TimeoutError:
            pass
        return False
    total, right = 0, True
    async for piece in request_body(reader, fields):
        right = right and piece == pattern(total, len(piece))
        total += len(piece)
    if name == "stall":
        await reader.read(1)
        return False
    if name == "reset":
        reset(writer)
        return False
    body = pattern(0, count)
    if name == "upload":
        body = b'{"bytes": %d, "right": %s}' % (total, b"true" if right else b"false")
    chunked = name not in ("truncate", "reset-body", "stall-body") and random.random() < 0.5
    close = b"Connection: close\r\n" if name == "goaway" else b""
    framing = b"Transfer-Encoding: chunked\r\n" if chunked else b"Content-Length: %d\r\n" % len(body)
    writer.write(b"HTTP/1.1 200 OK\r\n" + close + framing + b"\r\n")
    half = len(body) // 2
    for number, part in enumerate((body[:half], body[half:])):
        if number == 1 and name in ("truncate", "reset-body"):
            await writer.drain()
            if name == "reset-body":
                reset(writer)
            return False
        if number == 1 and name == "stall-body":
            await reader.read(1)
            return False
        step = 4096 if name == "slow" else max(len(part), 1)
        for at in range(0, len(part), step):
            piece = part[at:at + step]
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
            await writer.drain()
            if name == "slow":
                await asyncio.sleep(0.005)
    if chunked:
        writer.write(b"0\r\n\r\n")
    await writer.drain()
    if name == "idle":
        await asyncio.sleep(random.random() * 0.5)
        if random.random() < 0.5:
            reset(writer)
        return False
    return name != "goaway"


async def request_body(reader, fields):
    if "chunked" in fields.get("transfer-encoding", ""):
        while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
            yield await reader.readexactly(size)
            await reader.readexactly(2)
        while await reader.readuntil(b"\r\n") != b"\r\n":
            pass
    else:
        left = int(fields.get("content-length", 0))
        while left:
            piece = await reader.read(min(left, 65536))
            if not piece:
                raise OSError("the client has gone")
            left -= len(piece)
            yield piece


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    context.set_alpn_protocols(["h2"])

    async def http2(reader, writer):
        await HTTP2(reader, writer).run()

    servers = [
        await asyncio.start_server(http2, "127.0.0.1", 0),
        await asyncio.start_server(http2, "127.0.0.1", 0, ssl=context),
        await asyncio.start_server(http1, "127.0.0.1", 0),
    ]
    print(*(server.sockets[0].getsockname()[1] for server in servers), flush=True)
    await asyncio.gather(*(server.serve_forever() for server in servers))


asyncio.run(main())
