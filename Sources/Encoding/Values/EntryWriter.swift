// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Turns names and values into the entries of a form or a query.
struct EntryWriter {
    private let options: FormOptions
    private let isReadBack: Bool
    private var entries: [ValueEntry] = []
    /// The names that are used. For a name that an array repeats, the array.
    private var owners: [ExactText: ObjectIdentifier?] = [:]
    private var path: [StringKey] = []

    /// The entries of a model, whose properties are the names.
    ///
    /// - Parameter isReadBack: whether the value has to be read back from the entries. If so, a part that cannot be
    ///   expressed is an error; if not, it is left out.
    static func entries(
        of model: some Encodable, _ context: ValueEncoder.Context, isReadBack: Bool
    ) throws -> [ValueEntry] {
        var writer = EntryWriter(options: context.options, isReadBack: isReadBack)
        let root = try context.encode(model)
        writer.entries.reserveCapacity(root.members.count)
        writer.owners.reserveCapacity(root.members.count)
        switch root.kind {
        case .object, .empty: try writer.visitMembers(of: root, under: nil)
        case .array, .scalar, .null:
            throw writer.invalid("a form has names at its top level: encode a model, or give a name")
        }
        return writer.ordered
    }

    /// The entries of values that have names.
    ///
    /// The properties of an object stay below a name that is explicit, and else are names themselves. No two values make
    /// the same name; only in a query, where a caller may give one name to several, do these repeat it.
    static func entries(
        of values: [NamedValue], _ context: ValueEncoder.Context, isReadBack: Bool
    ) throws -> [ValueEntry] {
        var all = EntryWriter(options: context.options, isReadBack: isReadBack)
        var repeated: Set<ExactText> = []
        for value in values {
            var writer = EntryWriter(options: context.options, isReadBack: isReadBack)
            let name = value.isExplicit ? value.name : context.options.keys.name(of: value.name)
            let root = try context.encode(value.value, named: value.name)
            writer.path = [StringKey(value.name)]
            if !value.isExplicit, root.isObject {
                try writer.visitMembers(of: root, under: nil)
            } else {
                try writer.visit(root, name, owner: nil)
            }
            let names = Set(writer.entries.map { ExactText($0.name) })
            let taken = isReadBack || root.isObject ? Set(all.owners.keys) : Set(all.owners.keys).subtracting(repeated)
            if let name = names.intersection(taken).map(\.text).min() {
                throw writer.invalid("two values for the name \"\(name)\"")
            }
            if !root.isObject { repeated.formUnion(names) }
            for name in names { all.owners[name] = .some(nil) }
            all.entries += writer.entries.map {
                $0.asEncoded(value.isEncoded, isMember: root.isObject && !value.isExplicit)
            }
        }
        return all.ordered
    }

    private var ordered: [ValueEntry] {
        guard options.order == .sorted else { return entries }
        return entries.enumerated().sorted { left, right in
            let (leftName, rightName) = (left.element.name.utf8, right.element.name.utf8)
            if leftName.elementsEqual(rightName) { return left.offset < right.offset }
            return leftName.lexicographicallyPrecedes(rightName)
        }.map(\.element)
    }

    private init(options: FormOptions, isReadBack: Bool) {
        self.options = options
        self.isReadBack = isReadBack
    }

    private mutating func visit(_ node: ValueNode, _ name: String, owner: ValueNode?) throws {
        // The depth is checked here because the encoder does not count nested containers that a model asks for itself.
        guard path.count <= FormOptions.maximumDepth else {
            throw invalid("nested deeper than \(FormOptions.maximumDepth)")
        }
        let count = entries.count
        switch node.kind {
        case .scalar(let text): try append(name, text, owner)
        case .null: if case .text(let text) = options.nils.value { try append(name, text, owner) }
        case .array: try visitElements(of: node, name)
        case .object: try visitMembers(of: node, under: name)
        case .empty: break
        }
        if node.isMarker, entries.count == count { try append(name, "", owner) }
    }

