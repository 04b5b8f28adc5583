// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TextCharset {
    /// The same for a decoder: what throws is a `DecodingError`.
    static func text(of data: Data, label: String?, at path: [any CodingKey]) throws -> String {
        do {
            return try text(of: data, label: label)
        } catch {
            throw DecodingError.dataCorrupted(.init(codingPath: path, debugDescription: error.reason))
        }
    }
}
