// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What httpbin tells about a request, member by member.
enum HTTPBinRecord {
    enum Member: String, Sendable {
        case args, data, files, form, headers, json, method, origin, url
    }

    static func make(_ members: [Member], of request: EchoRequest) async throws -> [String: JSONValue] {
        let needsBody = members.contains { [.data, .files, .form, .json].contains($0) }
        let content = needsBody ? BodyContent(try await request.collectBody(), type: request.fields[.contentType]) : nil
        var record: [String: JSONValue] = [:]
        for member in members {
            record[member.rawValue] =
                switch member {
                case .args: request.arguments.json
                case .data: .string(content?.data ?? "")
                case .files: .object(content?.files ?? [:])
                case .form: content?.form.json ?? [:]
                case .headers: .object(headers(of: request))
                case .json: content?.json ?? .null
                case .method: .string(request.head.method.rawValue)
                case .origin: .string(request.origin)
                case .url: .string(request.url)
                }
        }
        return record
    }

    /// One member a name, spelled `Like-This` whatever was sent, the values of a repeated name joined by a comma: what
    /// is left after WSGI. Fields that a proxy adds are left out unless the query has `show_env`. `/echo` tells all.
    static func headers(of request: EchoRequest) -> [String: JSONValue] {
        var merged: [String: String] = [:]
        if let authority = request.head.authority { merged["Host"] = authority }
        for field in request.fields where field.name != .host {
            let name = titleCased(field.name.rawName)
            merged[name] = merged[name].map { "\($0),\(field.value)" } ?? field.value
        }
        if request.arguments["show_env"] == nil {
            for name in environmentFields { merged[name] = nil }
        }
        return merged.mapValues { .string($0) }
    }

    /// Valid UTF-8 as it is, anything else as a `data:` URL.
    static func safeText(_ bytes: [UInt8], type: String = "application/octet-stream") -> String {
        String(validating: bytes, as: UTF8.self) ?? "data:\(type);base64,\(Data(bytes).base64EncodedString())"
    }

    private static let environmentFields = [
        "X-Varnish", "X-Request-Start", "X-Heroku-Queue-Depth", "X-Real-Ip", "X-Forwarded-Proto",
        "X-Forwarded-Protocol",
        "X-Forwarded-Ssl", "X-Heroku-Queue-Wait-Time", "X-Forwarded-For", "X-Heroku-Dynos-In-Use", "X-Forwarded-Port",
        "X-Request-Id", "Via", "Total-Route-Time", "Connect-Time",
    ]

    /// A letter after anything but a letter is raised, every other one lowered.
    private static func titleCased(_ name: String) -> String {
        var result = ""
        var afterLetter = false
        for character in name {
            result += afterLetter ? character.lowercased() : character.uppercased()
            afterLetter = character.isLetter
        }
        return result
    }
}
