// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Names for what a macro adds: short, each given once, and used nowhere in the declaration.
struct NameAllocator {
    private var taken: Set<String>

    init(avoiding names: Set<String>) { taken = names }

    init(avoiding declaration: some SyntaxProtocol) {
        taken = Set(declaration.tokens(viewMode: .sourceAccurate).map(\.plainText))
    }

    mutating func name(_ wanted: String) -> String {
        var name = wanted
        var number = 2
        while taken.contains(name) {
            name = wanted + String(number)
            number += 1
        }
        taken.insert(name)
        return name
    }
}
