// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataNative
import StrataTesting
import StrataWebSocket

/// Many WebSockets at once over the native transport to a server that sends back the frames it gets, with sends, receives and sockets
/// cancelled at random. An echo that is not what was sent, or an error that is not the client's own, is wrong.
enum Sockets {
    static func run(count: Int, seed: UInt64) async -> Int32 {
        // Once, so that what is made at first use counts as there before.
        _ = await pass(count: 64, seed: seed)
        let before = Leftovers.settled()
        let wrong = await pass(count: count, seed: seed)
        let after = Leftovers.settled()
        print("sockets: \(count), \(wrong.count) wrong \(wrong.prefix(5))")
        print(
            "descriptors \(before.descriptors) -> \(after.descriptors), threads \(before.threads) -> \(after.threads)")
        // The thread pool may have grown to its full size; a leak would be one for each of many sockets.
        let pool = ProcessInfo.processInfo.activeProcessorCount
        let isClean = after.descriptors <= before.descriptors && after.threads <= before.threads + pool
        return wrong.isEmpty && isClean ? 0 : 1
    }

    /// - Returns: what was wrong.
    private static func pass(count: Int, seed: UInt64) async -> [String] {
        var wrong: [String] = []
        do {
            let transport = NativeTransport(configuration: .init(), environment: { _ in nil })
            let client = NetworkClient(
                configuration: NetworkConfiguration(baseURL: "http://127.0.0.1:1", transport: transport))
            // The scripted transport has the server's end in memory: its tasks are cancelled with the sockets.
            let scripted = ScriptedTransport(
                .webSocket { socket in
                    while let message = try await socket.receive() { try await socket.send(message) }
                })
            let inMemory = NetworkClient(
                configuration: NetworkConfiguration(baseURL: "http://h.example", transport: scripted))
            let server = try RawServer.start(
                script: [
                    .readRequest, .acceptWebSocket(), .repeat([.send(.text("tick")), .wait(.milliseconds(1))]),
                ])
            defer { server.stop() }
            wrong = await withTaskGroup(of: [String].self) { group in
                for worker in 0..<64 {
                    group.addTask {
                        var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(worker))
                        var wrong: [String] = []
                        for _ in 0..<max(1, count / 64) {
                            if worker % 4 == 0 {
                                wrong += await listen(client, server.url.description, &random)
                            } else {
                                wrong += await converse(inMemory, &random)
                            }
                        }
                        return wrong
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            await transport.shutdown()
        } catch {
            wrong.append("\(error)")
        }
        return wrong
    }

    private static func listen(
        _ client: NetworkClient, _ url: String, _ random: inout SeededGenerator
    ) async -> [String] {
        let most = Int.random(in: 0...20, using: &random)
        let cancelsTask = Bool.random(using: &random)
        let task = Task {
            let socket = try await client.webSocket("\(raw: url)/", options: .init(closeTimeout: .milliseconds(200)))
            var count = 0
            for try await message in socket.messages {
                guard message == .text("tick") else { return ["a message is \(message)"] }
                count += 1
                if count > most { break }
            }
            return [] as [String]
        }
        if cancelsTask {
            try? await Task.sleep(for: .milliseconds(Int.random(in: 0...10, using: &random)))
            task.cancel()
        }
        return await judge(task)
    }

    private static func converse(_ client: NetworkClient, _ random: inout SeededGenerator) async -> [String] {
        let lengths = (0..<8).map { _ in Int.random(in: 0...40_000, using: &random) }
        let cancelled = Int.random(in: 0...20, using: &random)
        let endsHard = Bool.random(using: &random)
        let task = Task {
            let socket = try await client.webSocket("live", options: .init(ping: .never))
            let senders = lengths.enumerated().map { number, length in
                Task { try await socket.send(String(repeating: Character("\(number)"), count: length)) }
            }
            if cancelled < senders.count { senders[cancelled].cancel() }
            var sent = 0
            for sender in senders where (try? await sender.value) != nil { sent += 1 }
            for _ in 0..<sent {
                guard case .text(let text) = try await socket.receive() else { return ["the socket ended early"] }
                if Set(text).count > 1 { return ["fragments of two messages are mixed"] }
            }
            if endsHard { socket.cancel() } else { try await socket.close() }
            return [] as [String]
        }
        if cancelled > 15 { task.cancel() }
        return await judge(task)
    }

    private static func judge(_ task: Task<[String], any Error>) async -> [String] {
        switch await task.result {
        case .success(let wrong): wrong
        case .failure(is CancellationError): []
        case .failure(is NetworkClientError): []
        case .failure(let error): ["\(error)"]
        }
    }
}
