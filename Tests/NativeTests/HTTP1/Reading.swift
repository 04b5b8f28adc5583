// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport

@testable import StrataNative

/// What a reader makes of bytes, however they come.
struct Reading: Equatable {
    var interim: [Int] = []
    var head: HTTPResponse?
    var length: ResponseReader.BodyLength?
    var body: [UInt8] = []
    var trailers: HTTPFields?
    /// Bytes that belong to no response.
    var rest: [UInt8] = []
    var keepsConnection = false
    var error: NetworkClientError.Code?
    var message: String?

    var text: String { String(decoding: body, as: UTF8.self) }
    var isWhole: Bool { trailers != nil && error == nil }

    /// - Parameters:
    ///   - pieces: as they come from the connection, which ends then.
    ///   - readsAhead: whether content goes past the reader, as far as it says that it may.
    static func of(
        _ pieces: [[UInt8]], _ method: HTTPMethod = .get, limits: ResponseReader.Limits = .init(),
        skipsInvalidFields: Bool = false, upgrade: String? = nil, isCutOff: Bool = false, endsConnection: Bool = true,
        readsAhead: Bool = false
    ) -> Reading {
        var reader = ResponseReader(
            method: method, limits: limits, skipsInvalidFields: skipsInvalidFields, upgrade: upgrade,
            fields: FieldMemory())
        return of(pieces, &reader, isCutOff: isCutOff, endsConnection: endsConnection, readsAhead: readsAhead)
    }

    static func of(
        _ pieces: [[UInt8]], _ reader: inout ResponseReader, isCutOff: Bool = false, endsConnection: Bool = true,
        readsAhead: Bool = false
    ) -> Reading {
        var reading = Reading()
        do throws(NetworkClientError) {
            for piece in pieces { try reading.take(piece, &reader, readsAhead) }
            if endsConnection, reading.trailers == nil, reading.length != .switched {
                try reader.finish(isCutOff: isCutOff)
                try reading.take([], &reader, false)
            }
        } catch {
            (reading.error, reading.message) = (error.code, error.message)
        }
        reading.keepsConnection = reader.keepsConnection
        return reading
    }

    private mutating func take(
        _ piece: [UInt8], _ reader: inout ResponseReader, _ readsAhead: Bool
    ) throws(NetworkClientError) {
        var rest = piece
        while true {
            let count = Int(min(reader.contentLeft, Int64(rest.count)))
            if readsAhead, count > 0 {
                body += rest[..<count]
                rest.removeFirst(count)
                reader.consumed(count)
            }
            let result = rest.withUnsafeBytes { bytes in
                Result { () throws(NetworkClientError) in try reader.read(bytes) }
            }
            let step = try result.get()
            switch step.event {
            case .needsMore:
                self.rest += rest[step.consumed...]
                return
            case .interim(let response): interim.append(response.status.code)
            case .head(let response, let length): (head, self.length) = (response, length)
            case .body(let range): body += rest[range]
            case .end(let trailers): self.trailers = trailers
            }
            rest.removeFirst(step.consumed)
        }
    }
}

/// Status line, fields and empty line.
func head(_ fields: String...) -> String { (["HTTP/1.1 200 OK"] + fields + ["", ""]).joined(separator: "\r\n") }

let chunked = head("Transfer-Encoding: chunked")
