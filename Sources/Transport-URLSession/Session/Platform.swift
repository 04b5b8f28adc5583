// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// Everything in which Apple's URLSession and the one of swift-corelibs-foundation differ.
enum Platform {
    /// A copy with everything switched off that the layers above decide: cookies, cache, stored credentials, timeouts,
    /// and where additional headers go.
    static func prepared(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
        let copy = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        copy.urlCache = nil
        copy.requestCachePolicy = .reloadIgnoringLocalCacheData
        copy.httpCookieStorage = nil
        copy.httpShouldSetCookies = false
        copy.httpCookieAcceptPolicy = .never
        copy.urlCredentialStorage = nil
        copy.httpAdditionalHeaders = nil
        // Limits on time are watched here: the session's own cannot be told apart and are broken on Linux.
        copy.timeoutIntervalForRequest = forever
        copy.timeoutIntervalForResource = forever
        return copy
    }

    /// A year.
    static let forever: Double = 365 * 86_400
}
