// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataAPI
import StrataCore
import StrataEncoding
import Testing

/// A check of ``HTTPBinAPI`` against a server with httpbin's routes.
package struct HTTPBinExample: Sendable, CustomStringConvertible {
    package let description: String
    let check: @Sendable (HTTPBinAPI) async throws -> Void

    private init(_ description: String, _ check: @escaping @Sendable (HTTPBinAPI) async throws -> Void) {
        self.description = description
        self.check = check
    }

    package func run(_ provider: Provider) async throws { try await check(HTTPBinAPI(provider)) }

    package static let all = requests + paths + fields + replies

    private static let requests = [
        HTTPBinExample("GET") { api async throws in
            let reply = try await api.get(param1: "value 1+", param2: 42)
            #expect(reply.args == ["param1": "value 1+", "param2": "42"])
        },
        HTTPBinExample("a named query parameter") { api async throws in
            #expect(try await api.getNamed(value: "x").args == ["custom_name": "x"])
        },
        HTTPBinExample("POST with a JSON body") { api async throws in
            let reply = try await api.post(["key": "value"])
            #expect(reply.json == ["key": "value"])
            #expect(reply.header("Content-Type") == "application/json")
        },
        HTTPBinExample("POST with fields") { api async throws in
            let reply = try await api.postFields(name: "Ada", age: 36, email: "ada@example.com")
            #expect(reply.json == ["name": "Ada", "age": 36, "email": "ada@example.com"])
        },
        HTTPBinExample("PUT") { api async throws in
            #expect(try await api.put(["a": "b"]).json == ["a": "b"])
        },
        HTTPBinExample("PATCH") { api async throws in
            #expect(try await api.patch(name: "Ada", age: 36).json == ["name": "Ada", "age": 36])
        },
        HTTPBinExample("DELETE sends parameters in the query") { api async throws in
            #expect(try await api.delete(id: "123").args == ["id": "123"])
        },
        HTTPBinExample("a form") { api async throws in
            let reply = try await api.form(name: "Ada & Co", note: "1+1=2 ü")
            #expect(reply.form == ["name": "Ada & Co", "note": "1+1=2 ü"])
            #expect(try await api.formNamed(name: "Ada").form == ["first": "Ada"])
        },
        HTTPBinExample("a multipart form") { api async throws in
            let reply = try await api.upload(text: "some text", title: Data("bytes".utf8))
            #expect(reply.form.text == "some text")
            #expect(reply.files.title == "bytes")
        },
    ]

    private static let paths = [
        HTTPBinExample("a path parameter") { api async throws in
            // httpbin decodes the URL that it reports.
            let url = try await api.path(id: "a b").url
            #expect(url?.hasSuffix("/anything/a b") == true || url?.hasSuffix("/anything/a%20b") == true)
        },
        HTTPBinExample("a named path parameter") { api async throws in
            #expect(try await api.pathNamed(userId: 7).url?.hasSuffix("/anything/users/7") == true)
        },
        HTTPBinExample("two path parameters") { api async throws in
            #expect(try await api.paths(a: 1, b: "x").url?.hasSuffix("/anything/1/posts/x") == true)
        },
        HTTPBinExample("an encoded path parameter") { api async throws in
            #expect(try await api.pathEncoded(path: "a/b").url?.hasSuffix("/anything/a/b") == true)
        },
        HTTPBinExample("an encoded query parameter") { api async throws in
            #expect(try await api.queryEncoded(q: "a%20b").args == ["q": "a b"])
        },
        HTTPBinExample("a dictionary as a query") { api async throws in
            let values = ["a": "1", "b": "2", "c": "3"]
            #expect(try await api.dictionary(values: values).args == values)
        },
        HTTPBinExample("path and query") { api async throws in
            let reply = try await api.mixed(id: 3, sort: "up")
            #expect(reply.args == ["sort": "up"])
            #expect(reply.url?.contains("/anything/3") == true)
        },
    ]

    private static let fields = [
        HTTPBinExample("fixed fields") { api async throws in
            let reply = try await api.headers()
            #expect(reply.header("X-Static-One") == "one")
            #expect(reply.header("X-Static-Two") == "two")
        },
        HTTPBinExample("a field") { api async throws in
            #expect(try await api.header(value: "v").header("X-Dynamic") == "v")
        },
        HTTPBinExample("a map of fields") { api async throws in
            let reply = try await api.headerMap(fields: ["X-A": "1", "X-B": "2"])
            #expect(reply.header("X-A") == "1")
            #expect(reply.header("X-B") == "2")
        },
        HTTPBinExample("a user agent") { api async throws in
            #expect(try await api.userAgent() == "strata-example/1.0")
        },
    ]

    private static let replies = [
        HTTPBinExample("a value at a key path") { api async throws in
            _ = try await api.uuid()
            #expect(try await api.host().isEmpty == false)
        },
        HTTPBinExample("a dictionary") { api async throws in
            #expect(try await api.ip()["origin"] != nil)
        },
        HTTPBinExample("a tuple with an element that is not there") { api async throws in
            let reply = try await api.tuple()
            #expect(UUID(uuidString: reply.uuid) != nil)
            #expect(reply.dummy == nil)
        },
        HTTPBinExample("a stream of lines") { api async throws in
            var ids: [Int] = []
            for try await line in try await api.lines(n: 5) { ids.append(line.id) }
            #expect(ids == [0, 1, 2, 3, 4])
        },
        HTTPBinExample("a status") { api async throws in
            try await api.status(code: 204)
            for code in [400, 404, 418, 500, 503] {
                let error = await #expect(throws: NetworkClientError.self) { try await api.status(code: code) }
                #expect(error?.response?.status.code == code)
            }
        },
        HTTPBinExample("HEAD") { api async throws in
            #expect(try await api.head()[.contentType] == "application/json")
        },
        HTTPBinExample("bytes") { api async throws in
            #expect(try await api.bytes(n: 5000, seed: 1).count == 5000)
        },
    ]
}
