// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A configuration in libcurl's terms: set on a handle once, when it is made. Thousands of handles share it.
final class HandleOptions: Sendable {
    let configuration: CurlTransport.Configuration
    let highWaterMark: Int
    /// Shared by all loops, and stopped with them.
    let resolver: NameResolver
    let idleLimits: IdleLimits
    /// Who wants to know of the connections of all loops.
    let connectionEvents = ConnectionEvents()
    /// In seconds; 0 for none.
    let tcpKeepAlive: Int32
    let keyLog: KeyLog?
    let proxies: Proxies
    /// Why no request can be carried with these options.
    let refusal: NetworkClientError?
    /// `HOST:PORT:ADDRESS,ADDRESS`.
    let addressOverrides: [String]

    /// - Parameter lookup: asks for a name's addresses, in place of the system.
    init(
        _ configuration: CurlTransport.Configuration, environment: (String) -> String?,
        lookup: NameResolver.Lookup? = nil
    ) {
        self.configuration = configuration
        resolver = lookup.map { NameResolver(lookup: $0) } ?? NameResolver(family: configuration.addressFamily)
        highWaterMark = max(1, configuration.highWaterMark)
        idleLimits = IdleLimits(
            age: configuration.idleConnectionTimeout.map(UInt64.init(nanosecondsOf:)),
            count: configuration.maximumIdleConnections)
        tcpKeepAlive = configuration.tcpKeepAlive.map { Int32(clamping: max(1, $0.components.seconds)) } ?? 0
        var proxies = Proxies()
        var overrides: [String] = []
        var refusal: NetworkClientError?
        var keyLog: KeyLog?
        do throws(NetworkClientError) {
            // A Unix domain socket replaces any proxy.
            if configuration.unixSocketPath == nil {
                proxies = try Proxies(configuration.proxy, environment: environment)
            }
            overrides = try configuration.addressOverrides.map(Self.line)
            for pin in configuration.tls.pinnedPublicKeys + configuration.proxyTLS.pinnedPublicKeys {
                _ = try PublicKeyPin(pin)
            }
            refusal = Self.refusal(configuration, proxies, .current)
            keyLog = try configuration.tlsKeyLogFile.map { file throws(NetworkClientError) in try KeyLog(file) }
        } catch {
            refusal = error
        }
        self.proxies = proxies
        addressOverrides = overrides
        self.keyLog = keyLog
        self.refusal = refusal
    }

    /// As libcurl reads it, which takes the first colon for the end of the host; the host as requests have it.
    private static func line(_ entry: AddressOverride) throws(NetworkClientError) -> String {
        let entry = try entry.checked()
        // libcurl takes a line that begins with a sign for one of another kind.
        guard !entry.host.hasPrefix("-"), !entry.host.hasPrefix("+") else { throw AddressOverride.malformed }
        let addresses = entry.addresses.map { $0.contains(":") ? "[\($0)]" : $0 }
        return "\(entry.host):\(entry.port):\(addresses.joined(separator: ","))"
    }

    private static func refusal(
        _ configuration: CurlTransport.Configuration, _ proxies: Proxies, _ version: CurlVersion
    ) -> NetworkClientError? {
        var missing: String?
        if configuration.unixSocketPath != nil, !version.hasUnixSockets { missing = "Unix domain sockets" }
        if proxies.haveSecure, !version.hasHTTPSProxy { missing = "proxies over TLS" }
        if configuration.alternativeServicesFile != nil, !version.hasAlternativeServices { missing = "Alt-Svc" }
        if [configuration.tls, configuration.proxyTLS].contains(where: { $0.clientIdentity?.isEmpty == true }) {
            return NetworkClientError(.tlsFailed, "the client's identity is empty")
        }
        if let url = configuration.dnsOverHTTPS, url.scheme?.lowercased() != "https" {
            return NetworkClientError(.malformedURL, "DNS over HTTPS needs an https URL")
        }
        if version.isTooOld {
            return NetworkClientError(
                .unsupportedByTransport, "\(version.name) is too old: it takes \(CurlVersion.oldestName) or newer")
        }
        return missing.map {
            NetworkClientError(.unsupportedByTransport, "\(version.name) was built without \($0)")
        }
    }
}

extension HandleOptions: CustomReflectable {
    /// The configuration, which shows no secrets.
    var customMirror: Mirror { Mirror(self, children: ["configuration": configuration]) }
}
