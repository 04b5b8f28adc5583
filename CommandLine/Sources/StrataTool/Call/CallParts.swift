// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore

/// A header field: without a value it is one that is not to be sent.
package struct CallField: Hashable {
    package var name: String
    package var value: String?

    package init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }
}

package enum CallBody: Hashable {
    case none
    case json(String)
    case form([URLFormItem])
    case multipart([FormPart])
    case data(Data, contentType: String?)
    case file(path: String)
    case standardInput
}

package struct FormPart: Hashable {
    package enum Content: Hashable {
        case text(String)
        case file(String)
    }

    package var name: String
    package var content: Content
    package var filename: String?
    package var contentType: String?

    package init(name: String, content: Content, filename: String? = nil, contentType: String? = nil) {
        self.name = name
        self.content = content
        self.filename = filename
        self.contentType = contentType
    }
}

package enum CallCredentials: Hashable {
    case none
    /// Without a password, which is asked for.
    case basic(user: String, password: String?)
    case digest(user: String, password: String?)
    case bearer(String)

    /// - Parameter text: `user:password`, or `user` alone.
    package static func pair(_ text: String) -> (user: String, password: String?) {
        guard let colon = text.firstIndex(of: ":") else { return (text, nil) }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}

/// What only transports with connections of their own can do: all but URLSession.
package struct ConnectionSettings: Hashable {
    package var verifies = true
    package var authorities: String?
    package var certificate: String?
    package var certificateKey: String?
    package var certificatePassword: String?
    package var minimumTLS13 = false
    package var proxy: String?
    package var proxyUser: String?
    package var proxyExceptions: [String] = []
    package var unixSocket: String?
    package var interface: String?
    package var addresses: [Override] = []
    package var family = Family.any

    package enum Family: Hashable { case any, ipv4, ipv6 }

    package struct Override: Hashable {
        package var host: String
        package var port: Int
        package var addresses: [String]

        package init(host: String, port: Int, addresses: [String]) {
            self.host = host
            self.port = port
            self.addresses = addresses
        }
    }

    package init() {}

    package var isDefault: Bool { self == ConnectionSettings() }
}
