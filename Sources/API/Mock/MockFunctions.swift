// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The functions of a generated mock that a program has only on new versions of its platform: made when they are first asked for.
@_documentation(visibility: internal)
public final class MockFunctions: Sendable {
    private let log: MockLog
    private let made = Mutex<[String: any Sendable]>([:])

    public init(log: MockLog) { self.log = log }

    /// - Parameters:
    ///   - property: what the mock calls it, `onGetUser`; there is one function for each.
    ///   - name: `getUser(id:)`.
    public func function<Arguments, Reply>(
        _ property: String, name: String
    ) -> MockFunction<Arguments, Reply> {
        made.withLock { made in
            if let function = made[property] as? MockFunction<Arguments, Reply> { return function }
            let function = MockFunction<Arguments, Reply>(name, log: log)
            made[property] = function
            return function
        }
    }
}
