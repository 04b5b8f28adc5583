// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A way in which the bytes of a body may arrive. The body means the same however the network cuts it.
///
///     for reply in ScriptedReply.events("data: 1\r\n\r\n").rechunked(.everySplit) {
///         let client = NetworkClient(configuration: configuration(ScriptedTransport(reply)))
///         …
///     }
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum Rechunking: Hashable, Sendable {
    /// In one piece.
    case whole
    /// One byte after the other.
    case oneByte
    /// Pieces of this many bytes, at least 1; the last may be shorter.
    case every(Int)
    /// Two pieces, cut at every place in turn: as many ways as there are bytes, less one.
    case everySplit
    /// Pieces of 1 to 16 bytes. The same seed gives the same pieces.
    case random(seed: UInt64)
}

extension Data {
    /// The ways in which the bytes arrive; each is a list of pieces, none of them empty, that make up the whole.
    public func rechunked(_ rechunking: Rechunking) -> [[Data]] {
        guard !isEmpty else { return [[]] }
        switch rechunking {
        case .whole: return [[Data(self)]]
        case .oneByte: return [pieces { 1 }]
        case .every(let size): return [pieces { size }]
        case .everySplit:
            guard count > 1 else { return [[Data(self)]] }
            return (1..<count).map { [Data(prefix($0)), Data(dropFirst($0))] }
        case .random(let seed):
            var generator = SeededGenerator(seed: seed)
            return [pieces { Int.random(in: 1...16, using: &generator) }]
        }
    }

    private func pieces(_ size: () -> Int) -> [Data] {
        var pieces: [Data] = []
        var rest = self[...]
        while !rest.isEmpty {
            let size = Swift.max(size(), 1)
            pieces.append(Data(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return pieces
    }
}

extension ScriptedReply {
    /// The same reply with its body cut in other places: one reply for each way of cutting.
    ///
    /// A failure at the end stays at the end. Replies without a response, and those with a source of their own, are
    /// returned as they are.
    public func rechunked(_ rechunking: Rechunking) -> [ScriptedReply] {
        guard case .response(let head, let body) = kind else { return [self] }
        let bytes: Data
        var failure: (any Error)?
        var length: Int64?
        switch body {
        case .data(let data):
            bytes = data
            length = Int64(data.count)
        case .pieces(let pieces, let error, let announced):
            bytes = pieces.reduce(into: Data()) { $0.append($1) }
            failure = error
            length = announced
        case .source: return [self]
        }
        return bytes.rechunked(rechunking).map { pieces in
            with(.response(head, .pieces(pieces, failure: failure, length: length)))
        }
    }
}
