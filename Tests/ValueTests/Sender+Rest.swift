// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataRest

extension Sender {
    private static func rest<Value: Codable & Sendable>(
        _ rest: @escaping @Sendable (RestConfiguration) -> Rest<Value, Value>,
        _ send: @escaping @Sendable (RestQueryImpl<Value, Value>) async throws -> Void
    ) -> Sender {
        Sender { client in
            let configuration = RestConfiguration(host: "h.example", client: client)
            configuration.deliveryQueue = nil
            do {
                try await send(rest(configuration).projectedValue)
            } catch let error as RestQueryError {
                if case .decode = error { return }
                throw error
            }
        }
    }

    static func rest(describing value: @escaping @Sendable () -> any CustomStringConvertible) -> [Place: Sender] {
        [
            .query: rest(
                {
                    Rest(
                        wrappedValue: [String: Int](), path: "x", params: ["v": value()], bearer: false,
                        configuration: $0
                    )
                },
                { _ = try await $0.get().value })
        ]
    }

    private static func post<Value: Codable & Sendable>(_ value: Value) -> Sender {
        rest({ Rest(wrappedValue: value, path: "x", bearer: false, configuration: $0) }) {
            _ = try await $0.post().value
        }
    }

    static func rest(_ value: some Codable & Sendable) -> [Place: Sender] {
        var senders: [Place: Sender] = [:]
        if value is any CustomStringConvertible {
            senders = rest(describing: { value as? any CustomStringConvertible ?? "" })
        }
        senders[.body] = post(value)
        return senders
    }
}
