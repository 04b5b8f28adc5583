#!/usr/bin/env python3
"""What nginx cannot play: server.py PORT answers on 127.0.0.1 until it is stopped, and says "ready on PORT"; 0 takes any port.

/small     1 KB of JSON, head and body in one write
/events    the head of an event stream and one event; then nothing more, for ever
/hang      no answer
/waiting   how many requests for /hang are open
/sink      an answer when the whole body has come; it needs a Content-Length
CONNECT    a tunnel, as through a proxy
"""
import asyncio
import re
import resource
import sys

SMALL = b'{"text":"' + b"lorem " * 168 + b'"}'
EVENTS = (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
          b"Transfer-Encoding: chunked\r\n\r\ne\r\ndata: hello\n\n\n\r\n")


def reply(body):
    return (b"HTTP/1.1 200 OK\r\nServer: bench\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\nConnection: keep-alive\r\n\r\n" % len(body)) + body


class Connection(asyncio.Protocol):
    waiting = 0
    small = reply(SMALL)

    def connection_made(self, transport):
        self.transport, self.received, self.hangs, self.unread = transport, b"", False, 0
        self.tunnel = self.opening = None

    def data_received(self, data):
        if self.tunnel:
            self.tunnel.write(data)
            return
        if self.unread:
            data = self.drop(data)
        self.received += data
        while b"\r\n\r\n" in self.received:
            head, self.received = self.received.split(b"\r\n\r\n", 1)
            method, path = head.split(b" ", 2)[:2]
            if method == b"CONNECT":
                self.opening = asyncio.ensure_future(self.open_tunnel(*path.decode().rsplit(":", 1)))
                return
            if path == b"/events":
                self.transport.write(EVENTS)
            elif path == b"/hang":
                self.hangs = True
                Connection.waiting += 1
            elif path == b"/sink":
                self.unread = int(re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)[1])
                self.received = self.drop(self.received)
            elif path == b"/waiting":
                self.transport.write(reply(b"%d" % Connection.waiting))
            else:
                self.transport.write(self.small)

    async def open_tunnel(self, host, port):
        self.tunnel, _ = await asyncio.get_running_loop().create_connection(lambda: Tunnel(self.transport), host, int(port))
        self.transport.write(b"HTTP/1.1 200 OK\r\n\r\n")

    def drop(self, data):
        """Takes what belongs to the body, and hands back what follows it."""
        rest = data[self.unread:]
        self.unread -= len(data) - len(rest)
        if not self.unread:
            self.transport.write(self.small)
        return rest

    def connection_lost(self, error):
        if self.hangs:
            Connection.waiting -= 1
        if self.tunnel:
            self.tunnel.close()


class Tunnel(asyncio.Protocol):
    """The far end of a tunnel: what comes from there goes to the client."""

    def __init__(self, client):
        self.client = client

    def data_received(self, data):
        self.client.write(data)

    def connection_lost(self, error):
        self.client.close()


async def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", int(sys.argv[1]), backlog=8192)
    print(f"ready on {server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


try:
    asyncio.run(main())
except KeyboardInterrupt:
    pass
