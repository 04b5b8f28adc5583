// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
public import StrataCore
public import StrataMiddleware

extension CircuitBreakerMiddleware {
    /// Reports the states of its circuits by swift-metrics, until the returned value is gone: the meter `strata.circuit.states`, by
    /// `strata.circuit.state`, `server.address` and `server.port`, is 1 for the state that a circuit has. One that has never
    /// opened is not reported.
    ///
    ///     let reporting = breaker.swiftMetrics()
    ///
    /// - Parameter factory: Default: that of `MetricsSystem`.
    public func swiftMetrics(factory: (any MetricsFactory)? = nil) -> Listening {
        onChange { change in
            typealias Attribute = SemanticConventions.Attribute
            var server: [(String, String)] = []
            if let origin = change.origin {
                server = [
                    (Attribute.serverAddress, origin.hostWithoutBrackets), (Attribute.serverPort, String(origin.port)),
                ]
            }
            for (state, value) in [(change.from, 0.0), (change.to, 1.0)] {
                Meter(
                    label: SemanticConventions.Metric.circuitStates,
                    dimensions: server + [(Attribute.circuitState, state.rawValue)],
                    factory: factory ?? MetricsSystem.factory
                ).set(value)
            }
        }
    }
}
