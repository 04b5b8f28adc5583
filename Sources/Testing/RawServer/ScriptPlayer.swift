// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Plays a script on a connection and tells what happens.
struct ScriptPlayer<Connection: ScriptConnection> {
    private enum Outcome: Error {
        /// Closed or reset by a step.
        case over
        case closedByPeer
        case lost(ConnectionLost)
    }

    /// A head that grows beyond this ends the script.
    private static var headLimit: Int { 8 * 1024 * 1024 }

    let connection: Connection
    let number: Int
    let record: @Sendable ((inout RawLog) -> Void) -> Void
    /// Received, and not yet asked for by a step.
    private var buffer: ArraySlice<UInt8> = []
    /// How many bytes were received and sent.
    private var moved = 0
    /// The request whose head was read and whose body was not: its place in the log, and its framing.
    private var openRequest: (index: Int, body: RequestBodyReader)?

    /// The last request whose head was read, without its body.
    private var last: RawLog.Request?

    init(connection: Connection, number: Int, record: @escaping @Sendable ((inout RawLog) -> Void) -> Void) {
        self.connection = connection
        self.number = number
        self.record = record
    }

    mutating func play(_ script: RawScript) {
        play { (player) throws(Outcome) in try player.play(script.steps) }
    }

    /// Plays a script for each request that comes, and forgets what is in the log of the one before.
    ///
    /// - Parameter answer: is given the request when its head has been read; `nil`: it wants to have its body too, and is asked once more.
    mutating func play(answering answer: (RawLog.Request) -> RawScript?) {
        play { (player) throws(Outcome) in
            while true {
                player.record { $0 = RawLog() }
                try player.readHead()
                guard var request = player.last else { return }
                if let script = answer(request) {
                    try player.play(script.steps)
                } else {
                    request.body = try player.readBody()
                    try player.play(answer(request)?.steps ?? [])
                }
            }
        }
    }

    private mutating func play(_ body: (inout Self) throws(Outcome) -> Void) {
        do throws(Outcome) {
            try body(&self)
            close()
            note(.finished)
        } catch {
            switch error {
            case .over:
                note(.finished)
            case .closedByPeer:
                connection.close()
                note(.closedByPeer)
            case .lost(let reason):
                connection.close()
                if reason == .resetByPeer { note(.resetByPeer) }
            }
        }
    }

    private mutating func play(_ steps: [RawScript.Step]) throws(Outcome) {
        for step in steps {
            for action in step.actions { try perform(action) }
        }
    }

    private mutating func perform(_ action: RawScript.Step.Action) throws(Outcome) {
        switch action {
        case .readHead: try readHead()
        case .readBody: try readBody()
        case .readBytes(let count):
            while buffer.count < count { try receive() }
            buffer = buffer.dropFirst(max(0, count))
        case .readToEnd:
            buffer = []
            while true {
                try receive()
                buffer = []
            }
        case .readUntilClosed:
            buffer = []
            while try receiveMore() { buffer = [] }
        case .echo:
            repeat {
                try send(Array(buffer))
                buffer = []
            } while try receiveMore()
        case .send(let bytes):
            try send(bytes)
        case .respondWithTarget:
            let target = last?.target ?? ""
            try send(Array("HTTP/1.1 200 OK\r\nContent-Length: \(target.utf8.count)\r\n\r\n\(target)".utf8))
        case .acceptSocket(let fields):
            let lines =
                [
                    "HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: websocket",
                    "Sec-WebSocket-Accept: \(WebSocketKey.accept(for: last?.values(of: "Sec-WebSocket-Key").first ?? ""))",
                ] + fields
            try send(Array((lines.map { $0 + "\r\n" }.joined() + "\r\n").utf8))
        case .wait(let duration): try wait(duration)
        case .hang: try wait(nil)
        case .closeOutput: connection.closeOutput()
        case .close:
            close()
            throw .over
        case .reset:
            connection.reset()
            throw .over
        case .repeat(let steps, let times?):
            for _ in 0..<max(0, times) { try play(steps) }
        case .repeat(let steps, times: nil):
            // Nothing to do for ever would be a loop without end.
            guard !steps.isEmpty else { return }
            while true {
                let before = (moved, buffer.count)
                try play(steps)
                // What moves bytes ends with its connection; all else would go on behind the end of the server.
                if (moved, buffer.count) == before { try wait(.milliseconds(1)) }
            }
        }
    }

    private mutating func send(_ bytes: [UInt8]) throws(Outcome) {
        do { try connection.send(bytes) } catch { throw .lost(error) }
        moved &+= bytes.count
    }

    private mutating func readHead() throws(Outcome) {
        var searched = 0
        while true {
            // The empty line may have begun in what was searched before.
            if let length = headLength(from: max(0, searched - 3)) {
                let request = RawLog.Request(connection: number, rawHead: Array(buffer.prefix(length)))
                last = request
                buffer = buffer.dropFirst(length)
                var index = 0
                record { log in
                    index = log.requests.count
                    log.requests.append(request)
                }
                openRequest = (index, RequestBodyReader(for: request))
                return
            }
            searched = buffer.count
            guard searched <= Self.headLimit else {
                connection.close()
                throw .over
            }
            try receive()
        }
    }

    /// The count of bytes up to and with the first empty line.
    private func headLength(from offset: Int) -> Int? {
        let end = Array("\r\n\r\n".utf8)
        guard buffer.count >= offset + end.count else { return nil }
        let start = buffer.startIndex + offset
        for index in start...(buffer.endIndex - end.count)
        where buffer[index] == end[0] && buffer[index..<(index + end.count)].elementsEqual(end) {
            return index + end.count - buffer.startIndex
        }
        return nil
    }

    /// The log shows as much of the body as came, also when the client breaks off.
    @discardableResult
    private mutating func readBody() throws(Outcome) -> [UInt8] {
        guard let (index, unread) = openRequest else { return [] }
        openRequest = nil
        var body = unread
        defer {
            record { log in
                log.requests[index].rawBody = body.raw
                log.requests[index].body = body.decoded
                log.requests[index].trailers = body.trailerLines.map(RawLog.Request.field)
            }
        }
        while !body.consume(&buffer) { try receive() }
        return body.decoded
    }

    private func close() {
        var (body, received) = (openRequest?.body, buffer)
        connection.close(beforeInputEnds: body?.consume(&received) == false)
    }

    private mutating func receive() throws(Outcome) {
        guard try receiveMore() else { throw .closedByPeer }
    }

    /// - Returns: whether something came before the client closed its side.
    private mutating func receiveMore() throws(Outcome) -> Bool {
        let bytes: [UInt8]
        do { bytes = try connection.receive() } catch { throw .lost(error) }
        guard !bytes.isEmpty else { return false }
        buffer += bytes
        moved &+= bytes.count
        record { [number] in $0.received[number, default: []] += bytes }
        return true
    }

    private func wait(_ duration: Duration?) throws(Outcome) {
        do { try connection.wait(duration) } catch { throw .lost(error) }
    }

    private func note(_ kind: RawLog.Event.Kind) {
        record { [number] in $0.events.append(.init(connection: number, kind: kind)) }
    }
}
