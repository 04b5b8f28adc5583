// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataRequests

/// `StrataAPI` has a `Body` too.
typealias BodyProperty = Body

extension Sender {
    private static func request(
        _ method: HTTPMethod, _ properties: @escaping @Sendable () -> Request.Properties
    ) -> Sender {
        Sender { client in
            guard let url = URL(string: "https://h.example/x") else { return }
            _ = try await client.run(Request(method, url: url, properties: properties).networkRequest())
        }
    }

    static func requests(
        path: (@Sendable () -> PathComponents)? = nil, query: (@Sendable () -> QueryItems)? = nil,
        form: (@Sendable () -> Form)? = nil, json: (@Sendable () -> Body)? = nil, part: (@Sendable () -> Body)? = nil,
        body: (@Sendable () -> Body)? = nil
    ) -> [Place: Sender] {
        var senders: [Place: Sender] = [:]
        senders[.path] = path.map { path in request(.get) { Request.Properties { path() } } }
        senders[.query] = query.map { query in request(.get) { Request.Properties { query() } } }
        senders[.form] = form.map { form in request(.post) { Request.Properties { Body { form() } } } }
        for (place, body) in [(Place.json, json), (.part, part), (.body, body)] {
            senders[place] = body.map { body in request(.post) { Request.Properties { body() } } }
        }
        return senders
    }

    static func requests(_ value: some Codable & Sendable) -> [Place: Sender] {
        let components: @Sendable () -> PathComponents = {
            PathComponents { value as? any CustomStringConvertible }
        }
        let items: @Sendable () -> QueryItems = { QueryItems { ("v", value) } }
        let form: @Sendable () -> Form = { Form { ("v", value) } }
        return requests(
            path: value is any CustomStringConvertible ? components : nil, query: items, form: form,
            json: { Body(["v": value] as [String: Any]) }, part: { Body(["v": value], encoder: MultipartEncoder()) },
            body: { Body(value) })
    }
}
