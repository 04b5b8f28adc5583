// SPDX-License-Identifier: Apache-2.0

/// Finds the bytes of one value in a JSON text, without decoding anything.
///
/// The text is walked once, to its end, so that a damaged one is noticed wherever the damage is. Of a key that occurs
/// twice the first counts, as for `JSONDecoder`.
struct JSONLookup {
    /// How many of the keys that were there an error names.
    private static let keyLimit = 20

    private let keyPath: JSONKeyPath
    private let matches: (_ key: String, _ wanted: String) -> Bool
    private var scanner: JSONScanner

    /// - Parameter matches: whether a key of the text is the wanted one; by default, when their bytes are the same.
    init(
        _ keyPath: JSONKeyPath, in bytes: [UInt8],
        matches: @escaping (_ key: String, _ wanted: String) -> Bool = { $0.utf8.elementsEqual($1.utf8) }
    ) {
        self.keyPath = keyPath
        self.matches = matches
        scanner = JSONScanner(bytes)
    }

    mutating func find() throws(JSONKeyPathError) -> Range<Int> {
        let outcome: Result<Range<Int>, JSONKeyPathError>
        do {
            outcome = try walk()
        } catch {
            throw JSONKeyPathError(
                keyPath: keyPath, failedStep: 0, reason: .notJSON(offset: error.offset, error.reason))
        }
        return try outcome.get()
    }

    private mutating func walk() throws(JSONScanner.Failure) -> Result<Range<Int>, JSONKeyPathError> {
        var open: [Bool] = []
        var failure: JSONKeyPathError?
        for (offset, step) in keyPath.steps.enumerated() {
            let kind = try scanner.peekKind()
            if let reason = try enter(kind, step) {
                failure = JSONKeyPathError(keyPath: keyPath, failedStep: offset, reason: reason)
                break
            }
            open.append(kind == .object)
        }
        let range = failure == nil ? try scanner.skipValue() : 0..<0
        try scanner.finish(&open)
        try scanner.expectEnd()
        if let failure { return .failure(failure) }
        return .success(range)
    }

    /// Stops before the value that the step leads to; when there is none, stops behind the container and says why.
    private mutating func enter(
        _ kind: JSONScanner.Kind, _ step: JSONKeyPath.Step
    ) throws(JSONScanner.Failure) -> JSONKeyPathError.Reason? {
        if kind == .object, case .name(let name) = step { return try enterMember(name) }
        if kind == .array, let index = step.index { return try enterElement(index) }
        try scanner.skipValue()
        return .notAContainer(kind.inWords)
    }

    private mutating func enterMember(_ name: String) throws(JSONScanner.Failure) -> JSONKeyPathError.Reason? {
        var keys: [String] = []
        var count = 0
        try scanner.expect(UInt8(ascii: "{"))
        if scanner.consume(UInt8(ascii: "}")) { return .missingKey(there: [], more: 0) }
        repeat {
            let key = try scanner.text(in: try scanner.skipKey())
            if matches(key, name) { return nil }
            count += 1
            if keys.count < Self.keyLimit { keys.append(key) }
            try scanner.skipValue()
        } while scanner.consume(UInt8(ascii: ","))
        try scanner.expect(UInt8(ascii: "}"))
        return .missingKey(there: keys, more: count - keys.count)
    }

    private mutating func enterElement(_ index: Int) throws(JSONScanner.Failure) -> JSONKeyPathError.Reason? {
        var count = 0
        try scanner.expect(UInt8(ascii: "["))
        if scanner.consume(UInt8(ascii: "]")) { return .indexOutOfRange(count: 0) }
        repeat {
            if count == index { return nil }
            count += 1
            try scanner.skipValue()
        } while scanner.consume(UInt8(ascii: ","))
        try scanner.expect(UInt8(ascii: "]"))
        return .indexOutOfRange(count: count)
    }
}
