// SPDX-License-Identifier: Apache-2.0

import CStrataZlib
import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Testing

@testable import StrataTransportSupport

/// The text of the tests, encoded by other programs.
private enum Sample {
    static let text = String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 40)
    static let gzip = data(
        "H4sIAAAAAAACAwvJSFUoLM1MzlZIKsovz1NIy69QyCrNLShWyC9LLVIoAUrnJFZVKqTkp+sphIwqHlU8qnhU8ajiUcXDSzEA5sOVZAgHAAA=")
    static let zlib = data(
        "eNoLyUhVKCzNTM5WSCrKL89TSMuvUMgqzS0oVsgvSy1SKAFK5yRWVSqk5KfrKYSMKh5VPKp4VPGo4lHFw0sxAIgKhjc=")
    static let deflate = zlib.dropFirst(2).dropLast(4)
    static let brotli = data("GwcHiCwOeNPQlV2XELsXK6nK0JLMjK1BXObyNsgZnp4Ke4MNOHBIIG8kv0GnFc4cHieqKTjCqXSfBgM=")
    static let emptyGzip = data("H4sIAAAAAAACAwMAAAAAAAAAAAA=")

    private static func data(_ base64: String) -> Data { Data(base64Encoded: base64) ?? Data() }

    /// Two segments, and 36 bytes that come out of the same last match as the end of the second.
    static let long = String(repeating: "0123456789", count: 26_218)
    static let longBodies: [(String, Data)] = [
        ("gzip", deflated(9, 15 + 16)), ("deflate", deflated(9, 15)), ("deflate", deflated(9, -15)),
        ("gzip", deflated(0, 15 + 16)), ("deflate", deflated(0, 15)), ("deflate", deflated(0, -15)),
        ("br", data("WyMAhF/cYGxe0ogDQwGo7wdAOZ29Bw==")),
        // Metadata of no bytes, uncompressed blocks, an empty last one (RFC 7932 §9.2).
        ("br", stored([0x0c], end: [3]) { ($0 - 1) << 3 | 1 << 19 }),
        ("zstd", data("KLUv/aAkAAQAlAAAUDAxMjM0NTY3ODkBAPP/zQsSRAAAAAEA/f/NCxA1AAAAAQBJAAQ=")),
        // A window of 128 KiB, raw blocks, an empty last one (RFC 8878 §3.1.1).
        ("zstd", stored([0x28, 0xb5, 0x2f, 0xfd, 0, 0x38], end: [1, 0, 0]) { $0 << 3 }),
    ]
}

/// The text by zlib, which stores at level 0; `windowBits` as in `strata_inflate_init`.
private func deflated(_ level: Int32, _ windowBits: Int32, _ text: [UInt8] = Array(Sample.long.utf8)) -> Data {
    var text = text
    var encoded = [UInt8](repeating: 0, count: text.count + 1000)
    var stream = z_stream()
    let count = withUnsafeMutablePointer(to: &stream) { stream in
        deflateInit2_(
            stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(stream) }
        text.withUnsafeMutableBufferPointer { text in
            encoded.withUnsafeMutableBufferPointer { room in
                stream.pointee.next_in = text.baseAddress
                stream.pointee.avail_in = UInt32(text.count)
                stream.pointee.next_out = room.baseAddress
                stream.pointee.avail_out = UInt32(room.count)
                deflate(stream, Z_FINISH)
            }
        }
        return Int(stream.pointee.total_out)
    }
    return Data(encoded.prefix(count))
}

/// The long text in blocks, each after three bytes that tell its length.
private func stored(_ start: [UInt8], end: [UInt8], header: (Int) -> Int) -> Data {
    let text = Array(Sample.long.utf8)
    var encoded = start
    for offset in stride(from: 0, to: text.count, by: 1 << 16) {
        let block = text[offset..<min(text.count, offset + 1 << 16)]
        let bits = header(block.count)
        encoded += [0, 8, 16].map { UInt8(truncatingIfNeeded: bits >> $0) }
        encoded += block
    }
    return Data(encoded + end)
}

