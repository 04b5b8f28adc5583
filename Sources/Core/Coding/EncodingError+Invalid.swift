// SPDX-License-Identifier: Apache-2.0

extension EncodingError {
    /// - Parameter path: where `value` stands in what is encoded.
    package static func invalid(_ value: Any, at path: [any CodingKey] = [], _ reason: String) -> EncodingError {
        .invalidValue(value, Context(codingPath: path, debugDescription: reason))
    }
}
