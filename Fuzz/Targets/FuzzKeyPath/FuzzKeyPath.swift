// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzSupport
import HTTPTypes
import StrataEncoding

/// The walk over the bytes and the parsed value agree, at any path. Behind the first NUL is the JSON text.
@main struct FuzzKeyPath {
    static func main() { Fuzzer.run(check) }
}

private func check(_ data: Data) {
    let halves = data.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let path = JSONKeyPath(String(decoding: halves[0], as: UTF8.self))
    precondition(JSONKeyPath(path.description) == path)
    let text = Data(halves.count > 1 ? halves[1] : halves[0])
    let slice = Result { try path.slice(of: text) }
    if case .failure(let error) = slice { precondition(!"\(error)".isEmpty) }
    if let value = try? JSONValue(parsing: text) {
        precondition((try? JSONValue(parsing: value.serialized())) == value)
        check(value)
        if let slice = try? slice.get() {
            // Of keys that are canonically equivalent a dictionary keeps one.
            precondition((try? JSONValue(parsing: slice)) != nil)
        }
    }
    do {
        let utf8 = HTTPResponse(status: .ok, headerFields: [.contentType: "application/json; charset=utf-8"])
        _ = try JSONDecoder().decode([String: [Int]].self, from: text, response: utf8)
    } catch let error as JSONDecodingError {
        // Text whose first bytes are those of another encoding is converted, and is longer then.
        if text.first != 0, text.dropFirst().first != 0, text.first ?? 0 < 0xFE { check(error, text) }
    } catch {}
    do {
        _ = try JSONLinesDecoder().decode([[String: Int]].self, from: text)
    } catch let error as JSONDecodingError {
        check(error, text)
    } catch {}
}

/// A number is the same whatever it is read as; a value survives its way through `Codable`.
private func check(_ value: JSONValue) {
    if let number = value.number {
        if let int = number.int { precondition(Double(int) == number.double && JSONNumber(int) == number) }
        if let decimal = number.decimal { precondition(JSONNumber(decimal) == number) }
    }
    if let data = try? JSONEncoder().encode([value]) {
        precondition((try? JSONDecoder().decode([JSONValue].self, from: data)) == [value])
    }
    value.array?.forEach(check)
    value.object?.values.forEach(check)
}

private func check(_ error: JSONDecodingError, _ text: Data) {
    precondition(error.offset <= text.count && error.line >= 1 && error.column >= 1)
    precondition(error.snippet.utf8.count <= 3 * 200 + 6 && !error.debugDescription.isEmpty)
}
