// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Turns a tree of values into pairs.
struct EntryWriter {
    private let options: FormOptions
    private let isReadBack: Bool
    private var items: [URLFormItem] = []
    /// The names that are used. For a name that an array repeats, the array.
    private var owners: [String: ObjectIdentifier?] = [:]
    private var path: [StringKey] = []

    /// - Parameter isReadBack: whether the value has to be read back from the pairs. If so, a part that cannot be
    ///   expressed is an error; if not, it is left out.
    static func items(
        of root: ValueNode, named name: String?, options: FormOptions, isReadBack: Bool
    ) throws -> [URLFormItem] {
        var flattening = EntryWriter(options: options, isReadBack: isReadBack)
        flattening.items.reserveCapacity(root.members.count)
        flattening.owners.reserveCapacity(root.members.count)
        if let name {
            try flattening.visit(root, name, owner: nil)
        } else {
            switch root.kind {
            case .object, .empty: try flattening.visitMembers(of: root, under: nil)
            case .array, .scalar, .null:
                throw flattening.invalid("a form has names at its top level: encode a model, or give a name")
            }
        }
        return options.order == .sorted ? flattening.sorted : flattening.items
    }

    private var sorted: [URLFormItem] {
        items.enumerated().sorted { left, right in
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
        let count = items.count
        switch node.kind {
        case .scalar(let text): try append(name, text, owner)
        case .null: if case .text(let text) = options.nils.value { try append(name, text, owner) }
        case .array: try visitElements(of: node, name)
        case .object: try visitMembers(of: node, under: name)
        case .empty: break
        }
        if node.isMarker, items.count == count { try append(name, "", owner) }
    }

    private mutating func append(_ name: String, _ value: String, _ owner: ValueNode?) throws {
        let owner = owner.map { ObjectIdentifier($0) }
        if let earlier = owners.updateValue(owner, forKey: name), owner == nil || earlier != owner {
            throw invalid("two values for the name \"\(name)\"")
        }
        items.append(URLFormItem(name: name, value: value))
    }

    private mutating func visitElements(of array: ValueNode, _ name: String) throws {
        let needsIndices = options.arrays == .indices || array.elements.contains(where: \.isContainer)
        let leavesOutNil = options.nils == .omit && !isReadBack && !needsIndices
        // A key may have the brackets of an array already: `case tags = "tags[]"`.
        let base = name.hasSuffix("[]") ? String(name.dropLast(2)) : name
        let shared = options.arrays == .brackets ? "\(base)[]" : name
        for (index, element) in array.elements.enumerated() where !(leavesOutNil && element.kind == .null) {
            path.append(StringKey(index))
            if element.kind == .null, options.nils == .omit {
                throw invalid("nil in an array cannot be left out: choose other FormOptions.nils")
            }
            let count = items.count
            if needsIndices {
                try visit(element, "\(base)[\(index)]", owner: nil)
            } else {
                try visit(element, shared, owner: array)
            }
            if items.count == count, isReadBack || element.kind == .empty {
                throw invalid("something empty in an array has no notation in a form")
            }
            path.removeLast()
        }
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
