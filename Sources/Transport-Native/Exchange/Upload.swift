// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body that is produced piece by piece, on its way from its source to the connection. Touched under the loop's lock alone.
///
/// A task of its own pulls the source, and waits while the connection has enough. A body that is sent again has a new one.
final class Upload: @unchecked Sendable {
    // Unchecked: see above.

    /// How many bytes have to come; `nil` for a body that is sent in chunks.
    let length: Int64?
    /// Where the bytes come from, when that is made already.
    private var source: (any BodySource)?
    private(set) var produced: Int64 = 0
    /// Whether the source has ended, and all is in the connection's queue.
    var isEnded = false
    /// Whether nothing more is wanted.
    private(set) var isClosed = false
    private var task: Task<Void, Never>?
    /// The producer, when it waits for room; told whether it goes on.
    private var producer: UnsafeContinuation<Bool, Never>?
    /// The last byte of an announced length, which waits for the source to end: if the source were longer, the server would
    /// have had the whole body by then.
    private(set) var lastByte: Data?
    /// When the last byte goes out although its source has not ended, in nanoseconds.
    private(set) var heldUntil = UInt64.max

    /// How long the last byte waits.
    private static let hold: UInt64 = 1_000_000_000
    /// Bytes in the connection's queue above which the producer waits.
    static let highWaterMark = 128 * 1024

    init(length: Int64?, source: (any BodySource)? = nil) {
        self.length = length
        self.source = source
    }

    /// The source that was made before the call began, once.
    func takeSource() -> (any BodySource)? { source.take() }

    /// The task that pulls; it is cancelled at once when nothing is wanted any more.
    func set(_ task: Task<Void, Never>) {
        if isClosed { Self.cancel(task) } else { self.task = task }
    }

    /// A piece has come.
    ///
    /// - Returns: what of it goes out now.
    func take(_ piece: Data, now: UInt64) -> Data {
        produced += Int64(piece.count)
        guard produced == length, !piece.isEmpty else { return piece }
        lastByte = Data(piece.suffix(1))
        heldUntil = now.saturatingAdd(Self.hold)
        return piece.dropLast()
    }

    /// The last byte, when it has waited long enough, or its source has ended.
    func releaseLastByte() -> Data? {
        heldUntil = .max
        return lastByte.take()
    }

    /// The producer waits until there is room.
    func wait(_ producer: UnsafeContinuation<Bool, Never>) { self.producer = producer }

    func takeProducer() -> UnsafeContinuation<Bool, Never>? { producer.take() }

    /// Nothing more is wanted: the task ends, wherever it waits.
    ///
    /// - Returns: the producer, to be told when the lock is released.
    func close() -> UnsafeContinuation<Bool, Never>? {
        isClosed = true
        lastByte = nil
        heldUntil = .max
        if !isEnded, let task { Self.cancel(task) }
        task = nil
        if let source = source.take() { Task.detached { source.cancel() } }
        return producer.take()
    }

    /// Runs code of the source, which may take its time and is not the loop's.
    private static func cancel(_ task: Task<Void, Never>) { Task.detached { task.cancel() } }
}
