// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// The pairs of a form as a tree, by the notation of their names.
final class FormTree {
    private(set) var values: [String] = []
    /// In the order of their first occurrence.
    private(set) var keys: [String] = []
    private var children: [ExactText: FormTree] = [:]
    /// What `a[][…]` has made.
    private(set) var appended: [FormTree] = []
    private var namesByKey: [String: String]?

    init(_ values: [String] = []) { self.values = values }

    var isEmpty: Bool { values.isEmpty && !hasMembers }

    var hasMembers: Bool { !keys.isEmpty || !appended.isEmpty }

    private enum Step {
        case key(String)
        case append
    }

    func insert(_ item: URLFormItem, isFlat: Bool, options: FormOptions) throws {
        guard let value = item.value else { return }
        let steps = isFlat ? [.key(item.name)] : Self.steps(of: item.name, options)
        guard steps.count <= FormOptions.maximumDepth else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "a name is nested deeper than \(FormOptions.maximumDepth)"))
        }
        insert(value, at: steps[...])
    }

    private func insert(_ value: String, at steps: ArraySlice<Step>) {
        var tree = self
        var rest = steps
        while let step = rest.popFirst() {
            switch step {
            case .key(let key): tree = tree.child(key)
            case .append:
                // `a[]=1` is one more value of `a`. `a[][b]=1` belongs to the last element, unless that has a `b`
                // already.
                guard !rest.isEmpty else { break }
                if tree.appended.last.map({ $0.hasValue(at: rest) }) ?? true { tree.appended.append(FormTree()) }
                tree = tree.appended[tree.appended.count - 1]
            }
        }
        tree.values.append(value)
    }

    private func hasValue(at steps: ArraySlice<Step>) -> Bool {
        var tree = self
        for step in steps {
            guard case .key(let key) = step, let child = tree.children[ExactText(key)] else { return false }
            tree = child
        }
        return !tree.values.isEmpty
    }

    private func child(_ key: String) -> FormTree {
        if let child = children[ExactText(key)] { return child }
        let child = FormTree()
        children[ExactText(key)] = child
        keys.append(key)
        return child
    }

    /// What stands under a key of a model, which may be a path itself: `filter[name]`, `tags[]`.
    func node(for key: String, _ options: FormOptions) -> FormTree? {
        if let child = children[ExactText(key)] { return child }
        var tree = self
        for step in Self.steps(of: key, options) {
            guard case .key(let key) = step else { continue }
            guard let child = tree.children[ExactText(key)] else { return nil }
            tree = child
        }
        return tree === self || tree.isEmpty ? nil : tree
    }

    /// What stands under a name that becomes `key` when it is read, although `key` is not written as that name:
    /// `user__id` for `userId`.
    func node(readAs key: String, _ style: FormOptions.Keys) -> FormTree? {
        guard style.areMadeOfSeveralNames else { return nil }
        if let child = children[ExactText(key)] { return child }
        let names = namesByKey ?? style.namesByKey(keys)
        namesByKey = names
        return names[key].flatMap { children[ExactText($0)] }
    }

    /// The elements of an array, in whichever notation they came; `nil` when there are keys that are no indices.
    var elements: [FormTree]? {
        var indexed: [(Int, FormTree)] = []
        for key in keys {
            guard let child = children[ExactText(key)], key.utf8.allSatisfy(\.isDigit), let index = Int(key) else {
                return nil
            }
            indexed.append((index, child))
        }
        indexed.sort { $0.0 < $1.0 }
        return values.map { FormTree([$0]) } + appended + indexed.map(\.1)
    }

    /// The same, where one value may be a list.
    func elements(separatedBy separator: Unicode.Scalar?) -> [FormTree]? {
        guard let separator, values.count == 1, !hasMembers else { return elements }
        return values[0].unicodeScalars.split(separator: separator, omittingEmptySubsequences: false)
            .map { FormTree([String($0)]) }
    }

    /// The same without a model: every value is text, since a form has no types.
    ///
    /// - Throws: a `DecodingError` where a value and keys share a place: JSON has no such thing.
    func json(at path: [any CodingKey] = []) throws -> JSONValue {
        if keys.isEmpty, appended.isEmpty, values.count == 1 { return .string(values[0]) }
        // At the top level of a form, digits are names and no indices.
        if !path.isEmpty, let elements {
            return .array(try elements.enumerated().map { try $1.json(at: path + [StringKey($0)]) })
        }
        guard values.isEmpty, appended.isEmpty else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: path, debugDescription: "a value and keys in one place"))
        }
        var members = JSONObject()
        for (key, child) in children { members[key.text] = try child.json(at: path + [StringKey(key.text)]) }
        return .object(members)
    }

    /// `a[b][]` as a, b and "append"; a name that is not of this form is one key as it is.
    private static func steps(of name: String, _ options: FormOptions) -> [Step] {
        let bytes = Array(name.utf8)
        let isSplit: (UInt8) -> Bool =
            options.nesting == .dots
            ? { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: ".") } : { $0 == UInt8(ascii: "[") }
        guard let first = bytes.firstIndex(where: isSplit), first > 0 else { return [.key(name)] }
        var steps: [Step] = [.key(String(decoding: bytes[..<first], as: UTF8.self))]
        var index = first
        while index < bytes.count {
            let end: Int
            if bytes[index] == UInt8(ascii: "[") {
                guard let close = bytes[index...].firstIndex(of: UInt8(ascii: "]")) else { return [.key(name)] }
                end = close + 1
                let content = bytes[(index + 1)..<close]
                if content.contains(UInt8(ascii: "[")) { return [.key(name)] }
                steps.append(content.isEmpty ? .append : .key(String(decoding: content, as: UTF8.self)))
            } else if options.nesting == .dots, bytes[index] == UInt8(ascii: ".") {
                end = bytes[(index + 1)...].firstIndex(where: isSplit) ?? bytes.count
                steps.append(.key(String(decoding: bytes[(index + 1)..<end], as: UTF8.self)))
            } else {
                return [.key(name)]
            }
            index = end
        }
        return steps
    }
}
