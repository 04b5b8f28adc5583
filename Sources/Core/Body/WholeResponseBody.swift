// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body that has arrived whole, with fields behind it. Few have some, and a reference takes no room in the others.
final class WholeResponseBody: Sendable {
    let data: Data
    let trailers: HTTPFields

    init(_ data: Data, trailers: HTTPFields) {
        self.data = data
        self.trailers = trailers
    }
}
