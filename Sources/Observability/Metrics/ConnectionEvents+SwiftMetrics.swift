// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
public import StrataCore
import Synchronization

extension ConnectionEvents {
    /// Reports a transport's connections by swift-metrics, until the returned value is gone:
    ///
    /// | name | kind | what |
    /// | --- | --- | --- |
    /// | `http.client.open_connections` | meter | by `http.connection.state`: `active`, `idle` |
    /// | `http.client.connection.duration` | timer, in seconds | of those that are closed |
    /// | `strata.client.connections.closed` | counter | by `strata.connection.close_reason` |
    /// | `strata.client.connection.waits` | counter | exchanges that waited for a connection |
    ///
    /// With the labels `server.address` and `server.port`.
    ///
    ///     let reporting = transport.connectionEvents?.swiftMetrics()
    ///
    /// - Parameter factory: Default: that of `MetricsSystem`.
    public func swiftMetrics(factory: (any MetricsFactory)? = nil) -> Listening {
        let reporter = ConnectionReporter(factory: factory)
        return listen { reporter.report($0) }
    }
}

/// Turns what happens to connections into metrics.
private final class ConnectionReporter: Sendable {
    private typealias Attribute = SemanticConventions.Attribute
    private typealias Name = SemanticConventions.Metric

    private enum State: String {
        case active, idle
    }

    private struct Connection {
        var state: State
        let opened: Duration?
    }

    private let factory: (any MetricsFactory)?
    /// Those that are open.
    private let connections = Mutex<[UInt64: Connection]>([:])

    init(factory: (any MetricsFactory)?) { self.factory = factory }

    func report(_ event: ConnectionEvent) {
        let factory = factory ?? MetricsSystem.factory
        let server = [
            (Attribute.serverAddress, event.origin.hostWithoutBrackets),
            (Attribute.serverPort, String(event.origin.port)),
        ]
        func count(_ state: State, by number: Double) {
            let dimensions = server + [(Attribute.connectionState, state.rawValue)]
            let meter = Meter(label: Name.openConnections, dimensions: dimensions, factory: factory)
            if number > 0 { meter.increment(by: number) } else { meter.decrement(by: -number) }
        }
        guard let number = event.connection else {
            if event.kind == .waiting {
                Counter(label: Name.connectionWaits, dimensions: server, factory: factory).increment()
            }
            return
        }
        let (before, after) = change(number, event)
        if before?.state != after?.state {
            if let before { count(before.state, by: -1) }
            if let after { count(after.state, by: 1) }
        }
        guard case .closed(let reason) = event.kind else { return }
        let dimensions = server + [(Attribute.closeReason, reason.description)]
        Counter(label: Name.connectionsClosed, dimensions: dimensions, factory: factory).increment()
        guard let opened = before?.opened else { return }
        Timer(label: Name.connectionDuration, dimensions: server, preferredDisplayUnit: .seconds, factory: factory)
            .recordNanoseconds((event.time - opened).nanoseconds)
    }

    /// A connection that was open before anybody listened is seen when something happens to it.
    private func change(_ number: UInt64, _ event: ConnectionEvent) -> (before: Connection?, after: Connection?) {
        connections.withLock { connections in
            let before = connections[number]
            switch event.kind {
            case .opened: connections[number] = Connection(state: .active, opened: event.time)
            case .reused: connections[number] = Connection(state: .active, opened: before?.opened)
            case .idle: connections[number] = Connection(state: .idle, opened: before?.opened)
            case .closed: connections[number] = nil
            default: break
            }
            return (before, connections[number])
        }
    }
}
