// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataCurl
import StrataURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Which transport is driven.
enum WireTransport: String {
    case curl, urlsession

    func make(_ options: WireRequest.Options?) -> any NetworkTransport {
        switch self {
        case .curl:
            var configuration = CurlTransport.Configuration()
            configuration.proxy = .none
            if let proxy = options?.proxy {
                configuration.proxy = .url(proxy, user: options?.proxy_user, password: options?.proxy_password)
            }
            if let file = options?.ca_file { configuration.tls.trust = .file(file) }
            configuration.tls.clientCertificate = options?.client_cert
            configuration.tls.clientKey = options?.client_key
            // The cases for caches are about fields as they come, of codings that there are not too.
            configuration.decodesContent = options?.decompress ?? (options?.cache != true)
            return CurlTransport(configuration: configuration)
        case .urlsession:
            let configuration = URLSessionConfiguration.ephemeral
            configuration.connectionProxyDictionary = [:]
            return URLSessionTransport(configuration: configuration)
        }
    }
}
