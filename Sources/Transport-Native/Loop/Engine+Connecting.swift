// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

/// How connections are made (RFC 8305).
extension Engine {
    /// How long one address is tried before the next is tried beside it (RFC 8305 §5), in nanoseconds.
    private static let attemptDelay: UInt64 = 250_000_000

    func begin(_ connector: Connector) {
        connector.slot = timers.insert(connector)
        connector.loop = connector.exchange?.loop
        if let socket = settings.unixSocket {
            connect(connector, to: [socket])
        } else {
            if case .tunnel(let proxy) = connector.pool.route, proxy.address.resolvesHere { connector.stage = .naming }
            findAddresses(for: connector)
        }
    }

    private func findAddresses(for connector: Connector) {
        let endpoint = connector.stage == .naming ? connector.pool.endpoint : connector.peer
        if let known = knownAddresses(of: endpoint) {
            resolved(connector, known)
        } else {
            lookUp(endpoint.host, for: connector)
        }
    }

    /// The addresses that nobody has to be asked for.
    private func knownAddresses(of endpoint: Endpoint) -> [String]? {
        if let addresses = settings.override(of: endpoint) { return addresses }
        if SocketAddress(endpoint.host, port: endpoint.port) != nil { return [endpoint.host] }
        if endpoint.isThisComputer { return ["::1", "127.0.0.1"] }
        return names.addresses(of: endpoint.host, now: now)
    }

    /// Asked when the lock is released: the answer may come at once.
    private func lookUp(_ name: String, for connector: Connector) {
        guard let loop = connector.loop else { return }
        let resolver = settings.resolver
        resumptions.append(
            .action { [weak loop] in
                let ticket = resolver.look(up: name) { [weak loop] result in
                    loop?.run { $0.answered(result, of: name, for: connector) }
                }
                if loop?.run({ _ in connector.wait(for: ticket) }) != true { resolver.cancel(ticket) }
            })
    }

    private func answered(
        _ result: Result<[String], NameResolver.LookupFailure>, of name: String, for connector: Connector
    ) {
        switch result {
        case .success(let addresses):
            names.note(addresses, of: name, now: now)
            if !connector.isOver { resolved(connector, addresses) }
        case .failure(let failure):
            guard !connector.isOver else { return }
            fail(connector, unresolved(connector, failure.reason))
        }
    }

    private func resolved(_ connector: Connector, _ addresses: [String]) {
        let port = connector.stage == .naming ? connector.pool.endpoint.port : connector.peer.port
        let family: Int32? =
            switch settings.configuration.addressFamily {
            case .any: nil
            case .ipv4: SocketAddress.v4
            case .ipv6: SocketAddress.v6
            }
        let usable = addresses.compactMap { SocketAddress($0, port: port) }.filter {
            family == nil || $0.family == family
        }
        guard !usable.isEmpty else {
            let error = unresolved(connector, "it has no address of the wanted family")
            return leave(.connectingFailed(connector, error))
        }
        if connector.stage == .naming {
            (connector.targets, connector.stage) = (SocketAddress.interleaved(usable), .connecting)
            findAddresses(for: connector)
        } else {
            connect(connector, to: SocketAddress.interleaved(usable))
        }
    }

    private func unresolved(_ connector: Connector, _ reason: String) -> NetworkClientError {
        if connector.stage == .naming || connector.pool.route.proxy == nil {
            return NetworkClientError(
                .dnsFailed, "could not resolve the host \(connector.pool.endpoint.host): \(reason)")
        }
        return .unreachableProxy("could not resolve the proxy \(connector.peer.host): \(reason)")
    }

    private func connect(_ connector: Connector, to addresses: [SocketAddress]) {
        connector.nameLookup = now
        (connector.addresses, connector.candidates) = (addresses, addresses)
        tryNextAddress(of: connector)
    }

    // MARK: - Attempts

    /// Tries the next address beside those that are being tried.
    func tryNextAddress(of connector: Connector) {
        connector.nextAttempt = .max
        while !connector.candidates.isEmpty {
            let address = connector.candidates.removeFirst()
            do throws(SystemError) {
                let attempt = Connector.Attempt(try socket(for: address), address, connector)
                let isConnected: Bool
                do throws(SystemError) { isConnected = try attempt.socket.connect(to: address) } catch {
                    attempt.socket.close()
                    throw error
                }
                attempt.token = sockets.insert(attempt)
                guard let queue, queue.add(attempt.socket.descriptor, .output, token: attempt.token) else {
                    sockets.remove(attempt.token)
                    attempt.socket.close()
                    throw SystemError.noRoom
                }
                connector.attempts.append(attempt)
                if isConnected { return succeeded(attempt) }
                if !connector.candidates.isEmpty {
                    connector.nextAttempt = now.saturatingAdd(Self.attemptDelay)
                    note(connector.slot, at: connector.nextAttempt)
                }
                return
            } catch {
                noteFailure(of: connector, address, error)
            }
        }
        if connector.attempts.isEmpty { failLater(connector) }
    }

    private func noteFailure(of connector: Connector, _ address: SocketAddress, _ error: SystemError) {
        let place = address.text.map { "\($0)" } ?? "the Unix domain socket"
        connector.failure =
            connector.pool.route.proxy == nil
            ? NetworkClientError(.cannotConnect, "no connection to \(place): \(error.text)", cause: error)
            : .unreachableProxy("no connection to the proxy at \(place): \(error.text)", cause: error)
    }

