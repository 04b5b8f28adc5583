// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StrataCore

extension TransportRequest {
    /// The request with a field set.
    ///
    /// - Throws: ``NetworkClientError/Code-swift.struct/invalidRequest`` for a value that may not go on the wire.
    package func setting(_ name: HTTPField.Name, to value: String, replacing: Bool = true) throws -> TransportRequest {
        if !replacing, head.headerFields[name] != nil { return self }
        var request = self
        try request.head.headerFields.setValue(value, for: name)
        return request
    }

    /// The request with a field set to bytes, which need not be UTF-8.
    ///
    /// - Throws: as ``setting(_:to:replacing:)``.
    package func setting(_ name: HTTPField.Name, to value: [UInt8]) throws -> TransportRequest {
        // The text serves to check the value. Replacing bytes that are not UTF-8 neither adds nor hides a control
        // character.
        var request = try setting(name, to: String(decoding: value, as: UTF8.self))
        request.head.headerFields[fields: name] = [HTTPField(name: name, value: value)]
        return request
    }
}
