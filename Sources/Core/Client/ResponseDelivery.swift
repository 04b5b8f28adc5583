// SPDX-License-Identifier: Apache-2.0

/// A hint of what the caller does with the body.
public enum ResponseDelivery: Hashable, Sendable {
    /// A small body may arrive together with the head.
    case automatic
    /// The head matters at once and the body arrives slowly: every piece is delivered as it comes.
    case eventStream
}
