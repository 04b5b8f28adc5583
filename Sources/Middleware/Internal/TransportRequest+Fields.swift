// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

extension TransportRequest {
    /// The request with a field set.
    ///
    /// - Throws: ``NetworkClientError/Code-swift.struct/invalidRequest`` for a value that may not go on the wire.
    func setting(_ name: HTTPField.Name, to value: String, replacing: Bool = true) throws -> TransportRequest {
        if !replacing, head.headerFields[name] != nil { return self }
        var request = self
        try request.head.headerFields.setValue(value, for: name)
        return request
    }
}