    private func socket(for address: SocketAddress) throws(SystemError) -> Socket {
        let socket = try makeSocket(address.family)
        guard address.text != nil else { return socket }
        socket.prepareTCP(settings.tcp)
        guard let locals = settings.localAddresses else { return socket }
        guard let local = locals[address.family] else {
            socket.close()
            throw SystemError.noLocalAddress
        }
        if let error = socket.bind(to: local) {
            socket.close()
            throw error
        }
        return socket
    }

    /// Before the process has no descriptors left, or when it has none, an idle connection gives up its own.
    private func makeSocket(_ family: Int32) throws(SystemError) -> Socket {
        var result = Result { () throws(SystemError) in try Socket(family: family) }
        if case .failure(let error) = result, error.isLackOfDescriptors, closeOldestIdle(besides: nil) {
            result = Result { () throws(SystemError) in try Socket(family: family) }
        }
        let socket = try result.get()
        if Int(socket.descriptor) > Socket.descriptorLimit / 4 * 3 { _ = closeOldestIdle(besides: nil) }
        return socket
    }

    /// Something has become of an attempt.
    func isReady(_ attempt: Connector.Attempt) {
        let connector = attempt.connector
        guard !connector.isOver else { return }
        guard let error = attempt.socket.pendingError else { return succeeded(attempt) }
        noteFailure(of: connector, attempt.address, error)
        connector.attempts.removeAll { $0 === attempt }
        forget(attempt.socket, token: attempt.token)
        // The next one need not wait for its time (RFC 8305 §5).
        tryNextAddress(of: connector)
    }

    private func succeeded(_ attempt: Connector.Attempt) {
        let connector = attempt.connector
        connector.connected = now
        (connector.winner, connector.candidates, connector.nextAttempt) = (attempt, [], .max)
        for other in connector.attempts where other !== attempt { forget(other.socket, token: other.token) }
        connector.attempts = []
        sockets.handOver(attempt.token, to: connector)
        enterNextStage(connector, attempt)
    }

    // MARK: - TLS

    /// Goes on with the TLS handshake.
    func shakeHands(_ connector: Connector, _ attempt: Connector.Attempt) {
        guard let session = connector.session else { return }
        switch session.shakeHands() {
        case .done:
            if connector.stage == .securing {
                connector.secured = now
            } else {
                connector.proxySession = connector.session.take()
            }
            enterNextStage(connector, attempt)
        case .wantsRead: wait(for: .input, connector, attempt)
        case .wantsWrite: wait(for: .output, connector, attempt)
        case .failed(let error):
            leave(.connectingFailed(connector, connector.stage == .securingProxy ? error.withProxy : error))
        }
    }

    func wait(for interest: Interest, _ connector: Connector, _ attempt: Connector.Attempt) {
        guard interest != connector.interest else { return }
        queue?.change(attempt.socket.descriptor, from: connector.interest, to: interest, token: attempt.token)
        connector.interest = interest
    }

    // MARK: - The end

    func makeConnection(_ connector: Connector, _ attempt: Connector.Attempt) {
        let session: HTTP2Session?
        do throws(NetworkClientError) {
            session = try makeSession(connector.pool.protocols, connector.session)
        } catch {
            return leave(.connectingFailed(connector, error))
        }
        wait(for: .input, connector, attempt)
        let connection = Connection(
            attempt.socket, token: attempt.token, pool: connector.pool,
            tls: connector.session ?? connector.proxySession,
            remoteAddress: attempt.address.text, opened: now,
            reader: ResponseReader(method: .get, limits: settings.readerLimits, fields: fields), session: session)
        sockets.handOver(attempt.token, to: connection)
        connector.winner = nil
        discard(connector)
        connected(connector, connection)
    }

    private func failLater(_ connector: Connector) {
        leave(
            .connectingFailed(connector, connector.failure ?? NetworkClientError(.cannotConnect, "there is no address"))
        )
    }

    /// No connection comes of it.
    func fail(_ connector: Connector, _ error: NetworkClientError) {
        if connector.connected == nil { names.forget(connector.peer.host) }
        discard(connector)
        failed(connector, error)
    }

    /// Nobody wants the connection any more.
    func end(_ connector: Connector) {
        guard !connector.isOver else { return }
        connector.pool.spares.removeAll { $0 === connector }
        discard(connector)
        connectionEnded(connector.pool)
    }

    func discard(_ connector: Connector) {
        connector.pool.connecting -= 1
        if let ticket = connector.finish() { settings.resolver.cancel(ticket) }
        for attempt in connector.attempts { forget(attempt.socket, token: attempt.token) }
        connector.attempts = []
        if let winner = connector.winner.take() { forget(winner.socket, token: winner.token) }
        timers.remove(connector.slot)
    }
}

extension NetworkClientError {
    /// A proxy that nothing was said to.
    fileprivate static func unreachableProxy(_ message: String, cause: (any Error)? = nil) -> NetworkClientError {
        var error = NetworkClientError.proxy(message, cause: cause)
        error.isUnprocessed = true
        return error
    }
}
