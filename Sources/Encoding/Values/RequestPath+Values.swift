// SPDX-License-Identifier: Apache-2.0

public import StrataCore

extension RequestPath.StringInterpolation {
    /// A value as the text that it is in a query.
    @_documentation(visibility: internal)
    public mutating func appendInterpolation<Value: Encodable>(_ value: Value?) { append { try Self.text(of: value) } }

    /// An enumeration, or an identifier, as its raw value.
    @_documentation(visibility: internal)
    @_disfavoredOverload
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value?)
    where Value.RawValue: Encodable { append { try Self.text(of: value) } }

    private static func text<Value>(of value: Value?) throws -> String? {
        guard let value else { return nil }
        return try QueryEncoder().text(of: MixedValue(declared: value).encodable, named: "path")
    }
}
