// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
public import StrataCore
public import StrataMiddleware

extension CircuitBreakerMiddleware {
    /// Reports the states of its circuits by swift-metrics, until the returned value is gone: the meter `strata.circuit.states`, by
    /// `strata.circuit.state`, is how many circuits are in that state. Where each origin has a circuit of its own
    /// (``StrataMiddleware/LoadScope/origin``), it is also by `server.address` and `server.port`; in other scopes all circuits are
    /// counted together, since a key may be a secret, and there may be many. Nothing is reported before the first change.
    ///
    ///     let reporting = breaker.swiftMetrics()
    ///
    /// - Parameter factory: Default: that of `MetricsSystem`.
    public func swiftMetrics(factory: (any MetricsFactory)? = nil) -> Listening {
        onCounts { counts in
            typealias Attribute = SemanticConventions.Attribute
            var server: [(String, String)] = []
            if let origin = counts.server {
                server = [
                    (Attribute.serverAddress, origin.hostWithoutBrackets), (Attribute.serverPort, String(origin.port)),
                ]
            }
            for state in [CircuitState.closed, .open, .halfOpen] {
                Meter(
                    label: SemanticConventions.Metric.circuitStates,
                    dimensions: server + [(Attribute.circuitState, state.rawValue)],
                    factory: factory ?? MetricsSystem.factory
                ).set(counts.circuits[state] ?? 0)
            }
        }
    }
}
