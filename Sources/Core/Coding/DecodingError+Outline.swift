// SPDX-License-Identifier: Apache-2.0

extension DecodingError {
    /// The place and what is wrong there, without a value.
    package var outline: String {
        func named(_ context: Context) -> String {
            context.codingPath.isEmpty ? "the body" : context.codingPath.place
        }
        return switch self {
        case .typeMismatch(let type, let context): "\(named(context)) is not \(containerName(type))"
        case .valueNotFound(let type, let context): "\(named(context)) has no value for \(containerName(type))"
        case .keyNotFound(let key, let context): "\(named(context)) has no key \"\(key.stringValue)\""
        case .dataCorrupted(let context): "\(named(context)) is corrupted"
        @unknown default: "decoding failed"
        }
    }
}
