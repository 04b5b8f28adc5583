// SPDX-License-Identifier: Apache-2.0

import Foundation

extension JSONEncoder {
    /// The same with another notation of dates.
    func writing(dates: DateEncodingStrategy) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = dates
        encoder.dataEncodingStrategy = dataEncodingStrategy
        encoder.keyEncodingStrategy = keyEncodingStrategy
        encoder.nonConformingFloatEncodingStrategy = nonConformingFloatEncodingStrategy
        encoder.outputFormatting = outputFormatting
        encoder.userInfo = userInfo
        return encoder
    }
}

extension JSONDecoder {
    /// The same with another notation of dates.
    func reading(dates: DateDecodingStrategy) -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = dates
        decoder.dataDecodingStrategy = dataDecodingStrategy
        decoder.keyDecodingStrategy = keyDecodingStrategy
        decoder.nonConformingFloatDecodingStrategy = nonConformingFloatDecodingStrategy
        decoder.allowsJSON5 = allowsJSON5
        decoder.assumesTopLevelDictionary = assumesTopLevelDictionary
        decoder.userInfo = userInfo
        return decoder
    }
}
