// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import FuzzSupport
import HTTPTypes
import StrataCore
import StrataEncoding
import Synchronization

private struct Part: Equatable {
    var fields: HTTPFields
    var content: Data
}

private struct Pieces: AsyncSequence, Sendable {
    var data: Data
    var size: Int

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: Data
        var size: Int

        mutating func next() async throws -> Data? {
            guard !rest.isEmpty else { return nil }
            defer { rest = Data(rest.dropFirst(size)) }
            return Data(rest.prefix(size))
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: data, size: size) }
}

private struct Model: Codable, Equatable {
    struct Inner: Codable, Equatable {
        var id: Int
        var tags: [String]
    }

    enum Color: String, Codable { case red, green }

    var a: String?
    var b: [Int]
    var c: Inner?
    var d: [Inner]
    var e: [Color: Bool]
    var f: Duration?
    var g: Data?
}

/// What is read from the whole is read from pieces of any size, too, where the first byte is the size. Models that can be read are
/// written and read the same.
@main struct FuzzMultipartDecoder {
    static func main() { Fuzzer.run(check) }
}

private func check(_ data: Data) {
    guard let first = data.first else { return }
    let body = Data(data.dropFirst())
    // One boundary that the mutations meet often, and one of the kind that is announced with its dashes.
    for boundary in ["B", "--B"] {
        let whole = try? MultipartDecoder().parts(in: body, boundary: boundary).map {
            Part(fields: $0.fields, content: $0.body.data ?? Data())
        }
        let inPieces = read(Pieces(data: body, size: Int(first) + 1), boundary)
        precondition(whole == inPieces)
    }
    let response = HTTPResponse(status: .ok, headerFields: [.contentType: "multipart/form-data; boundary=B"])
    for options in [FormOptions(), FormOptions(arrays: .indices), FormOptions(nesting: .dots, keys: .snakeCase)] {
        roundTrip([String: String].self, body, response, options)
        roundTrip(Model.self, body, response, options)
    }
}

private func roundTrip<Value: Codable & Equatable>(
    _ type: Value.Type, _ body: Data, _ response: HTTPResponse, _ options: FormOptions
) {
    let decoder = MultipartDecoder(options: options)
    guard let value = try? decoder.decode(type, from: body, response: response),
        let written = try? MultipartEncoder(options: options, boundary: "fuzz-round-trip").encodeBody(value),
        let data = written.body.data
    else { return }
    // A boundary that is part of a value.
    guard (body as Data).range(of: Data("fuzz-round-trip".utf8)) == nil else { return }
    let again = try? decoder.decode(
        type, from: data,
        response: HTTPResponse(status: .ok, headerFields: [.contentType: written.contentType ?? ""]))
    precondition(again == value)
}

private func read(_ pieces: Pieces, _ boundary: String) -> [Part]? {
    let done = DispatchSemaphore(value: 0)
    let box = Box()
    Task.detached {
        var parts: [Part]? = []
        do {
            for try await part in try MultipartDecoder().parts(of: pieces, boundary: boundary) {
                parts?.append(Part(fields: part.fields, content: try await part.body.collect()))
            }
        } catch {
            parts = nil
        }
        box.parts.withLock { $0 = parts }
        done.signal()
    }
    done.wait()
    return box.parts.withLock { $0 }
}

private final class Box: Sendable {
    let parts = Mutex<[Part]?>(nil)
}
