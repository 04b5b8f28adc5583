// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPRequest {
    /// The absolute URL, query included: not for logs.
    package var absoluteURL: String { "\(scheme ?? "")://\(authority ?? "")\(path ?? "/")" }

    /// The absolute URL without user information and query, for logs and records.
    package var urlWithoutQuery: String {
        let url = withoutUserInformation.absoluteURL
        let end = url.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? url.endIndex
        return String(url[..<end])
    }

    /// The same request without the user information that an authority made by hand may hold.
    package var withoutUserInformation: HTTPRequest {
        let path = path ?? "/"
        // A path that does not begin with a slash goes on where the authority ends.
        let start = path.utf8.firstIndex { "/?#".utf8.contains($0) } ?? path.endIndex
        let authority = (authority ?? "") + path[..<start]
        guard let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { return self }
        var request = self
        request.authority = String(authority[authority.utf8.index(after: at)...])
        request.path = String(path[start...])
        return request
    }
}
