// SPDX-License-Identifier: Apache-2.0

import Foundation
import SeedSupport
import StrataRest
import Testing

/// The numbered examples of the document that `@Rest` comes from, S1.1 to S1.14, each a check that runs over any wire.
package struct RestExample: Sendable, CustomTestStringConvertible {
    private let name: String
    package let run: @Sendable (RestWire) async throws -> Void

    package var testDescription: String { name }

    package static let all = [
        RestExample(name: "S1_1_propertyAccess", run: S1_1_propertyAccess),
        RestExample(name: "S1_2_authentication", run: S1_2_authentication),
        RestExample(name: "S1_2_authenticationByTheLetter", run: S1_2_authenticationByTheLetter),
        RestExample(name: "S1_3_get", run: S1_3_get),
        RestExample(name: "S1_4_getWithParameters", run: S1_4_getWithParameters),
        RestExample(name: "S1_5_getWithKeyPath", run: S1_5_getWithKeyPath),
        RestExample(name: "S1_6_getWithParametersAndKeyPath", run: S1_6_getWithParametersAndKeyPath),
        RestExample(name: "S1_7_postOfTheExistingValue", run: S1_7_postOfTheExistingValue),
        RestExample(name: "S1_8_postOfANewValue", run: S1_8_postOfANewValue),
        RestExample(name: "S1_9_initialiserWithPath", run: S1_9_initialiserWithPath),
        RestExample(name: "S1_10_initialiserWithParameters", run: S1_10_initialiserWithParameters),
        RestExample(name: "S1_11_initialiserWithParent", run: S1_11_initialiserWithParent),
        RestExample(
            name: "S1_12_initialiserWithParametersAndParent", run: S1_12_initialiserWithParametersAndParent),
        RestExample(name: "S1_13_wrappedValue", run: S1_13_wrappedValue),
        RestExample(name: "S1_14_projectedValue", run: S1_14_projectedValue),
    ]
}

// MARK: Models

struct Fruit: Codable, Equatable {
    let name: String
    let size: Int
    let color: String

    static let strawberry = Fruit(name: "strawberry", size: 3, color: "red")
    static let banana = Fruit(name: "banana", size: 5, color: "yellow")
}

struct Fruits: ParentCodable, Equatable {
    var values: [Fruit] = []

    static func wrap(child: [Fruit]) -> Self {
        return Fruits(values: child)
    }
}

struct Account: Codable, Equatable {
    var email: String
    var password: String
}

// MARK: Answers

extension WireAnswer {
    static func json(of model: some Encodable) throws -> WireAnswer {
        .json(String(decoding: try JSONEncoder().encode(model), as: UTF8.self))
    }
}

extension Echo {
    func model<Model: Decodable>(_ type: Model.Type = Model.self) throws -> Model {
        try JSONDecoder().decode(type, from: body)
    }
}

/// Waits until a view's button has brought a request to its end; whether that was a success.
func press(_ button: (@escaping @Sendable (Bool) -> Void) -> Void) async -> Bool {
    let (outcomes, continuation) = AsyncStream.makeStream(of: Bool.self)
    button {
        continuation.yield($0)
        continuation.finish()
    }
    for await outcome in outcomes { return outcome }
    return false
}
