// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

/// What comes between a socket that leads to somebody and a connection to the server.
extension Engine {
    /// Something has happened to the socket of a connection that is being made.
    func goOn(with connector: Connector) {
        guard let attempt = connector.winner else { return }
        switch connector.stage {
        case .securingProxy, .securing: shakeHands(connector, attempt)
        case .negotiating: negotiate(connector, attempt)
        case .naming, .connecting, .done: break
        }
    }

    /// One stage is over.
    func enterNextStage(_ connector: Connector, _ attempt: Connector.Attempt) {
        let (route, endpoint) = (connector.pool.route, connector.pool.endpoint)
        do throws(NetworkClientError) {
            if connector.stage.rawValue < Connector.Stage.securingProxy.rawValue, let proxy = route.proxy?.endpoint,
                proxy.isSecure
            {
                connector.stage = .securingProxy
                connector.session = try settings.proxyTLS.session(
                    host: proxy.host, port: proxy.port, descriptor: attempt.socket.descriptor)
                shakeHands(connector, attempt)
            } else if connector.stage.rawValue < Connector.Stage.negotiating.rawValue, case .tunnel(let proxy) = route {
                connector.stage = .negotiating
                connector.handshake = try handshake(of: connector, with: proxy)
                negotiate(connector, attempt)
            } else if connector.stage.rawValue < Connector.Stage.securing.rawValue, endpoint.isSecure {
                connector.stage = .securing
                connector.session = try settings.tls.session(
                    host: endpoint.host, port: endpoint.port, descriptor: attempt.socket.descriptor,
                    over: connector.proxySession, protocols: connector.pool.protocols.names)
                shakeHands(connector, attempt)
            } else {
                connector.stage = .done
                makeConnection(connector, attempt)
            }
        } catch {
            leave(.connectingFailed(connector, error))
        }
    }

    private func handshake(
        of connector: Connector, with proxy: ProxyServer
    ) throws(NetworkClientError) -> any ProxyHandshake {
        let (address, endpoint) = (proxy.address, connector.pool.endpoint)
        let host = connector.targets.first?.text ?? endpoint.host
        switch address.scheme {
        case .http, .https:
            return ConnectHandshake(
                to: endpoint, login: proxy.login, refusals: connector.refusals, isExact: !endpoint.isSecure,
                limits: settings.readerLimits, fields: fields)
        case .socks5, .socks5h:
            return try SOCKS5Handshake(
                to: SOCKSTarget(host, port: endpoint.port), user: address.user, password: address.password)
        case .socks4, .socks4a:
            return try SOCKS4Handshake(to: SOCKSTarget(host, port: endpoint.port), user: address.user)
        }
    }

    /// Says and hears what is to be said, as far as it goes.
    private func negotiate(_ connector: Connector, _ attempt: Connector.Attempt) {
        guard let handshake = connector.handshake else { return }
        do throws(NetworkClientError) {
            var progress = ProxyProgress.underWay
            while case .underWay = progress {
                switch say(handshake, connector, attempt) {
                case .wantsRead: return wait(for: .input, connector, attempt)
                case .wantsWrite: return wait(for: .output, connector, attempt)
                // What the proxy has said before it hung up tells more than that it did.
                case .bytes, .end, .cutOff, .failed: handshake.output = []
                }
                let room = UnsafeMutableRawBufferPointer(rebasing: input[..<min(handshake.wanted, input.count)])
                switch connector.proxySession?.receive(into: room) ?? attempt.socket.receive(into: room) {
                case .bytes(let count): progress = try handshake.take(UnsafeRawBufferPointer(rebasing: room[..<count]))
                case .wantsRead:
                    if handshake.mayStartOver { waitForRefusal(connector) }
                    return wait(for: .input, connector, attempt)
                case .wantsWrite: return wait(for: .output, connector, attempt)
                // In TLS 1.3 a certificate of ours is judged after the handshake.
                case .failed(let error) where error.code == .tlsFailed: throw error.withProxy
                case .end, .cutOff, .failed: progress = try handshake.finish()
                }
            }
            try act(on: progress, connector, attempt)
        } catch {
            leave(.connectingFailed(connector, error))
        }
    }

    /// How long the rest of a refusal is waited for, in nanoseconds.
    private static let refusalTime: UInt64 = 500_000_000

    /// The rest of a proxy's refusal is awaited, so that the same connection can be asked again.
    private func waitForRefusal(_ connector: Connector) {
        guard connector.refusalEnd == .max else { return }
        connector.refusalEnd = now.saturatingAdd(Self.refusalTime)
        note(connector.slot, at: connector.refusalEnd)
    }

    /// It takes too long: another connection costs less.
    func refusalIsOverdue(_ connector: Connector) {
        guard connector.handshake?.mayStartOver == true, let attempt = connector.winner else { return }
        if let connect = connector.handshake as? ConnectHandshake { connector.refusals = connect.refusals }
        startOver(connector, attempt)
    }

    /// - Returns: `bytes` when all is said.
    private func say(
        _ handshake: any ProxyHandshake, _ connector: Connector, _ attempt: Connector.Attempt
    ) -> IOResult {
        while !handshake.output.isEmpty {
            let result = handshake.output.withUnsafeBytes { bytes in
                connector.proxySession?.send(bytes) ?? attempt.socket.send(bytes)
            }
            guard case .bytes(let count) = result else { return result }
            handshake.output.removeFirst(count)
        }
        return .bytes(0)
    }

    private func act(
        on progress: ProxyProgress, _ connector: Connector, _ attempt: Connector.Attempt
    ) throws(NetworkClientError) {
        if let connect = connector.handshake as? ConnectHandshake { connector.refusals = connect.refusals }
        switch progress {
        case .underWay: break
        case .open:
            connector.handshake = nil
            enterNextStage(connector, attempt)
        case .again: startOver(connector, attempt)
        case .unreachable(let error):
            guard connector.targets.count > 1 else { throw error }
            connector.targets.removeFirst()
            startOver(connector, attempt)
        }
    }

    /// Goes to the proxy once more, on another connection.
    private func startOver(_ connector: Connector, _ attempt: Connector.Attempt) {
        connector.proxySession?.close()
        forget(attempt.socket, token: attempt.token)
        (connector.winner, connector.session, connector.proxySession, connector.handshake) = (nil, nil, nil, nil)
        (connector.stage, connector.interest, connector.refusalEnd) = (.connecting, .output, .max)
        connector.candidates = connector.addresses
        tryNextAddress(of: connector)
    }
}

extension NetworkClientError {
    /// An error of TLS with the proxy, as it is told from one with the server.
    var withProxy: NetworkClientError {
        var error = self
        error.message = "TLS with the proxy: \(message)"
        return error
    }
}
