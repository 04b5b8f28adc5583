// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension HTTPField.Name {
    /// A name that is known to be a token.
    private static func token(_ name: StaticString) -> HTTPField.Name {
        guard let field = HTTPField.Name("\(name)") else { preconditionFailure("\(name) is not a token") }
        return field
    }

    static let host = token("Host")
    static let keepAlive = token("Keep-Alive")
    static let lastEventID = token("Last-Event-ID")
    static let link = token("Link")
    static let moreInfo = token("X-More-Info")
    static let proxyConnection = token("Proxy-Connection")
    static let tusResumable = token("Tus-Resumable")
    static let uploadLength = token("Upload-Length")
    static let uploadOffset = token("Upload-Offset")
    static let xForwardedFor = token("X-Forwarded-For")
    static let xForwardedProto = token("X-Forwarded-Proto")
    static let xForwardedProtocol = token("X-Forwarded-Protocol")
    static let xForwardedSSL = token("X-Forwarded-Ssl")
}
