// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore

extension JSONDecoder {
    /// Decodes an answer; without content it is `nil` for an optional.
    func decodeAnswer<Model: Decodable>(_ type: Model.Type, from data: Data) throws -> Model {
        if data.isEmpty, let absent = (type as? any OptionalType.Type)?.absent as? Model { return absent }
        return try decodeReceived(type, from: data)
    }
}
