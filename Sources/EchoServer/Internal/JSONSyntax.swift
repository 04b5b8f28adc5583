// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decides whether a body is one JSON value, without building it.
enum JSONSyntax {
    static func isValid(_ bytes: [UInt8]) -> Bool {
        (try? JSONDecoder().decode(Visitor.self, from: Data(bytes))) != nil
    }

    /// Visits every value, because the decoder checks numbers and strings only when they are asked for.
    private struct Visitor: Decodable {
        init(from decoder: any Decoder) throws {
            if let object = try? decoder.container(keyedBy: AnyKey.self) {
                for key in object.allKeys { _ = try object.decode(Visitor.self, forKey: key) }
            } else if var array = try? decoder.unkeyedContainer() {
                while !array.isAtEnd { _ = try array.decode(Visitor.self) }
            } else {
                let value = try decoder.singleValueContainer()
                if value.decodeNil() { return }
                if (try? value.decode(Bool.self)) != nil { return }
                if (try? value.decode(String.self)) != nil { return }
                _ = try value.decode(Double.self)
            }
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
