// SPDX-License-Identifier: Apache-2.0

/// An error that one end reports to the other (JSON-RPC 2.0 §5.1).
public struct JSONRPCError: Error, Hashable, Codable, Sendable {
    /// Which; those from -32768 to -32000 are the protocol's own.
    public struct Code: RawRepresentable, Hashable, Codable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let parseError = Code(rawValue: -32700)
        public static let invalidRequest = Code(rawValue: -32600)
        public static let methodNotFound = Code(rawValue: -32601)
        public static let invalidParams = Code(rawValue: -32602)
        public static let internalError = Code(rawValue: -32603)
        /// The other end has too much to do.
        static let busy = Code(rawValue: -32000)

        var text: String {
            switch self {
            case .parseError: "Parse error"
            case .invalidRequest: "Invalid Request"
            case .methodNotFound: "Method not found"
            case .invalidParams: "Invalid params"
            case .busy: "Too many requests at once"
            default: "Internal error"
            }
        }
    }

    public let code: Code
    /// One sentence of the other end: it may say anything.
    public let message: String

    /// - `message`: Default: the standard's words for the code.
    public init(_ code: Code, message: String? = nil) {
        self.code = code
        self.message = message ?? code.text
    }
}
