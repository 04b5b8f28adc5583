// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// The fields of the event that is being read: what the HTML standard calls the event type, data and ID buffers.
///
/// Data of a single line stays where it came from, in the piece or in the line buffer, and is copied once, into the
/// event's own string; only data of several lines, or cut by the end of a piece, is gathered in ``gathered``.
struct EventBlock: Sendable {
    private enum DataPlace: Sendable {
        case none
        case piece(Range<Int>)
        /// In ``gathered``, from this offset on.
        case gathered(from: Int)
    }

    private(set) var id: String?
    private(set) var retry: Duration?
    private var type: String?
    private var place = DataPlace.none
    private var gathered: [UInt8] = []
    /// The previous event's type, which is used again when it comes again. Otherwise each event with a long type would
    /// allocate it.
    private var previousType = "message"

    /// How many bytes of data there are.
    var dataSize: Int {
        switch place {
        case .none: 0
        case .piece(let range): range.count
        case .gathered(let start): gathered.count - start
        }
    }

    // MARK: Fields

    /// `data`, in `piece` at `range`.
    @inline(__always)
    mutating func addData(_ range: Range<Int>, of piece: UnsafeRawBufferPointer) {
        if case .none = place {
            place = .piece(range)
        } else {
            gather(from: piece)
            gathered.append(.lineFeed)
            gathered.append(contentsOf: piece.part(range))
        }
    }

    /// `data`, in `line` from `start` on. The buffer is taken where that saves a copy.
    mutating func addData(_ line: inout [UInt8], from start: Int, piece: UnsafeRawBufferPointer) {
        if case .none = place {
            swap(&gathered, &line)
            place = .gathered(from: start)
        } else {
            gather(from: piece)
            gathered.append(.lineFeed)
            line.withUnsafeBytes { gathered.append(contentsOf: $0.dropping(start)) }
        }
    }

    /// `event`
    mutating func setType(_ value: UnsafeRawBufferPointer) {
        let isSame = previousType.utf8.withContiguousStorageIfAvailable { value.equals(UnsafeRawBufferPointer($0)) }
        type = isSame == true ? previousType : value.text
    }

    /// `id`; ignored when it contains NUL.
    mutating func setID(_ value: UnsafeRawBufferPointer) {
        guard value.firstIndex(of: 0, from: 0) == value.count else { return }
        id = value.text
    }

    /// `retry`; ignored unless it is ASCII digits only. More milliseconds than fit are as many as fit.
    mutating func setRetry(_ value: UnsafeRawBufferPointer) {
        guard !value.isEmpty else { return }
        var milliseconds: Int64 = 0
        for byte in value {
            guard byte.isDigit else { return }
            let (product, overflows) = milliseconds.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = product.addingReportingOverflow(Int64(byte - 0x30))
            milliseconds = overflows || overflowsToo ? .max : sum
        }
        retry = .milliseconds(milliseconds)
    }

    // MARK: The end of a piece, the end of a block

    /// Copies what is still in `piece`, which goes away.
    mutating func gather(from piece: UnsafeRawBufferPointer) {
        guard case .piece(let range) = place else { return }
        gathered.append(contentsOf: piece.part(range))
        place = .gathered(from: 0)
    }

    /// Called between two pieces. Hands the memory that data was gathered in to the begun line, or gives it back when
    /// there is no such line.
    ///
    /// So a stream of large events uses the same memory again, and a stream that rests between two events holds none.
    mutating func share(_ line: inout [UInt8]) {
        if gathered.isEmpty, line.isEmpty, line.capacity < gathered.capacity { swap(&gathered, &line) }
        gathered.trim()
    }

    /// Ends the block: its event, when it had data, and an empty block for the next.
    @inline(__always)
    mutating func dispatch(lastEventID: String, piece: UnsafeRawBufferPointer) -> ServerSentEvent? {
        defer { reset() }
        let data: String
        switch place {
        case .none: return nil
        case .piece(let range): data = piece.part(range).text
        case .gathered(let start): data = gathered.withUnsafeBytes { $0.dropping(start).text }
        }
        if let type, !type.isEmpty { previousType = type }
        return ServerSentEvent(
            type: type.flatMap { $0.isEmpty ? nil : $0 } ?? "message", data: data, id: id, retry: retry,
            lastEventID: lastEventID)
    }

    private mutating func reset() {
        if case .gathered = place { gathered.empty() }
        place = .none
        type = nil
        id = nil
        retry = nil
    }
}

extension [UInt8] {
    /// Appends a piece of a line. A large line grows in few steps, because moving it costs more than memory that is
    /// never touched.
    @inline(never)
    mutating func gather(_ piece: UnsafeRawBufferPointer) {
        let size = count + piece.count
        if size > capacity, size > 16 << 10 { reserveCapacity(4 * size) }
        append(contentsOf: piece)
    }

    /// Removes everything and keeps the memory. Not inlined, so that the path of small events stays short.
    @inline(never)
    mutating func empty() { removeAll(keepingCapacity: true) }

    /// Gives the memory of an empty buffer back when it is large: there may be thousands of streams.
    mutating func trim() {
        if isEmpty, capacity > 16 << 10 { self = [] }
    }
}
