// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension HTTPFields {
    /// Sets a field from plain text, replacing others of its name.
    ///
    /// - Throws: ``NetworkClientError/Code-swift.struct/invalidRequest`` when the name is no token (RFC 9110 §5.6.2) or the
    ///   value holds a control character other than a tab (§5.5). The message names the field, never its value.
    public mutating func setValue(_ value: String, forName name: String) throws {
        try setValue(value, for: Self.checkedName(name))
    }

    /// The same for a name that is known to be one.
    package mutating func setValue(_ value: String, for name: HTTPField.Name) throws {
        let value = try Self.checkedValue(value, name: name.rawName)
        // The plain subscript would split the value into a field for each cookie. The other subscript costs an array.
        if name == .cookie { self[values: name] = [value] } else { self[name] = value }
    }

    /// Adds a field from plain text, keeping others of its name.
    ///
    /// - Throws: as ``setValue(_:forName:)``.
    public mutating func addValue(_ value: String, forName name: String) throws {
        append(HTTPField(name: try Self.checkedName(name), value: try Self.checkedValue(value, name: name)))
    }

    /// Sorted by name, so that the same dictionary is always sent the same way.
    package mutating func replace(with headers: [String: String]) throws {
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { try setValue(value, forName: name) }
    }

    private static func checkedName(_ name: String) throws -> HTTPField.Name {
        guard let fieldName = HTTPField.Name(name) else {
            throw NetworkClientError(.invalidRequest, "a field name has a character that is not allowed")
        }
        return fieldName
    }

    static func checkedValue(_ value: String, name: String) throws -> String {
        var value = value
        // `HTTPField` would silently replace control characters by spaces.
        guard value.withUTF8({ $0.allSatisfy(isAllowed) }) else { throw controlCharacter(in: name) }
        return value
    }

    /// Checks all values, also those that were not set by the functions above: `HTTPField(lenientValue:)` takes nearly
    /// everything.
    ///
    /// - Throws: as ``setValue(_:forName:)``.
    func checkValues() throws {
        for field in self where !field.withUnsafeBytesOfValue({ $0.allSatisfy(Self.isAllowed) }) {
            // The identifier of an event is sent back as it came (HTML standard, server-sent events).
            if field.name != .lastEventID { throw Self.controlCharacter(in: field.name.rawName) }
        }
    }

    /// RFC 9110 §5.5.
    private static func isAllowed(_ byte: UInt8) -> Bool { !byte.isControl || byte == 0x09 }

    private static func controlCharacter(in name: String) -> NetworkClientError {
        NetworkClientError(.invalidRequest, "the value of the field \(name) has a control character in it")
    }
}
