// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzSupport
import StrataEncoding

/// A template that can be parsed expands to characters that may stand in a URI. Behind the first NUL is a value.
@main struct FuzzURITemplate {
    static func main() { Fuzzer.run(check) }
}

private func check(_ data: Data) {
    let halves = data.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let text = String(decoding: halves[0], as: UTF8.self)
    let value = String(decoding: halves.count > 1 ? halves[1] : Data("v".utf8), as: UTF8.self)
    guard let template = try? URITemplate(text) else { return }
    let values: [URITemplate.Value] = [
        .string(value), .list([value, "x", value]), .pairs([.init(value, value), .init("k", "")]),
    ]
    var variables: [String: URITemplate.Value] = [:]
    for (offset, name) in template.variableNames.enumerated() { variables[name] = values[offset % values.count] }
    for set in [variables, [:]] {
        guard let expanded = try? template.expand(set) else { continue }
        precondition(expanded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) })
    }
}
