// SPDX-License-Identifier: Apache-2.0

/// Names and values in the order they came, names may repeat: a query, a form.
struct FieldList: Sendable, Equatable {
    struct Field: Sendable, Equatable {
        var name: String
        var value: String
    }

    private(set) var fields: [Field] = []

    init() {}

    /// Parses `application/x-www-form-urlencoded`: a pair without `=` has an empty value, empty pairs are skipped.
    init(urlEncoded text: some StringProtocol) {
        for pair in text.split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            append(
                PercentEncoding.decode(halves[0], plusIsSpace: true),
                halves.count > 1 ? PercentEncoding.decode(halves[1], plusIsSpace: true) : "")
        }
    }

    mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The first value of that name.
    subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// The first value of that name as a number, `nil` when there is none that is one.
    func number<Number: LosslessStringConvertible>(_ name: String, as type: Number.Type = Number.self) -> Number? {
        self[name].flatMap { Number($0) }
    }

    /// Whether the name is there with a value other than `0` and `false`.
    func flag(_ name: String) -> Bool {
        guard let value = self[name] else { return false }
        return !["0", "false"].contains(value.lowercased())
    }

    /// An object in which a name that repeats has a list of its values, as httpbin writes it.
    var json: JSONValue {
        let groups = Dictionary(grouping: fields, by: \.name)
        return .object(
            groups.mapValues { group in
                group.count == 1 ? .string(group[0].value) : .array(group.map { .string($0.value) })
            })
    }

    /// A list of pairs, nothing merged.
    var pairs: JSONValue {
        .array(fields.map { .array([.string($0.name), .string($0.value)]) })
    }
}
