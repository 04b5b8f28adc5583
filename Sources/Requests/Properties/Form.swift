// SPDX-License-Identifier: Apache-2.0

public import StrataCore

import Foundation

/// An `application/x-www-form-urlencoded` body, item by item.
///
///     Body {
///         Form {
///             ("name", "Ada")
///             ("age", 36)
///         }
///     }
///
/// Items are sent in order, a space as `+`; those without a value are left out. A model as a form is `Body(model, encoder: FormEncoder())`.
public struct Form: Hashable, Sendable, WholeBody {
    public var items: [URLFormItem]
    /// Thrown when the request is sent.
    private var failure: ValueFailure?

    public init(items: [URLFormItem]) {
        self.items = items
    }

    public init(@QueryItems.Builder _ items: () -> QueryItems) {
        let items = items()
        self.items = items.value.map { URLFormItem(name: $0.name, value: $0.value) }
        failure = items.failure
    }

    /// - Throws: `NetworkClientError` with code `encodingFailed` for a value that has no text.
    public func encodedBody() throws -> EncodedBody {
        if let failure { throw failure.error }
        return .form(Data(items.urlEncoded))
    }
}
