// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Asks an HTTP proxy for a tunnel (CONNECT: RFC 9110 §9.3.6), and once more when it wants to see credentials in another way.
///
/// The proxy is told where to, and its own credentials: no field of the request that will go through the tunnel.
final class ConnectHandshake: ProxyHandshake {
    private enum Phase {
        case head
        /// The body of a refusal, after which the same connection is asked again.
        case refusal(left: Int)
        case open
    }

    private let authority: String
    private let login: ProxyLogin?
    private let isExact: Bool
    private var answer: ProxyLogin.Answer?
    private var isAskedAgain = false
    private var reader: ResponseReader
    private var phase = Phase.head
    var output: [UInt8] = []
    /// How often the proxy has refused.
    private(set) var refusals: Int

    /// Of a longer refusal the rest is not worth reading: a new connection costs less.
    private static let maximumRefusal = 16 * 1024

    /// - Parameters:
    ///   - origin: what is to be at the other end.
    ///   - refusals: how often other connections were refused for the same purpose.
    ///   - isExact: whether the server may speak first, so that nothing behind the answer's head may be taken.
    init(
        to origin: Endpoint, login: ProxyLogin?, refusals: Int = 0, isExact: Bool = false,
        limits: ResponseReader.Limits = .init(), fields: FieldMemory
    ) {
        authority = origin.authority
        self.login = login
        self.refusals = refusals
        self.isExact = isExact
        reader = ResponseReader(method: .connect, limits: limits, fields: fields)
        ask()
    }

    private func ask() {
        phase = .head
        reader.begin(method: .connect)
        var head = Array("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n".utf8)
        let credentials = login?.field(method: "CONNECT", target: authority, content: Data())
        answer = credentials?.answer
        if let field = credentials?.field {
            head += Array("\(field.name.rawName): ".utf8) + field.withUnsafeBytesOfValue { Array($0) } + [0x0d, 0x0a]
        }
        output = head + [0x0d, 0x0a]
    }

    var mayStartOver: Bool {
        if case .refusal = phase { true } else { false }
    }

    var wanted: Int {
        switch phase {
        case .head: isExact ? 1 : 4096
        case .refusal: 4096
        case .open: 0
        }
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws(NetworkClientError) -> ProxyProgress {
        var rest = bytes
        do throws(NetworkClientError) {
            while true {
                let step = try reader.read(rest)
                let piece = rest
                rest = UnsafeRawBufferPointer(rebasing: rest[step.consumed...])
                switch step.event {
                case .needsMore:
                    guard rest.isEmpty else { throw .proxySpeaksUnasked }
                    return .underWay
                case .interim: continue
                case .head(_, .switched):
                    phase = .open
                    guard rest.isEmpty else { throw .proxySpeaksUnasked }
                    return .open
                case .head(let response, let length):
                    if let progress = try refused(response, length) { return progress }
                case .body(let range):
                    guard case .refusal(let left) = phase, left >= range.count, !piece.isEmpty else { return .again }
                    phase = .refusal(left: left - range.count)
                case .end:
                    guard rest.isEmpty else { return .again }
                    isAskedAgain = true
                    ask()
                    return .underWay
                }
            }
        } catch {
            if error.code == .proxyFailed { throw error }
            throw .proxy("the proxy's answer to CONNECT cannot be read: \(error.message)", cause: error)
        }
    }

    /// - Returns: `nil` when the body of the refusal comes first.
    private func refused(
        _ response: HTTPResponse, _ length: ResponseReader.BodyLength
    ) throws(NetworkClientError) -> ProxyProgress? {
        let code = response.status.code
        guard code == 407 else { throw .proxy("the proxy opened no tunnel: it answered CONNECT with status \(code)") }
        guard let login else { throw .proxy("the proxy opened no tunnel: it asks for credentials (status 407)") }
        guard refusals < ProxyLogin.maximumRefusals, login.learn(from: response.headerFields, after: answer) else {
            throw .proxy("the proxy opened no tunnel: it refused the credentials (status 407)")
        }
        refusals += 1
        guard reader.keepsConnection, length != .untilClose else { return .again }
        phase = .refusal(left: Self.maximumRefusal)
        return nil
    }

    func finish() throws(NetworkClientError) -> ProxyProgress {
        // The new answer is shown on another connection: not every proxy that closes has said so.
        if case .refusal = phase { return .again }
        if isAskedAgain, reader.isAtStart { return .again }
        throw .proxy("the proxy closed the connection instead of answering CONNECT")
    }
}

extension Endpoint {
    /// As a proxy is told where to connect to: with the port always (RFC 9110 §9.3.6), and without the zone of an address, which means
    /// something on this host alone.
    var authority: String {
        let name = host.contains(":") ? "[\(host.prefix { $0 != "%" })]" : host
        return "\(name):\(port)"
    }
}
