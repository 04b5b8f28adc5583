// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// What the only `Transfer-Encoding` of a response says. No request asks for any by `TE` (RFC 9112 §6.1, §7.4).
enum TransferCoding {
    case chunked
    /// None, as it was written before RFC 7230.
    case identity
    /// A word without a meaning: the body is what comes until the connection ends (§6.3), as browsers have it.
    case unregistered

    /// - Parameter value: of the field, without blanks around it.
    /// - Returns: `nil` for several codings, for a registered one that nobody asked for, since what it holds could not be
    ///   read, and for a word that somebody on the way may have taken for `chunked`.
    init?(_ value: UnsafeRawBufferPointer) {
        if HeadParser.isWord("chunked", value) {
            self = .chunked
        } else if HeadParser.isWord("identity", value) {
            self = .identity
        } else if !value.isEmpty, value.allSatisfy(\.isTokenCharacter),
            !Self.registered.contains(where: { HeadParser.isWord($0, value) }),
            !String(decoding: value, as: UTF8.self).asciiLowercased.contains("chunk")
        {
            self = .unregistered
        } else {
            return nil
        }
    }

    /// The other names of IANA's registry of transfer codings.
    private static let registered = ["compress", "deflate", "gzip", "x-compress", "x-gzip", "trailers"]
}
