// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// Reads the frames of one HTTP/2 connection, and plays a script on each of its streams, on a thread of its own.
final class HTTP2Player: Sendable {
    private let connection: SocketConnection
    private let number: Int
    private let listener: RawListener
    private let settings: HTTP2Frame
    /// The script of a stream, by the stream's number among all those of the server and the frame of its head.
    private let script: @Sendable (Int, HTTP2Frame) -> HTTP2Script
    private let windows = Mutex(HTTP2Windows())
    /// Frames are sent one after the other.
    private let output = Mutex(())
    private let scriptEnded = DispatchSemaphore(value: 0)

    init(
        connection: SocketConnection, number: Int, listener: RawListener, settings: HTTP2Frame = .settings([:]),
        script: @escaping @Sendable (Int, HTTP2Frame) -> HTTP2Script
    ) {
        self.connection = connection
        self.number = number
        self.listener = listener
        self.settings = settings
        self.script = script
    }

    /// Returns when the connection has ended, and every script on it.
    func serve() {
        var scripts = 0
        do {
            try read(&scripts)
        } catch ConnectionLost.resetByPeer {
            note(.resetByPeer)
        } catch {}
        connection.interrupt()
        for _ in 0..<scripts { scriptEnded.wait() }
        connection.close()
    }

    private func read(_ scripts: inout Int) throws {
        try send(settings)
        var reader = HTTP2FrameReader()
        while reader.isHTTP2 {
            let bytes = try connection.receive()
            guard !bytes.isEmpty else { return note(.closedByPeer) }
            reader.feed(bytes)
            while let frame = reader.next() {
                if try handle(frame) { scripts += 1 }
            }
        }
    }

    /// - Returns: whether a script has begun.
    private func handle(_ frame: HTTP2Frame) throws -> Bool {
        switch frame.kind {
        case .headers, .data, .rstStream:
            var unused = 0
            let isKnown = update(frame.stream) { stream in
                let wasReset = stream.isReset
                Self.note(frame, in: &stream)
                if !wasReset, stream.isReset {
                    unused = stream.body.count
                } else if wasReset, frame.kind == .data {
                    unused = frame.payload.count
                }
            }
            if unused > 0 { try giveBack(unused) }
            if isKnown { return false }
            guard frame.kind == .headers else { return false }
            begin(frame)
            return true
        case .settings where !frame.has(HTTP2Frame.ack):
            windows.withLock { $0.note(frame) }
            try send(HTTP2Frame(.settings, flags: HTTP2Frame.ack))
        case .ping where !frame.has(HTTP2Frame.ack):
            try send(HTTP2Frame(.ping, flags: HTTP2Frame.ack, payload: frame.payload))
        case .windowUpdate:
            windows.withLock { $0.note(frame) }
        default:
            break
        }
        return false
    }

    private static func note(_ frame: HTTP2Frame, in stream: inout HTTP2Stream) {
        if frame.kind == .rstStream {
            stream.isResetByPeer = true
        } else {
            if frame.kind == .data { stream.body += frame.payload }
            if frame.has(HTTP2Frame.endStream) { stream.isComplete = true }
        }
    }

    /// - Returns: whether the stream has begun.
    private func update(_ id: UInt32, _ change: (inout HTTP2Stream) -> Void) -> Bool {
        var isKnown = false
        listener.record { log in
            guard let index = log.streams.lastIndex(where: { $0.connection == number && $0.id == id }) else { return }
            change(&log.streams[index])
            isKnown = true
        }
        return isKnown
    }

    private func begin(_ frame: HTTP2Frame) {
        let stream = HTTP2Stream(
            connection: number, id: frame.stream, isComplete: frame.has(HTTP2Frame.endStream))
        var index = 0
        listener.record { log in
            index = log.streams.count
            log.streams.append(stream)
        }
        let steps = script(index + 1, frame).steps
        Thread.detachNewThread { [self, index] in
            // The connection may end meanwhile.
            try? play(steps, on: stream.id, index)
            listener.record { $0.streams[index].isPlayed = true }
            scriptEnded.signal()
        }
    }

    // MARK: - Scripts

