// SPDX-License-Identifier: Apache-2.0

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

    /// The target of the last request whose head was read.
    private var lastTarget = ""

    init(connection: Connection, number: Int, record: @escaping @Sendable ((inout RawLog) -> Void) -> Void) {
        self.connection = connection
        self.number = number
        self.record = record
    }

    mutating func play(_ script: RawScript) {
        do throws(Outcome) {
            try play(script.steps)
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
        case .send(let bytes):
            try send(bytes)
        case .respondWithTarget:
            try send(Array("HTTP/1.1 200 OK\r\nContent-Length: \(lastTarget.utf8.count)\r\n\r\n\(lastTarget)".utf8))
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
                lastTarget = request.target
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
    private mutating func readBody() throws(Outcome) {
        guard let (index, unread) = openRequest else { return }
        openRequest = nil
        var body = unread
        defer {
            record { log in
                log.requests[index].rawBody = body.raw
                log.requests[index].body = body.decoded
            }
        }
        while !body.consume(&buffer) { try receive() }
    }

    private func close() {
        var (body, received) = (openRequest?.body, buffer)
        connection.close(beforeInputEnds: body?.consume(&received) == false)
    }

    private mutating func receive() throws(Outcome) {
        let bytes: [UInt8]
        do { bytes = try connection.receive() } catch { throw .lost(error) }
        guard !bytes.isEmpty else { throw .closedByPeer }
        buffer += bytes
        moved &+= bytes.count
        record { [number] in $0.received[number, default: []] += bytes }
    }

    private func wait(_ duration: Duration?) throws(Outcome) {
        do { try connection.wait(duration) } catch { throw .lost(error) }
    }

    private func note(_ kind: RawLog.Event.Kind) {
        record { [number] in $0.events.append(.init(connection: number, kind: kind)) }
    }
}
