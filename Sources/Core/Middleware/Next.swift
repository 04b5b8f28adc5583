// SPDX-License-Identifier: Apache-2.0

/// The rest of the stack below a middleware, the transport at its end.
public struct Next: Sendable {
    /// The call whose layers these are. A request that one of them builds from scratch joins it.
    @usableFromInline let call: CallContext
    @usableFromInline let index: Int

    @inlinable
    init(call: CallContext, index: Int) {
        self.call = call
        self.index = index
    }

    // Inlinable, so that a step down is one asynchronous call and not two.
    @inlinable @inline(__always)
    public func callAsFunction(_ request: TransportRequest) async throws -> TransportResponse {
        guard request.call === call else { return try await join(request) }
        if request.options.marksSecrets { call.remember(request.options) }
        return try await call.stack.layers[index].intercept(request, next: Next(call: call, index: index + 1))
    }

    /// Continues with a request that a layer has built from scratch, or kept from another call. It is a function of its
    /// own because a function that calls itself is not inlined.
    @usableFromInline
    func join(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        request.call = call
        request.options = call.options(with: request.options)
        return try await self(request)
    }

    /// Asks the layers further out, for one whose request has waited, whether it may still be sent.
    ///
    /// - Throws: what they throw.
    package func checkAgain(_ request: TransportRequest) throws {
        try call.stack.checkAgain(request, above: index - 1)
    }

    /// The same layers for a call of its own, which goes on when this one has ended.
    package func inCallOfItsOwn() -> Next { Next(call: call.successor(), index: index) }
}
