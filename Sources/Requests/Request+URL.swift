// SPDX-License-Identifier: Apache-2.0

import StrataCore

import Foundation

extension Request {
    /// The base URL with path components, path, slash and query items, everything encoded once.
    ///
    /// - Throws: ``StrataCore/NetworkClientError`` with code `malformedURL` for a path component `.` or `..`, and with
    ///   `encodingFailed` for a value that has no text.
    func urlText() throws -> String {
        if let failure = properties.pathComponents.failure ?? properties.queryItems.failure { throw failure.error }
        var url = URLReference(baseURL.absoluteString)
        for component in properties.pathComponents.value {
            guard component != ".", component != ".." else {
                throw NetworkClientError(.malformedURL, "a path component must not be '.' or '..'")
            }
            url.appendPath(PercentEncoding.encode(component))
        }
        if let path { url.append(try path.text) }
        if configuration.appendTrailingSlashToPath, url.path.utf8.last != UInt8(ascii: "/") { url.path += "/" }
        for item in properties.queryItems.value {
            let name = PercentEncoding.encode(item.name)
            url.appendQuery(item.value.map { "\(name)=\(PercentEncoding.encode($0))" } ?? name)
        }
        return url.text
    }
}

extension URLReference {
    /// Adds a path, with its query if it has one; a complete URL stands for itself.
    fileprivate mutating func append(_ path: String) {
        if RequestURL.isAbsolute(path) {
            self = URLReference(path)
            return
        }
        let mark = path.utf8.firstIndex(of: UInt8(ascii: "?"))
        let segments = path[..<(mark ?? path.endIndex)]
        if !segments.isEmpty { appendPath(String(segments)) }
        if let mark { appendQuery(String(path[path.utf8.index(after: mark)...])) }
    }

    mutating func appendQuery(_ addition: String) {
        query = query.map { $0.isEmpty ? addition : "\($0)&\(addition)" } ?? addition
    }
}
