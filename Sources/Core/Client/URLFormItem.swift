// SPDX-License-Identifier: Apache-2.0

/// A name and a value of an `application/x-www-form-urlencoded` body.
public struct URLFormItem: Hashable, Sendable {
    public let name: String
    /// `nil`: the item is left out. An empty value is sent as `name=`.
    public let value: String?

    public init(name: String, value: String?) {
        self.name = name
        self.value = value
    }
}

extension [URLFormItem] {
    /// The serialization of the URL standard (§5.2): UTF-8, a space as `+`, everything but letters, digits and `*-._`
    /// as `%XX`.
    package var urlEncoded: [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(reduce(0) { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) + 2 })
        for item in self {
            guard let value = item.value else { continue }
            if !output.isEmpty { output.append(UInt8(ascii: "&")) }
            PercentEncoding.appendFormEncoded(item.name, to: &output)
            output.append(UInt8(ascii: "="))
            PercentEncoding.appendFormEncoded(value, to: &output)
        }
        return output
    }
}
