// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataCurl
import StrataNative
import StrataURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Which transport is driven.
enum WireTransport: String {
    case curl, native, urlsession

    func make(_ options: WireRequest.Options?) -> any NetworkTransport {
        switch self {
        case .curl:
            return CurlTransport(configuration: Self.configured(CurlTransport.Configuration(), options))
        case .native:
            return NativeTransport(configuration: Self.configured(NativeTransport.Configuration(), options))
        case .urlsession:
            let configuration = URLSessionConfiguration.ephemeral
            configuration.connectionProxyDictionary = [:]
            return URLSessionTransport(configuration: configuration)
        }
    }

    private static func configured<Settings: ConnectionSettings>(
        _ settings: Settings, _ options: WireRequest.Options?
    ) -> Settings {
        var settings = settings
        settings.proxy = .none
        if let proxy = options?.proxy {
            settings.proxy = .url(proxy, user: options?.proxy_user, password: options?.proxy_password)
        }
        if let file = options?.ca_file { settings.tls.trust = .file(file) }
        settings.tls.clientCertificate = options?.client_cert
        settings.tls.clientKey = options?.client_key
        // The cases for caches are about fields as they come, of codings that there are not too.
        settings.decodesContent = options?.decompress ?? (options?.cache != true)
        return settings
    }
}

/// What both transports with connections of ours are told of them.
private protocol ConnectionSettings {
    var decodesContent: Bool { get set }
    var tls: TLSSettings { get set }
    var proxy: ProxyPolicy { get set }
}

extension CurlTransport.Configuration: ConnectionSettings {}
extension NativeTransport.Configuration: ConnectionSettings {}