    private func play(_ steps: [HTTP2Script.Step], on stream: UInt32, _ index: Int) throws {
        for step in steps {
            switch step {
            case .fields(let fields, let ends):
                let flags = HTTP2Frame.endHeaders | (ends ? HTTP2Frame.endStream : 0)
                try send(HTTP2Frame(.headers, flags: flags, stream: stream, payload: HTTP2Frame.block(fields)))
            case .body(let bytes, let times, let ends):
                for turn in 1...times { try send(bytes, ends: ends && turn == times, on: stream, index) }
            case .reset(let code):
                var unused = 0
                listener.record { log in
                    unused = log.streams[index].isReset ? 0 : log.streams[index].body.count
                    log.streams[index].isResetByServer = true
                }
                try send(HTTP2Frame(.rstStream, stream: stream, payload: HTTP2Frame.bytes(of: code.rawValue)))
                if unused > 0 { try giveBack(unused) }
            case .goAway(let includesThis):
                // Those of a client have odd numbers.
                let last = includesThis ? stream : stream - min(stream, 2)
                let code = HTTP2Frame.bytes(of: HTTP2Script.ErrorCode.noError.rawValue)
                try send(HTTP2Frame(.goAway, payload: HTTP2Frame.bytes(of: last) + code))
            case .grant(let count):
                listener.record { $0.streams[index].bodyBeforeGrant = $0.streams[index].body.count }
                try grant(count, on: stream)
            case .echo: try echo(on: stream, index)
            case .frame(let frame): try send(frame)
            case .answer(let steps):
                try play(steps(try request(index)), on: stream, index)
            case .flood(let frames):
                let once = frames(stream)
                let bytes = Array(repeatElement(once, count: 1 + 65_536 / once.count).joined())
                while true { try output.withLock { _ in try connection.send(bytes) } }
            case .close: connection.interrupt()
            case .wait(let duration):
                try connection.wait(duration)
            case .until(let condition):
                while !condition(listener.log) { try connection.wait(.milliseconds(1)) }
            }
        }
    }

    /// What came for a stream that was reset counts against the connection's window all the same (RFC 9113 §5.1).
    private func giveBack(_ count: Int) throws {
        try send(HTTP2Frame(.windowUpdate, payload: HTTP2Frame.bytes(of: UInt32(count))))
    }

    private func grant(_ count: UInt32, on stream: UInt32) throws {
        for id in [0, stream] {
            try send(HTTP2Frame(.windowUpdate, stream: id, payload: HTTP2Frame.bytes(of: count)))
        }
    }

    /// Sends back what comes, and its end; what has gone back may come anew.
    private func echo(on stream: UInt32, _ index: Int) throws {
        var count = 0
        while true {
            var piece: [UInt8] = []
            var isComplete = false
            listener.look { log in
                piece = Array(log.streams[index].body.dropFirst(count))
                isComplete = log.streams[index].isComplete
            }
            if !piece.isEmpty {
                try send(piece, ends: false, on: stream, index)
                try grant(UInt32(piece.count), on: stream)
                count += piece.count
            } else if isComplete {
                return try send(HTTP2Frame(.data, flags: HTTP2Frame.endStream, stream: stream))
            } else {
                try connection.wait(.milliseconds(1))
            }
        }
    }

    /// Waits until it has come whole, or been given up.
    private func request(_ index: Int) throws -> HTTP2Stream {
        while true {
            var stream: HTTP2Stream?
            // A copy of the whole log would have the next change of it copy all streams.
            listener.record { stream = $0.streams[index] }
            if let stream, stream.isComplete || stream.isResetByPeer { return stream }
            try connection.wait(.milliseconds(1))
        }
    }

    private func send(_ bytes: [UInt8], ends: Bool, on stream: UInt32, _ index: Int) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let wanted = rest.count
            let count = windows.withLock { $0.take(wanted, on: stream) }
            guard count > 0 else {
                try connection.wait(.milliseconds(1))
                continue
            }
            let flags = ends && count == wanted ? HTTP2Frame.endStream : 0
            try send(HTTP2Frame(.data, flags: flags, stream: stream, payload: Array(rest.prefix(count))))
            rest = rest.dropFirst(count)
            listener.record { $0.streams[index].sent += count }
        }
    }

    private func send(_ frame: HTTP2Frame) throws {
        let bytes = frame.encoded
        try output.withLock { _ in try connection.send(bytes) }
    }

    private func note(_ kind: RawLog.Event.Kind) {
        listener.record { [number] in $0.events.append(.init(connection: number, kind: kind)) }
    }
}
