// SPDX-License-Identifier: Apache-2.0

/// The layers that a call goes through, outermost first.
///
/// They are behind a pointer and not in an array. A step down would copy the layer out of an array, and release the
/// copy on the way up, which is a seventh of what the step costs.
@usableFromInline
package final class LayerStack: @unchecked Sendable {
    // Unchecked because of the pointer: what it leads to is written once, before anybody else has the stack.
    @usableFromInline let layers: UnsafeMutablePointer<Layer>
    private let count: Int

    /// One layer, which is borrowed where it stands.
    @usableFromInline
    struct Layer: ~Copyable {
        @usableFromInline let middleware: any NetworkMiddleware

        init(_ middleware: any NetworkMiddleware) { self.middleware = middleware }

        /// A function and not a property, which would hand out a copy of the layer.
        @inlinable @inline(__always)
        func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
            try await middleware.intercept(request, next: next)
        }
    }

    package init(_ middleware: [any NetworkMiddleware] = []) {
        count = middleware.count
        layers = .allocate(capacity: count)
        for (index, layer) in middleware.enumerated() {
            (layers + index).initialize(to: Layer(layer))
        }
    }

    /// Asks the layers above `index` whether the request may still be sent.
    func checkAgain(_ request: TransportRequest, above index: Int) throws {
        for index in 0..<index {
            if let layer = layers[index].middleware as? any RefusingLayer { try layer.checkAgain(request) }
        }
    }

    deinit {
        layers.deinitialize(count: count)
        layers.deallocate()
    }
}

/// A layer that refuses requests, and may have a reason to by the time that one has waited further in.
package protocol RefusingLayer: NetworkMiddleware {
    /// - Throws: what it would throw now.
    func checkAgain(_ request: TransportRequest) throws
}
