// SPDX-License-Identifier: Apache-2.0

extension EncodingError {
    /// - Parameters:
    ///   - path: where `value` stands in what is encoded.
    ///   - reason: free of values, because the client's error shows it.
    package static func invalid(_ value: Any, at path: [any CodingKey] = [], _ reason: String) -> EncodingError {
        .invalidValue(
            value, Context(codingPath: path, debugDescription: reason, underlyingError: EncodingReason(outline: reason))
        )
    }

    /// The same error about a value that stands at `path` in something larger.
    package func inside(_ path: [any CodingKey]) -> EncodingError {
        guard case .invalidValue(let value, let context) = self else { return self }
        return .invalidValue(
            value,
            Context(
                codingPath: path + context.codingPath, debugDescription: context.debugDescription,
                underlyingError: context.underlyingError))
    }

    /// Where in what was encoded and why, without the value, which what an encoder says may quote.
    package var outline: String? {
        guard case .invalidValue(let value, let context) = self else { return nil }
        let place = context.codingPath.place
        let reason = (context.underlyingError as? any ValueFreeError)?.outline ?? Self.outline(of: value)
        return place.isEmpty ? reason : "\(place): \(reason)"
    }

    private static func outline(of value: Any) -> String {
        let isInfinite = (value as? any BinaryFloatingPoint).map { !$0.isFinite } ?? false
        return "\(isInfinite ? "a \(type(of: value)) that is not finite" : "\(type(of: value))") cannot be encoded"
    }
}

private struct EncodingReason: ValueFreeError {
    let outline: String
}
