// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataWebSocket
import Synchronization

extension Runner {
    /// How long nothing has to come after the end of standard input before this side closes.
    private static var quietTime: Duration { .seconds(1) }

    /// Until the server closes, or standard input has ended and no more answers come.
    func talk(with client: NetworkClient) async throws -> Outcome {
        let request = NetworkRequest<VoidRequest, VoidResponse>(
            path: RequestPath(raw: plan.call.urlWithQuery), method: .get,
            headerFields: try plan.call.headerFields(contentType: nil),
            options: { [options = plan.call.options] in
                $0.timeouts = options.timeouts
                $0.redirects = options.redirects
            })
        let socket = try await client.webSocket(for: request)
        try showExchanges(withLastResponse: true)
        let received = Counter()
        let sending = Task {
            for try await line in StandardInput.lines() { try await socket.send(line) }
            var seen = -1
            while seen != received.value {
                seen = received.value
                try await Task.sleep(for: Self.quietTime)
            }
            try await socket.close()
        }
        defer { sending.cancel() }
        let printer = BodyPrinter(plan: plan, output: output, terminal: terminal)
        while let message = try await socket.receive() {
            received.add()
            if plan.parts.contains(.responseBody) { try printer.show(message) }
        }
        explain(socket.exchange)
        return .success
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock(\.self) }
    func add() { count.withLock { $0 += 1 } }
}

extension BodyPrinter {
    /// A message of text is a line, as are the bytes of another in a pipe; a terminal gets their number.
    func show(_ message: WebSocket.Message) throws {
        switch message {
        case .text(let text): try output.write((isPlain ? text : formatted(Data(text.utf8))) + "\n")
        case .data(let data): try showBytes(data)
        @unknown default: break
        }
    }

    private func showBytes(_ data: Data) throws {
        if terminal.isOutput {
            try output.write(palette.paint("(a message of \(data.count) bytes)", .faint) + "\n")
        } else {
            try output.write(data)
        }
    }
}