struct ContentDecoderTests {
    /// Decodes a body that arrives in pieces of `size` bytes.
    private func decode(_ body: Data, as coding: String, pieces size: Int = .max) async throws -> String {
        let pieces = stride(from: 0, to: body.count, by: min(size, max(body.count, 1))).map {
            Data(body.dropFirst($0).prefix(size))
        }
        let stream = AsyncStream<Data> { continuation in
            for piece in pieces { continuation.yield(piece) }
            continuation.finish()
        }
        var response = TransportResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentEncoding: coding, .contentLength: "\(body.count)"]),
            body: ResponseBody(from: stream), metrics: TransportMetrics())
        ContentCoding.decode(&response)
        #expect(response.head.headerFields[.contentEncoding] == nil)
        #expect(response.head.headerFields[.contentLength] == nil)
        #expect(response.metrics?.contentEncoding == coding)
        #expect(response.metrics?.contentLength == Int64(body.count))
        return String(decoding: try await response.body.collect(), as: UTF8.self)
    }

    private func isDamaged(_ error: any Error) -> Bool {
        (error as? NetworkClientError)?.code == .contentEncodingFailed
    }

    /// Those whose library is here.
    private static func decodable(_ bodies: [(String, Data)]) -> [(String, Data)] {
        bodies.filter { ContentCoding(name: $0.0) != nil }
    }

    static let codings = decodable([
        ("gzip", Sample.gzip), ("x-gzip", Sample.gzip), ("GZIP", Sample.gzip), ("deflate", Sample.zlib),
        ("deflate", Data(Sample.deflate)), ("br", Sample.brotli),
    ])
    static let longBodies = decodable(Sample.longBodies)

    @Test(.enabled(if: ContentCoding(name: "br") != nil, "br is not tested: there is no libbrotlidec"))
    func claimsBrotli() {
        #expect(ContentCoding.features.contains(.brotli))
    }

    @Test(.enabled(if: ContentCoding(name: "zstd") != nil, "zstd is not tested: there is no libzstd"))
    func claimsZstd() {
        #expect(ContentCoding.features.contains(.zstd))
    }

    @Test(arguments: codings) func decodesWholeAndByteByByte(_ coding: String, _ body: Data) async throws {
        #expect(try await decode(body, as: coding) == Sample.text)
        #expect(try await decode(body, as: coding, pieces: 1) == Sample.text)
        #expect(try await decode(body, as: coding, pieces: 7) == Sample.text)
    }

    @Test(arguments: longBodies)
    func decodesMoreThanASegmentHolds(_ coding: String, _ body: Data) async throws {
        // Single bytes where each stands for many.
        for size in [body.count < 1000 ? 1 : 1000, 100_000, .max] {
            #expect(try await decode(body, as: coding, pieces: size) == Sample.long, "pieces of \(size)")
        }
    }

    @Test(arguments: codings) func refusesEveryTruncation(_ coding: String, _ body: Data) async throws {
        for count in 1..<body.count {
            await #expect("\(coding) cut to \(count)") { try await decode(body.prefix(count), as: coding) } throws: {
                isDamaged($0)
            }
        }
    }

    @Test func decodesSeveralMembers() async throws {
        let members = Sample.gzip + Sample.emptyGzip + Sample.gzip
        for size in [1, 20, .max] {
            #expect(try await decode(members, as: "gzip", pieces: size) == Sample.text + Sample.text)
        }
    }

    @Test func decodesManyEmptyMembers() async throws {
        let members = (0..<2000).reduce(into: Data()) { data, _ in data += Sample.emptyGzip }
        #expect(try await decode(members, as: "gzip") == "")
    }

    /// A few bytes of another coding stand for millions of them.
    @Test func refusesMembersThatHoldNextToNothing() async throws {
        let empty = (0..<60_000).reduce(into: Data()) { data, _ in data += Sample.emptyGzip }
        for bytes in [empty, empty + Sample.gzip] {
            await #expect {
                _ = try await decode(bytes, as: "gzip")
            } throws: { ($0 as? NetworkClientError)?.code == .contentEncodingFailed }
        }
        let small = (0..<60_000).reduce(into: Data()) { data, number in
            data += number.isMultiple(of: 3) ? Sample.gzip : Sample.emptyGzip
        }
        #expect(try await decode(small, as: "gzip").utf8.count == 20_000 * Sample.text.utf8.count)
    }

    @Test func refusesACutSecondMember() async {
        await #expect { try await decode(Sample.gzip + Sample.gzip.prefix(30), as: "gzip") } throws: { isDamaged($0) }
    }

    static let bodiesWithTails = decodable([
        ("gzip", Sample.gzip + Data("garbage".utf8)), ("gzip", Sample.gzip + Data(count: 512)),
        ("deflate", Sample.zlib + Data("x".utf8)), ("br", Sample.brotli + Data("xx".utf8)),
    ])

    @Test(arguments: bodiesWithTails) func ignoresWhatFollowsTheEnd(_ coding: String, _ body: Data) async throws {
        for size in [3, .max] { #expect(try await decode(body, as: coding, pieces: size) == Sample.text) }
    }

    /// Deflate without its header has no checksum.
    private static let checkedCodings = codings.filter { $0.1 != Data(Sample.deflate) }

    @Test(arguments: checkedCodings) func refusesDamage(_ coding: String, _ body: Data) async {
        var damaged = body
        for index in 20..<30 { damaged[index] ^= 0xff }
        await #expect { try await decode(damaged, as: coding) } throws: { isDamaged($0) }
    }

    @Test func refusesAWrongChecksum() async {
        var damaged = Sample.gzip
        damaged[damaged.count - 6] ^= 1
        await #expect { try await decode(damaged, as: "gzip") } throws: { isDamaged($0) }
    }

    @Test func refusesPlainText() async {
        await #expect { try await decode(Data("plain text".utf8), as: "gzip") } throws: { isDamaged($0) }
    }

    @Test func takesAnEmptyBodyForEmpty() async throws {
        #expect(try await decode(Data(), as: "gzip") == "")
    }

    @Test func undoesSeveralCodingsFromTheLast() async throws {
        let twice =
            Data(
                base64Encoded:
                    "H4sIAAAAAAACA5Pv5mAAASZm7pMeoRo6Z33OhXlondI/H+xxen3ACa2zuhphJ/S9dYM0GL2eq4SFai15svy1ZkuPllyozaqKkI8rHgUePextyPDs8NQUDnYGBgD0Th3AUAAAAA=="
            ) ?? Data()
        #expect(try await decode(twice, as: "gzip, gzip") == Sample.text)
    }

    @Test func leavesAnUnknownCodingAlone() async throws {
        var response = TransportResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentEncoding: "snappy", .contentLength: "3"]),
            body: ResponseBody(Data("abc".utf8)))
        ContentCoding.decode(&response)
        #expect(response.head.headerFields[.contentEncoding] == "snappy")
        #expect(response.head.headerFields[.contentLength] == "3")
        #expect(try await response.body.collect() == Data("abc".utf8))
    }

    @Test func leavesAPartAlone() async throws {
        var response = TransportResponse(
            head: HTTPResponse(status: .partialContent, headerFields: [.contentEncoding: "gzip"]),
            body: ResponseBody(Sample.gzip.prefix(10)))
        ContentCoding.decode(&response)
        #expect(response.head.headerFields[.contentEncoding] == "gzip")
        #expect(try await response.body.collect() == Sample.gzip.prefix(10))
    }

    @Test func unpacksNoMoreThanIsRead() async throws {
        // 100 kB that stand for 100 MB.
        let member = deflated(9, 15 + 16, [UInt8](repeating: 0, count: 1 << 20))
        let bomb = (0..<100).reduce(into: Data()) { data, _ in data += member }
        var response = TransportResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentEncoding: "gzip"]), body: ResponseBody(bomb))
        ContentCoding.decode(&response)
        var iterator = response.body.makeAsyncIterator()
        let first = try #require(try await iterator.next())
        #expect(first.count <= Segment.capacity)
        await #expect { try await Self.collect(&iterator, limit: 1 << 20) } throws: { $0 is TooMuch }
    }

    @Test func endsBetweenTwoPiecesWhenItIsCancelled() async throws {
        let source = DecodingSource(Self.megabyte(), coding: .gzip)
        #expect(try await source.next() != nil)
        source.cancel()
        await #expect(throws: CancellationError.self) { try await source.next() }
    }

    @Test func endsBetweenTwoPiecesWithItsTask() async throws {
        let encoded = Self.megabyte()
        let task = Task {
            let source = DecodingSource(encoded, coding: .gzip)
            let first = try await source.next()
            #expect(first != nil)
            withUnsafeCurrentTask { $0?.cancel() }
            return try await source.next()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(encoded.isCancelled)
    }

    /// In one piece, which is eight when it is decoded.
    private static func megabyte() -> PiecesSource {
        PiecesSource([deflated(9, 15 + 16, [UInt8](repeating: 0, count: 1 << 20))])
    }

    private struct TooMuch: Error {}

    private static func collect(_ iterator: inout ResponseBody.AsyncIterator, limit: Int) async throws {
        var count = 0
        while let piece = try await iterator.next() {
            count += piece.count
            if count > limit { throw TooMuch() }
        }
    }
}
