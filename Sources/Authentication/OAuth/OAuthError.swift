// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A token endpoint gave no token (RFC 6749 §5.2).
public struct OAuthError: DescribedError, Hashable {
    /// `invalid_grant`, `invalid_client` …, and while nobody has confirmed a device's code `authorization_pending` or
    /// `slow_down` (RFC 8628 §3.5); `invalid_response` when the endpoint answered with something else.
    public let code: String
    /// For developers, in the server's words; may quote what was sent, and stays out of ``description`` and of dumps.
    public let message: String?
    public let status: HTTPResponse.Status?

    init(code: String, message: String?, status: HTTPResponse.Status?) {
        self.code = code
        self.message = message
        self.status = status
    }

    struct Answer: Decodable {
        let code: String
        let message: String?

        enum CodingKeys: String, CodingKey {
            case code = "error"
            case message = "error_description"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            code = try container.decode(String.self, forKey: .code)
            message = try? container.decodeIfPresent(String.self, forKey: .message)
        }
    }

    /// - Parameter answer: the body, when it could be read. Without a code that follows the grammar of §5.2 it is
    ///   ignored.
    init(_ answer: Answer?, status: HTTPResponse.Status) {
        let isCode = { (text: String) in
            !text.isEmpty && text.utf8.count <= 100
                && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
        }
        let code = answer.flatMap { isCode($0.code) ? $0.code : nil }
        self.init(code: code ?? "invalid_response", message: answer?.message, status: status)
    }

    public var description: String {
        "the token endpoint gave no token: \(code)" + (status.map { " (status \($0.code))" } ?? "")
    }
}

extension OAuthError: CustomReflectable {
    /// The server's words stay out of dumps.
    @_documentation(visibility: internal)
    public var customMirror: Mirror {
        Mirror(self, children: ["code": code, "status": status?.code as Any], displayStyle: .struct)
    }
}
