// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a server says with `Retry-After` (RFC 9110 §10.2.3).
public enum RetryAfter {
    /// How long to wait from `now` on: a number of seconds, or the time until a date (nothing, when it has passed).
    ///
    /// `nil` when the field is absent or says neither; more than ten digits count as neither. `Retry-After-Ms`, which some
    /// services send beside it, is exacter and comes first.
    public static func delay(in fields: HTTPFields, now: Date) -> Duration? {
        RetryAfterField.delay(in: fields, now: now)
    }
}
