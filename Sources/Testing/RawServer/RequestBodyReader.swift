// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Takes the body of a request out of the bytes that arrive (RFC 9112 §6, §7.1). Bytes that are no chunk end the body
/// and are no failure: the log shows what the client under test has sent.
struct RequestBodyReader: Sendable {
    private enum State {
        /// Bytes left of a body with `Content-Length`.
        case counted(Int)
        case chunkSize
        case chunk(left: Int)
        /// The line end after a chunk.
        case chunkEnd
        case trailers
        case done
    }

    private var state: State
    /// As sent.
    private(set) var raw: [UInt8] = []
    /// Without the chunked coding.
    private(set) var decoded: [UInt8] = []
    /// The lines behind the last chunk.
    private(set) var trailerLines: [String] = []

    init(for request: RawLog.Request) {
        let codings = request.values(of: "Transfer-Encoding").joined(separator: ",").lowercased()
        if codings.split(separator: ",").last?.utf8.trimmingBlanks.elementsEqual("chunked".utf8) == true {
            state = .chunkSize
        } else {
            state = .counted(request.values(of: "Content-Length").first.flatMap { Int($0) }.map { max(0, $0) } ?? 0)
        }
    }

    /// Removes what belongs to the body. `true` when it is complete.
    mutating func consume(_ bytes: inout ArraySlice<UInt8>) -> Bool {
        while true {
            switch state {
            case .counted(let left):
                let taken = take(left, from: &bytes)
                decoded += taken
                state = taken.count == left ? .done : .counted(left - taken.count)
                if taken.count < left { return false }
            case .chunkSize:
                guard let line = takeLine(from: &bytes) else { return false }
                let digits = line.prefix { $0 != UInt8(ascii: ";") }.trimmingBlanks
                switch Int(String(decoding: digits, as: UTF8.self), radix: 16) {
                case 0: state = .trailers
                case let size? where size > 0: state = .chunk(left: size)
                default: state = .done
                }
            case .chunk(let left):
                let taken = take(left, from: &bytes)
                decoded += taken
                guard taken.count == left else {
                    state = .chunk(left: left - taken.count)
                    return false
                }
                state = .chunkEnd
            case .chunkEnd:
                guard takeLine(from: &bytes) != nil else { return false }
                state = .chunkSize
            case .trailers:
                guard let line = takeLine(from: &bytes) else { return false }
                if line.isEmpty { state = .done } else { trailerLines.append(String(decoding: line, as: UTF8.self)) }
            case .done:
                return true
            }
        }
    }

    private mutating func take(_ count: Int, from bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let taken = bytes.prefix(count)
        bytes = bytes.dropFirst(taken.count)
        raw += taken
        return taken
    }

    /// Takes a line with its line end, and gives it without.
    private mutating func takeLine(from bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = take(end + 1 - bytes.startIndex, from: &bytes).dropLast()
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}
