// SPDX-License-Identifier: Apache-2.0

/// A value behind a reference, so that a `let` of a view can hold what changes.
public class RestValueReference<Value> {
    public fileprivate(set) var value: Value

    public init(value: Value) {
        self.value = value
    }
}

/// One whose value can be replaced.
///
///     private var cancelable = RestMutableValueReference<AnyCancellable?>(value: nil)
///     …
///     cancelable.update(with: $fruit>?.sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
public final class RestMutableValueReference<Value>: RestValueReference<Value> {
    public func update(with value: Value) {
        self.value = value
    }
}
