// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataCurl
import StrataTesting
import StrataURLSession

#if os(Linux)
import StrataNative
#endif

extension Plan {
    /// - Throws: ``UsageError`` for what the transport cannot do, `CassetteError` for a file that is no cassette.
    func makeTransport() throws -> any NetworkTransport {
        if let replayed {
            return CassetteTransport(try Cassette(contentsOf: URL(filePath: replayed)))
        }
        switch transport {
        case .curl:
            return CurlTransport(configuration: try configured(CurlTransport.Configuration()))
        case .native:
            #if os(Linux)
            return NativeTransport(configuration: try configured(NativeTransport.Configuration()))
            #else
            throw UsageError("the native transport is for Linux")
            #endif
        case .urlsession:
            guard call.connection.isDefault else {
                throw UsageError("URLSession takes no settings for TLS, proxies and addresses: use --transport curl")
            }
            return URLSessionTransport()
        }
    }

    private func configured<Settings: TransportSettings>(_ settings: Settings) throws -> Settings {
        var settings = settings
        settings.decodesContent = call.decodesContent
        settings.tls = try tls()
        settings.proxy = proxy
        settings.unixSocketPath = call.connection.unixSocket
        settings.localInterface = call.connection.interface
        settings.addressFamily = family
        settings.addressOverrides = overrides
        return settings
    }

    private func tls() throws -> TLSSettings {
        var settings = TLSSettings()
        let connection = call.connection
        settings.dangerouslySkipsVerification = !connection.verifies
        if let file = connection.authorities {
            guard FileManager.default.isReadableFile(atPath: file) else { throw UsageError("cannot read \(file)") }
            settings.trust = .file(file)
        }
        settings.clientCertificate = connection.certificate
        settings.clientKey = connection.certificateKey ?? connection.certificate
        settings.clientKeyPassword = connection.certificatePassword
        if connection.minimumTLS13 { settings.minimumVersion = .v1_3 }
        return settings
    }

    private var proxy: ProxyPolicy {
        let connection = call.connection
        guard let url = connection.proxy else {
            return connection.proxyExceptions.contains("*") ? .none : .environment
        }
        if url == "none" { return .none }
        let user = connection.proxyUser.map(CallCredentials.pair)
        return .url(
            url.contains("://") ? url : "http://\(url)", user: user?.user, password: user?.password,
            except: connection.proxyExceptions)
    }

    private var family: AddressFamily {
        switch call.connection.family {
        case .any: .any
        case .ipv4: .ipv4
        case .ipv6: .ipv6
        }
    }

    private var overrides: [AddressOverride] {
        call.connection.addresses.map { AddressOverride(host: $0.host, port: $0.port, addresses: $0.addresses) }
    }
}

/// What both transports with connections of ours are told of them.
private protocol TransportSettings {
    var decodesContent: Bool { get set }
    var tls: TLSSettings { get set }
    var proxy: ProxyPolicy { get set }
    var unixSocketPath: String? { get set }
    var localInterface: String? { get set }
    var addressFamily: AddressFamily { get set }
    var addressOverrides: [AddressOverride] { get set }
}

extension CurlTransport.Configuration: TransportSettings {}

#if os(Linux)
extension NativeTransport.Configuration: TransportSettings {}
#endif
