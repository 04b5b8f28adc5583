// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

/// Where something could not be encoded, and why: `items[1].price: a reason`.
func refusal<Result>(_ location: SourceLocation = #_sourceLocation, _ work: () throws -> Result) -> String? {
    #expect(throws: EncodingError.self, sourceLocation: location) { try work() }?.outline
}