    private mutating func append(
        _ name: String, _ value: String, _ owner: ValueNode?, isCommaList: Bool = false
    ) throws {
        let owner = owner.map { ObjectIdentifier($0) }
        if let earlier = owners.updateValue(owner, forKey: ExactText(name)), owner == nil || earlier != owner {
            throw invalid("two values for the name \"\(name)\"")
        }
        entries.append(ValueEntry(name: name, value: value, isCommaList: isCommaList))
    }

    private mutating func visitElements(of array: ValueNode, _ name: String) throws {
        if let separator = options.arrays.separator, !array.elements.contains(where: \.isContainer) {
            return try appendList(array, name, separator)
        }
        let needsIndices =
            options.arrays == .indices || options.arrays.separator != nil
            || array.elements.contains(where: \.isContainer)
        let leavesOutNil = options.nils == .omit && !isReadBack && !needsIndices
        let style = needsIndices ? .indices : options.arrays
        for (index, element) in array.elements.enumerated() where !(leavesOutNil && element.kind == .null) {
            path.append(StringKey(index))
            if element.kind == .null, options.nils == .omit {
                throw invalid("nil in an array cannot be left out: choose other FormOptions.nils")
            }
            let count = entries.count
            try visit(element, style.name(ofElement: index, in: name), owner: needsIndices ? nil : array)
            if entries.count == count, isReadBack || element.kind == .empty {
                throw invalid("something empty in an array has no notation in a form")
            }
            path.removeLast()
        }
    }

    /// All elements as one text.
    private mutating func appendList(_ array: ValueNode, _ name: String, _ separator: Unicode.Scalar) throws {
        var texts: [String] = []
        for (index, element) in array.elements.enumerated() {
            path.append(StringKey(index))
            switch (element.kind, options.nils.value) {
            case (.scalar(let text), _), (.null, .text(let text)):
                guard !text.unicodeScalars.contains(separator) else {
                    throw invalid("an element of a list that is separated by \"\(separator)\" has one in it")
                }
                texts.append(text)
            case (.null, .omit) where !isReadBack: break
            default: throw invalid("nil in an array cannot be left out: choose other FormOptions.nils")
            }
            path.removeLast()
        }
        guard !texts.isEmpty else { return }
        try append(name, texts.joined(separator: String(separator)), nil, isCommaList: separator == ",")
    }

    private mutating func visitMembers(of node: ValueNode, under name: String?) throws {
        for (key, member) in node.members {
            path.append(StringKey(key))
            if node.isDictionary {
                guard member.isKeyed || member.kind != .empty || !isReadBack else {
                    throw invalid("an empty array in a dictionary has no notation in a form")
                }
                if member.isKeyed, isReadBack || member.kind == .empty { member.isMarker = true }
            }
            if name == nil, key.isEmpty, member.kind == .array || member.kind == .object {
                throw invalid("nested values need a name that is not empty")
            }
            try visit(member, try join(name, key, isOpaque: name != nil || node.hasOpaqueKeys), owner: nil)
            path.removeLast()
        }
    }

    /// A key that a reader would take apart differently is refused, except for a name that the model chose itself at the
    /// top level, such as `filter[name]`.
    private func join(_ name: String?, _ key: String, isOpaque: Bool) throws -> String {
        let usesBrackets = options.nesting == .brackets
        let notation = usesBrackets ? "[]" : "[]."
        if isOpaque,
            (usesBrackets && name != nil && key.isEmpty) || key.utf8.contains(where: notation.utf8.contains)
        {
            throw invalid("the key \"\(key)\" cannot be told from the notation of nested values")
        }
        guard let name else { return key }
        return usesBrackets ? "\(name)[\(key)]" : "\(name).\(key)"
    }

    private func invalid(_ reason: String) -> EncodingError {
        .invalid(path.last?.stringValue ?? "", at: path, reason)
    }
}
