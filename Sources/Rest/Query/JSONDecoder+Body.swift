// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore

extension JSONDecoder {
    /// Decodes the body of a response; one of no bytes is `nil` for an optional.
    func decodeBody<Model: Decodable>(_ type: Model.Type, from data: Data) throws -> Model {
        if data.isEmpty, let absent = (type as? any OptionalType.Type)?.absent as? Model { return absent }
        return try decodeReceived(type, from: data)
    }
}
