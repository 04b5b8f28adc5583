// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import StrataCore
import StrataEncoding
import StrataNative
import StrataWebSocket

/// WebSockets to an echo server (`Benchmarks/sockets.py`).
///
///     what=socket n=… size=… executor=loop   messages there and back (`SocketMeasurement`)
///     what=sockets n=…         opened_ms=… socket_kb=… rest_percent=… of sockets on which nothing happens
enum Sockets {
    private static func transport() -> NativeTransport {
        var configuration = NativeTransport.Configuration()
        configuration.proxy = .none
        return NativeTransport(configuration: configuration)
    }

    private static func client(_ arguments: Arguments, _ transport: NativeTransport) -> NetworkClient {
        NetworkClient(
            configuration: NetworkConfiguration(baseURL: URL(string: arguments.url), transport: transport))
    }

    static func run(_ arguments: Arguments) async throws {
        let transport = transport()
        let client = client(arguments, transport)
        let executor = arguments.text("executor", "") == "loop" ? transport.loopExecutors[0] : nil
        try await withTaskExecutorPreference(executor) { try await measure(arguments, client) }
    }

    private static func measure(_ arguments: Arguments, _ client: NetworkClient) async throws {
        let size = arguments.number("size", 100)
        let socket = try await client.webSocket("", options: .init(ping: .never))
        let text = String(repeating: "*", count: size)
        try await SocketMeasurement(arguments).run {
            try await socket.send(text)
        } receiving: {
            guard try await socket.receive() != nil else { throw NetworkClientError(.connectionLost, "no echo") }
        } bursting: { count in
            try await socket.send("burst \(count) \(size)")
        }
        try await socket.close()
    }

    static func idle(_ arguments: Arguments) async throws {
        let count = arguments.number("n", 5000)
        let client = client(arguments, transport())
        var open = [try await client.webSocket("")]
        let (memory, begin) = (Memory.current, monotonic())
        for _ in 1..<count { open.append(try await client.webSocket("")) }
        let opened = monotonic() - begin
        let each = Double(Memory.current - memory) / Double(count - 1)
        try await Task.sleep(for: .milliseconds(500))
        let (cpu, since) = (CPUTime.now, monotonic())
        try await Task.sleep(for: .seconds(5))
        let rest = 100 * (CPUTime.now - cpu).total / (Double(monotonic() - since) / 1e3)
        report([
            ("n", Double(count)), ("opened_ms", Double(opened) / 1e6), ("socket_kb", each), ("rest_percent", rest),
        ])
        for socket in open { socket.cancel() }
    }
}
