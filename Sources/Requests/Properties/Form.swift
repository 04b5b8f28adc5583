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
public struct Form: Hashable, Sendable, Encodable, RequestBodyConvertible {
    public var items: [URLFormItem]

    public init(items: [URLFormItem]) {
        self.items = items
    }

    public init(@QueryItems.Builder _ items: () -> QueryItems) {
        self.items = items().value.map { URLFormItem(name: $0.name, value: $0.value) }
    }

    public func encodedBody() -> EncodedBody {
        .form(Data(items.urlEncoded))
    }

    /// A form is a body of its own, and cannot be a part of another model.
    ///
    /// - Throws: always an `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalid(self, at: encoder.codingPath, "a form cannot be part of a model")
    }
}
