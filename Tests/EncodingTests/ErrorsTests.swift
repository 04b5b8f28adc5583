// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import Testing

/// All errors of the module.
struct ErrorsTests {
    @Test func theLocalizedDescriptionIsTheDescription() throws {
        let (bytes, response) = (Data("x".utf8), HTTPResponse(status: .ok))
        let image = HTTPResponse(status: .ok, headerFields: [.contentType: "image/png"])
        let unknown = try #require(throws: NetworkClientError.self) {
            try DynamicContentTypeDecoder().decode(Int.self, from: bytes, response: image)
        }
        let errors: [any Error & CustomStringConvertible] = [
            try #require(throws: MultipartError.self) { try MultipartDecoder().parts(in: bytes, boundary: "B") },
            try #require(throws: URITemplateError.self) { try URITemplate("{") },
            try #require(throws: JSONKeyPathError.self) { try JSONKeyPath("a").slice(of: bytes) },
            try #require(throws: JSONDecodingError.self) {
                try JSONDecoder().decode(Int.self, from: bytes, response: response)
            },
            try #require(unknown.cause as? UnknownContentTypeError),
        ]
        for error in errors { #expect(error.localizedDescription == error.description) }
    }
}
