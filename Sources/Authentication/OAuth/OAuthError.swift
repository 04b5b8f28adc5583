// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore
import StrataMiddleware

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An authorization server gave no token (RFC 6749 §5.2), or nothing that leads to one.
public struct OAuthError: DescribedError, Hashable {
    /// `invalid_grant`, `invalid_client` …, and while nobody has confirmed a device's code `authorization_pending` or
    /// `slow_down` (RFC 8628 §3.5); `invalid_response` when it answered with something else, `invalid_metadata` when what it says of itself
    /// is missing or cannot be trusted.
    public let code: String
    /// For developers. In the server's words, which may quote what was sent, it stays out of ``description`` and of dumps.
    public let message: String?
    public let status: HTTPResponse.Status?
    /// What was found here, which quotes nothing.
    private let finding: String?

    init(code: String, message: String?, status: HTTPResponse.Status?) {
        self.code = code
        self.message = message
        self.status = status
        finding = nil
    }

    /// - Parameter finding: what is wrong, in words of our own.
    init(code: String, finding: String) {
        self.code = code
        message = finding
        status = nil
        self.finding = finding
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
        self.init(
            code: answer.map { Self.checked($0.code) } ?? Self.noCode, message: answer?.message, status: status)
    }

    private static let noCode = "invalid_response"

    /// The code, if it follows the grammar of §5.2.
    static func checked(_ code: String) -> String {
        let isCode =
            !code.isEmpty && code.utf8.count <= 100
            && code.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
        return isCode ? code : noCode
    }

    public var description: String {
        "no token from the authorization server: \(code)" + (status.map { " (status \($0.code))" } ?? "")
            + (finding.map { ": \($0)" } ?? "")
    }
}

extension OAuthError: SessionRefusal {
    package var refusesSession: Bool { code == "invalid_grant" }
}

extension OAuthError: CustomReflectable {
    /// The server's words stay out of dumps.
    @_documentation(visibility: internal)
    public var customMirror: Mirror {
        Mirror(self, children: ["code": code, "status": status?.code as Any], displayStyle: .struct)
    }
}
