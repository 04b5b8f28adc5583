// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzSupport
import StrataEncoding

/// Field values: what was read is written so that it is read the same; names to save under are names.
@main struct FuzzFields {
    static func main() { Fuzzer.run(check) }
}

private func check(_ data: Data) {
    let text = String(decoding: data, as: UTF8.self)
    if let type = MediaType(text) { precondition(MediaType(type.description) == type) }
    if let name = ContentDisposition(text)?.safeFilename {
        precondition(
            !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 < 0x20 || "/\\".utf8.contains($0) }
        )
    }
    _ = LinkField(text)["next"]?.target
}
