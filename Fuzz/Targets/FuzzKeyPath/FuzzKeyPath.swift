// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzSupport
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
        if let slice = try? slice.get() {
            // Of keys that are canonically equivalent a dictionary keeps one.
            precondition((try? JSONValue(parsing: slice)) != nil)
        }
    }
    do {
        _ = try JSONDecoder().decode([String: [Int]].self, from: text)
    } catch let error as DecodingError {
        precondition(!JSONDecodingError(error, in: text).debugDescription.isEmpty)
    } catch {}
    _ = try? JSONLinesDecoder().decode([JSONValue].self, from: text)
}
