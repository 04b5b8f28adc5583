// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// What URLSession reported with a code that may mean anything, which callers should not take for the reason.
struct BackendError: Error, CustomStringConvertible {
    let code: Int
    /// The backend's words for it; they name hosts and ports at most.
    let text: String

    init(_ error: URLError) {
        code = error.code.rawValue
        text = error.localizedDescription
    }

    var description: String { "URLError \(code): \(text)" }
}
