# A server for HTTP/3 on a free UDP port of 127.0.0.1, which it prints: GET answers with the path, POST with what was sent.
#
#   http3.py CERTIFICATE.pem KEY.pem
import asyncio
import sys

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ProtocolNegotiated


class Echo(QuicConnectionProtocol):
    http = None

    def quic_event_received(self, event):
        if isinstance(event, ProtocolNegotiated):
            self.http, self.requests = H3Connection(self._quic), {}
        if self.http is None:
            return
        for part in self.http.handle_event(event):
            if isinstance(part, HeadersReceived):
                self.requests[part.stream_id] = (dict(part.headers), bytearray())
            elif isinstance(part, DataReceived):
                self.requests[part.stream_id][1].extend(part.data)
            if getattr(part, "stream_ended", False):
                self.answer(part.stream_id, *self.requests.pop(part.stream_id))

    def answer(self, stream, fields, body):
        content = bytes(body) if fields[b":method"] == b"POST" else fields[b":path"]
        length = str(len(content)).encode()
        self.http.send_headers(stream, [(b":status", b"200"), (b"content-length", length)])
        self.http.send_data(stream, content, end_stream=True)
        self.transmit()


async def main(certificate, key):
    configuration = QuicConfiguration(is_client=False, alpn_protocols=["h3"])
    configuration.load_cert_chain(certificate, key)
    server = await serve("127.0.0.1", 0, configuration=configuration, create_protocol=Echo)
    print(server._transport.get_extra_info("sockname")[1], flush=True)
    await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
