// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ScriptedReply {
    /// A body whose pieces come when the sequence has them. It is read once: a reply that repeats has the rest.
    public static func stream<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces, status code: Int = 200, fields: HTTPFields = [:]
    ) -> ScriptedReply where Pieces.Element == Data {
        .source(status: code, fields: fields) { SequenceSource(pieces) { $0 } }
    }

    /// A stream of server-sent events that come when the sequence has their data. Lines of the data are lines of the event.
    public static func events<Events: AsyncSequence & Sendable>(
        _ events: Events, fields: HTTPFields = [:]
    ) -> ScriptedReply where Events.Element == String {
        var fields = fields
        fields[.contentType] = "text/event-stream"
        return .source(fields: fields) {
            SequenceSource(events) { data in
                let lines = data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)\n" }
                return Data((lines.joined() + "\n").utf8)
            }
        }
    }
}

/// A body of what a sequence gives. A wait ends with the sequence, or with the task that waits.
private final class SequenceSource<Elements: AsyncSequence & Sendable>: BodySource, @unchecked Sendable {
    // Unchecked because an iterator is not Sendable; it is touched by `next` alone, which has one caller at a time.
    private var iterator: Elements.AsyncIterator
    private let piece: @Sendable (Elements.Element) -> Data
    private let waiting = Mutex<(cancel: (@Sendable () -> Void)?, isCancelled: Bool)>((nil, false))

    init(_ elements: Elements, _ piece: @escaping @Sendable (Elements.Element) -> Data) {
        iterator = elements.makeAsyncIterator()
        self.piece = piece
    }

    func next() async throws -> Data? {
        let reading = Task { try await pull() }
        let isCancelled = waiting.withLock { waiting in
            waiting.cancel = { reading.cancel() }
            return waiting.isCancelled
        }
        if isCancelled { reading.cancel() }
        defer { waiting.withLock { $0.cancel = nil } }
        return try await withTaskCancellationHandler {
            try await reading.value
        } onCancel: {
            reading.cancel()
        }
    }

    private func pull() async throws -> Data? {
        try Task.checkCancellation()
        while let element = try await iterator.next(isolation: #isolation) {
            let data = piece(element)
            if !data.isEmpty { return data }
        }
        // Many sequences just end when their task is cancelled, which is no end of the body.
        try Task.checkCancellation()
        return nil
    }

    func cancel() {
        let cancel = waiting.withLock { waiting in
            waiting.isCancelled = true
            return waiting.cancel
        }
        cancel?()
    }
}
