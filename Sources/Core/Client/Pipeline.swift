// SPDX-License-Identifier: Apache-2.0

/// The stack of one client, built once: its middleware, outermost first, and the exchange at the end.
final class Pipeline: Sendable {
    let middleware: [any NetworkMiddleware]
    let capabilities: TransportCapabilities
    let interceptor: NetworkConfiguration.Interceptor?
    /// The middleware, the interceptor and the exchange, all as layers of one kind, so that a step down is one call.
    let stack: LayerStack

    init(
        middleware: [any NetworkMiddleware], transport: any NetworkTransport,
        interceptor: NetworkConfiguration.Interceptor?
    ) {
        self.middleware = Self.withRedirects(middleware)
        self.interceptor = interceptor
        capabilities = transport.capabilities
        let intercepting: [any NetworkMiddleware] = interceptor.map { [InterceptorLayer(interceptor: $0)] } ?? []
        let exchange = ExchangeLayer(transport: transport, capabilities: capabilities)
        stack = LayerStack(self.middleware + intercepting + [exchange])
    }

    convenience init(_ configuration: NetworkConfiguration, middleware: [any NetworkMiddleware]? = nil) {
        self.init(
            middleware: middleware ?? configuration.middleware, transport: configuration.transport,
            interceptor: configuration.interceptor)
    }

    /// Redirects are followed outside of everything, unless the list places them, or begins with layers that want to see
    /// a call as one exchange.
    static func withRedirects(_ middleware: [any NetworkMiddleware]) -> [any NetworkMiddleware] {
        if middleware.contains(where: { $0 is RedirectMiddleware }) { return middleware }
        let outer = middleware.prefix { $0.placement.demandsOutside(.redirects) }
        return outer + [RedirectMiddleware()] + middleware[outer.endIndex...]
    }
}
