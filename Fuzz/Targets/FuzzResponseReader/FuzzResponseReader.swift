// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzSupport
import HTTPTypes
import StrataCore

@testable import StrataNative
@testable import StrataTransportSupport

/// Responses of HTTP/1.1: however the bytes come, they mean the same, and no body is whole that is shorter than announced.
@main struct FuzzResponseReader {
    static func main() { Fuzzer.run(check) }
}

/// The first byte says how the others are cut, and what was asked.
private func check(_ data: Data) {
    guard let first = data.first else { return }
    let bytes = Array(data.dropFirst())
    let method: HTTPMethod = first & 1 == 0 ? .get : .head
    let skips = first & 2 != 0
    let fields = FieldMemory()
    var reader = ResponseReader(method: method, skipsInvalidFields: skips, fields: fields)
    let whole = read([bytes], &reader)
    let place = bytes.count * Int(first >> 2) / 64
    for pieces in [[bytes], [Array(bytes[..<place]), Array(bytes[place...])], bytes.map { [$0] }] {
        // The last head is remembered by now.
        reader.begin(method: method, skipsInvalidFields: skips)
        let other = read(pieces, &reader)
        precondition(other.error == whole.error && other.length == whole.length && other.heads == whole.heads)
        if whole.error == nil { precondition(other.body == whole.body && other.trailers == whole.trailers) }
    }
    guard whole.trailers != nil else { return }
    precondition(whole.error == nil)
    if case .exactly(let count) = whole.length { precondition(Int64(whole.body.count) == count) }
}

private struct Reading {
    var heads: [HTTPResponse] = []
    var length: ResponseReader.BodyLength?
    var body: [UInt8] = []
    var trailers: HTTPFields?
    var error: NetworkClientError.Code?
}

private func read(_ pieces: [[UInt8]], _ reader: inout ResponseReader) -> Reading {
    var reading = Reading()
    do {
        for piece in pieces { try take(piece, &reader, &reading) }
        if reading.trailers == nil, reading.length != .switched {
            try reader.finish()
            try take([], &reader, &reading)
        }
    } catch {
        reading.error = (error as? NetworkClientError)?.code
        precondition(reading.error == .protocolViolation || reading.error == .connectionLost)
    }
    return reading
}

private func take(_ piece: [UInt8], _ reader: inout ResponseReader, _ reading: inout Reading) throws {
    var start = 0
    while true {
        let step = try piece.withUnsafeBytes { try reader.read(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        precondition(step.consumed >= 0 && step.consumed <= piece.count - start)
        switch step.event {
        case .needsMore: return
        case .interim(let response): reading.heads.append(response)
        case .head(let response, let length):
            reading.heads.append(response)
            reading.length = length
        case .body(let range): reading.body += piece[start...][(start + range.lowerBound)..<(start + range.upperBound)]
        case .end(let trailers):
            precondition(reading.trailers == nil)
            reading.trailers = trailers
        }
        start += step.consumed
    }
}
