// SPDX-License-Identifier: Apache-2.0

/// A value that a caller gave a front end under a name: an item of a query, a field of a body, a part.
package struct NamedValue {
    package var name: String
    /// Whether the caller wrote the name for the wire. Then it is sent as it is, and stays in front of an object's
    /// properties. Else it follows the key strategy of the encoder, as the properties of models do, and in a form or a
    /// query an object's properties stand in its place.
    package var isExplicit: Bool
    package var value: any Encodable
    /// Whether a query has the value percent-encoded already.
    package var isEncoded: Bool
    /// Of a part: instead of the one that a file URL has.
    package var filename: String?
    /// Of a part: instead of the one that goes by the value or the file name.
    package var contentType: String?

    package init(
        _ name: String, _ value: any Encodable, isExplicit: Bool, isEncoded: Bool = false, filename: String? = nil,
        contentType: String? = nil
    ) {
        self.name = name
        self.value = value
        self.isExplicit = isExplicit
        self.isEncoded = isEncoded
        self.filename = filename
        self.contentType = contentType
    }
}
