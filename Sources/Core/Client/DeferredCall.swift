// SPDX-License-Identifier: Apache-2.0

/// A value that stands for a call which has not begun, such as a publisher. A front end returns it from a function that
/// does not wait.
///
/// `StrataPublishers` makes `AnyPublisher` one. Each time the value is started, it makes a call of its own.
@_documentation(visibility: internal)
public protocol DeferredCall {
    associatedtype Output

    /// A value that, when it is started, makes the call.
    static func deferring(_ call: @escaping @Sendable () async throws -> Output) -> Self

    /// A value that, when it is started, opens a stream, and hands out its elements by demand.
    static func deferring(
        stream open: @escaping @Sendable () async throws -> AsyncThrowingStream<Output, any Error>
    ) -> Self
}
