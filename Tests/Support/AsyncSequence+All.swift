// SPDX-License-Identifier: Apache-2.0

extension AsyncSequence {
    /// All of it.
    package func all() async throws -> [Element] {
        var elements: [Element] = []
        for try await element in self { elements.append(element) }
        return elements
    }
}
