// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzSupport
import StrataCore
import StrataEncoding

private struct Model: Codable, Equatable {
    struct Inner: Codable, Equatable {
        var id: Int
        var tags: [String]
        var inner: [Inner]
    }

    struct Labels: Codable, Equatable {
        var labels: [String]
    }

    enum Color: String, Codable { case red, green }

    var a: String?
    var b: [Int]
    var c: Inner?
    var d: [Inner]
    var e: [String: [String: Bool]]
    var f: [Labels]
    var g: [String: Labels]
    var h: [Color: [UInt8: Int]]
    var i: Duration?
    var j: [String]
}

/// Pairs survive another round; models that can be read are written and read the same.
@main struct FuzzFormDecoder {
    static func main() { Fuzzer.run(check) }
}

private func check(_ data: Data) {
    let items = FormDecoder().items(from: data)
    precondition(FormDecoder().items(from: FormEncoder().encode(items)) == items)
    precondition(FormDecoder().items(from: FormEncoder(.init(spaces: .percent)).encode(items)) == items)
    for options in [
        FormOptions(), FormOptions(nesting: .dots, keys: .snakeCase), FormOptions(arrays: .commas),
        FormOptions(arrays: .pipes, nils: .text("null")),
    ] {
        let decoder = FormDecoder(options)
        if let value = try? decoder.decode(JSONValue.self, from: items) { precondition(value.object != nil) }
        if let pairs = try? decoder.decode([String: String].self, from: items) {
            let again = try? decoder.decode([String: String].self, from: FormEncoder(options).encode(pairs))
            precondition(again == pairs)
        }
        if let model = try? decoder.decode(Model.self, from: items), let text = try? FormEncoder(options).encode(model)
        {
            let again = try? decoder.decode(Model.self, from: text)
            precondition(again == model)
        }
    }
}
