// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The calls of a generated mock, in order, over all its functions.
///
/// The mock's `log`; its `apiLog` when there is a function `log()`.
public final class MockLog: Sendable {
    private let names = Mutex<[String]>([])

    @_documentation(visibility: internal)
    public init() {}

    /// The full names of the functions that were called: `getUser(id:)`.
    public var calls: [String] { names.withLock { $0 } }

    func record(_ name: String) { names.withLock { $0.append(name) } }
}
