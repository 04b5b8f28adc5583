// SPDX-License-Identifier: Apache-2.0

/// A hint of what the caller does with the body.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum ResponseDelivery: Hashable, Sendable {
    /// A small body may arrive together with the head.
    case automatic
    /// The body is collected before the caller sees any of it, so that an attempt whose body breaks off can be repeated:
    /// a retry layer collects it by itself, within ``RequestOptions/maximumResponseBytes``. `run`, and every other
    /// function that returns a whole body, sets it in place of ``automatic``.
    case collected
    /// The head matters at once and the body arrives slowly: every piece is delivered as it comes.
    case eventStream
}
