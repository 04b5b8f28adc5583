// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding

extension Call {
    /// The body, and the type that it declares.
    package func encodedBody() throws -> EncodedBody {
        switch body {
        case .none: return EncodedBody(.empty, contentType: nil)
        case .json(let text): return EncodedBody(.data(Data(text.utf8)), contentType: "application/json")
        case .form(let items):
            return EncodedBody(
                .data(FormEncoder().encode(items)), contentType: "application/x-www-form-urlencoded")
        case .multipart(let parts): return try Self.form(of: parts).encodedBody()
        case .data(let data, let contentType): return EncodedBody(.data(data), contentType: contentType)
        case .file(let path):
            return EncodedBody(
                try .file(URL(filePath: path)), contentType: MediaType(filename: path).map { "\($0)" })
        case .standardInput:
            return EncodedBody(.stream(from: StandardInput.pieces()), contentType: nil)
        }
    }

    private static func form(of parts: [FormPart]) throws -> MultipartForm {
        MultipartForm(
            try parts.map { part in
                switch part.content {
                case .text(let text) where part.filename == nil && part.contentType == nil:
                    .text(text, name: part.name)
                case .text(let text):
                    .data(Data(text.utf8), name: part.name, filename: part.filename, contentType: part.contentType)
                case .file(let path):
                    try .file(
                        URL(filePath: path), name: part.name,
                        filename: part.filename ?? URL(filePath: path).lastPathComponent, contentType: part.contentType)
                }
            })
    }

    /// The fields of the request, with the type of its body where none is given.
    package func headerFields(contentType: String?) throws -> HTTPFields {
        var result = HTTPFields()
        for field in fields {
            guard let value = field.value else { continue }
            do { try result.addValue(value, forName: field.name) } catch {
                throw UsageError("a header field has a name or a value that no field can have")
            }
        }
        if let contentType, !names("content-type") { try result.setValue(contentType, forName: "Content-Type") }
        if case .json = body, !names("accept") { try result.setValue("application/json, */*;q=0.5", forName: "Accept") }
        if !names("user-agent") { try result.setValue("Strata/\(StrataVersion.current)", forName: "User-Agent") }
        return result
    }

    /// Whether a field is named, be it to be left out.
    package func names(_ name: String) -> Bool { fields.contains { $0.name.lowercased() == name } }

    package var options: RequestOptions {
        var options = RequestOptions()
        options.timeouts = timeouts
        options.httpVersion = httpVersion
        options.redirects =
            followsRedirects ? RedirectPolicy(limit: maximumRedirects, preservesPOST: preservesPOST) : .manual
        options.acceptableStatus = .any
        return options
    }

    /// - Throws: ``UsageError`` and `NetworkClientError`, before anything is sent.
    package func transportRequest() throws -> TransportRequest {
        let body = try encodedBody()
        guard let method = HTTPMethod(rawValue: effectiveMethod) else { throw UsageError("the method is no token") }
        return try TransportRequest(
            method: method, url: urlWithQuery, headerFields: try headerFields(contentType: body.contentType),
            body: body.body, options: options)
    }

    /// The same call without a body that is in files, for those who only look at its head.
    package var withoutFiles: Call {
        switch body {
        case .none, .json, .form, .data: return self
        case .multipart, .file, .standardInput:
            var call = self
            call.method = effectiveMethod
            call.body = .none
            return call
        }
    }

    /// Where credentials may go: to the server that is asked, and no further.
    package var origin: Origin? { URL(string: url).flatMap { Origin($0) } }
}
