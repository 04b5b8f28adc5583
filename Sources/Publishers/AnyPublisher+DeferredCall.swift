// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// An endpoint of an `@API` type may return an `AnyPublisher`: nothing is sent before a subscriber asks.
extension AnyPublisher: DeferredCall where Failure == any Error {
    @_documentation(visibility: internal)
    public static func deferring(_ call: @escaping @Sendable () async throws -> Output) -> AnyPublisher {
        CallPublisher(call).eraseToAnyPublisher()
    }

    @_documentation(visibility: internal)
    public static func deferring(
        stream open: @escaping @Sendable () async throws -> AsyncThrowingStream<Output, any Error>
    ) -> AnyPublisher {
        StreamPublisher(open).eraseToAnyPublisher()
    }
}
