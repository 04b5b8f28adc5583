// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Writes a model into a ``ValueNode``.
struct ValueEncoder: Encoder {
    final class Context {
        let options: FormOptions
        let userInfo: [CodingUserInfoKey: Any]
        /// What went wrong in a place that cannot throw.
        var failure: EncodingError?

        private let depth: Int
        private let refusesDepth: Bool

        /// - Parameter depth: `nil` is ``FormOptions/maximumDepth``, beyond which a value is refused; beyond any other
        ///   it is left out.
        init(options: FormOptions, userInfo: [CodingUserInfoKey: any Sendable], depth: Int? = nil) {
            self.options = options
            self.userInfo = userInfo
            self.depth = depth ?? FormOptions.maximumDepth
            refusesDepth = depth == nil
        }

        /// - Parameter name: under which the value is sent: where its errors happen.
        func encode(_ value: some Encodable, named name: String? = nil) throws -> ValueNode {
            let node = ValueNode()
            try encode(value, into: node, path: name.map { [StringKey($0)] } ?? [])
            return node
        }

        func encode(
            _ value: some Encodable, into node: ValueNode, path makePath: @autoclosure () -> [any CodingKey]
        ) throws {
            if let text = try placed(makePath, { try ScalarText.text(value, options) }) {
                node.become(.scalar(text))
                return
            }
            let path = makePath()
            guard path.count <= depth else {
                if !refusesDepth { return }
                throw EncodingError.invalid(value, at: path, "nested deeper than \(depth)")
            }
            try placed({ path }) { try ScalarText.refuse(value) }
            if let value = value as? MixedValue { return try encode(value, into: node, path: path) }
            let dictionary = type(of: value) as? any DictionaryType.Type
            if dictionary?.isListedByCodable == true, let value = value as? any EncodableDictionary {
                node.isKeyed = true
                try encode(members: try placed({ path }) { try value.members(name: keyText) }, into: node, path: path)
            } else {
                try value.encode(
                    to: ValueEncoder(node: node, context: self, codingPath: path, isDictionary: dictionary != nil))
            }
            if let failure { throw failure }
            if let dictionary { node.finishDictionary(mayBeScalars: dictionary.mayHaveScalarValues) }
        }

        private func encode(_ value: MixedValue, into node: ValueNode, path: [any CodingKey]) throws {
            switch value {
            case .json(let json): try encode(json, into: node, path: path)
            case .model(let model): try encode(model, into: node, path: path)
            case .array(let elements):
                node.become(.array)
                for (index, element) in elements.enumerated() {
                    let child = ValueNode()
                    node.append(child)
                    try encode(element, into: child, path: path + [StringKey(index)])
                }
            case .object(let members):
                node.isKeyed = true
                try encode(members: members.map { ($0.name, $0.value) }, into: node, path: path)
                node.markAsDictionary(mayBeScalars: true)
            }
        }

        private func encode(
            members: [(name: String, value: any Encodable)], into node: ValueNode, path: [any CodingKey]
        ) throws {
            for (name, value) in members {
                let child = ValueNode()
                node.append(child, for: name)
                try encode(value, into: child, path: path + [StringKey(name)])
            }
        }

        func keyText(_ key: any Encodable) throws -> String {
            guard case .scalar(let text) = try encode(key).kind else {
                throw EncodingError.invalid(key, "a key of a dictionary that is not one text")
            }
            return text
        }

        /// Gives an error that has no place this one.
        private func placed<Result>(_ path: () -> [any CodingKey], _ work: () throws -> Result) throws -> Result {
            do {
                return try work()
            } catch let error as EncodingError {
                guard case .invalidValue(_, let context) = error, context.codingPath.isEmpty else { throw error }
                throw error.inside(path())
            }
        }
    }

    let node: ValueNode
    let context: Context
    let codingPath: [any CodingKey]
    var isDictionary = false

    var userInfo: [CodingUserInfoKey: Any] { context.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        claim(.object)
        node.isKeyed = true
        return KeyedEncodingContainer(KeyedValueContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        claim(.array)
        return UnkeyedValueContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleValueContainer(encoder: self) }

    /// Several containers may be asked for, but of one kind only.
    private func claim(_ kind: ValueNode.Kind) {
        if node.kind != kind, node.kind != .empty {
            context.failure = EncodingError.invalid(
                self, at: codingPath, "the value encodes itself in two different shapes")
        }
    }
}

private struct KeyedValueContainer<Key: CodingKey>: NilEncodingContainer {
    let encoder: ValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    private func name(_ key: any CodingKey) -> String {
        encoder.isDictionary ? key.stringValue : encoder.context.options.keys.name(of: key.stringValue)
    }

    private func newNode(for key: any CodingKey, _ value: Any) throws -> ValueNode {
        let name = name(key)
        guard encoder.node[name] == nil else {
            throw EncodingError.invalid(value, at: codingPath + [key], "two values for the key \"\(name)\"")
        }
        let node = ValueNode()
        encoder.node.append(node, for: name)
        return node
    }

    func encodeNil(forKey key: Key) throws {
        if encoder.context.options.nils != .omit { try newNode(for: key, Void?.none as Any).become(.null) }
    }

    func encode(_ value: Bool, forKey key: Key) throws {
        try newNode(for: key, value).become(.scalar(ScalarText.boolText(value, encoder.context.options)))
    }

    func encode(_ value: String, forKey key: Key) throws { try newNode(for: key, value).become(.scalar(value)) }

    func encode(_ value: Int, forKey key: Key) throws {
        try newNode(for: key, value).become(.scalar(value.description))
    }

    // The protocol's own implementation refuses 128 bits.
    func encode(_ value: Int128, forKey key: Key) throws {
        try newNode(for: key, value).become(.scalar(value.description))
    }

    func encode(_ value: UInt128, forKey key: Key) throws {
        try newNode(for: key, value).become(.scalar(value.description))
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try encoder.context.encode(value, into: newNode(for: key, value), path: codingPath + [key])
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let nested = nested(key)
        nested.node.isMarker = true
        return nested.container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nested(key).unkeyedContainer() }

    func superEncoder() -> any Encoder { nested(StringKey("super")) }

    func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

    private func nested(_ key: any CodingKey) -> ValueEncoder {
        let name = name(key)
        let node = encoder.node[name] ?? ValueNode()
        if encoder.node[name] == nil { encoder.node.append(node, for: name) }
        return ValueEncoder(node: node, context: encoder.context, codingPath: codingPath + [key])
    }
}

private struct UnkeyedValueContainer: UnkeyedEncodingContainer {
    let encoder: ValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.elements.count }

    private func newNode() -> ValueNode {
        let node = ValueNode()
        encoder.node.append(node)
        return node
    }

    func encodeNil() throws { newNode().become(.null) }

    func encode(_ value: Int128) throws { newNode().become(.scalar(value.description)) }

    func encode(_ value: UInt128) throws { newNode().become(.scalar(value.description)) }

    func encode<Value: Encodable>(_ value: Value) throws {
        let index = count
        try encoder.context.encode(value, into: newNode(), path: codingPath + [StringKey(index)])
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        nested().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

    func superEncoder() -> any Encoder { nested() }

    private func nested() -> ValueEncoder {
        let path = codingPath + [StringKey(count)]
        return ValueEncoder(node: newNode(), context: encoder.context, codingPath: path)
    }
}

private struct SingleValueContainer: SingleValueEncodingContainer {
    let encoder: ValueEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    /// One value, where nothing else was encoded before.
    private func node(for value: Any) throws -> ValueNode {
        guard encoder.node.kind == .empty else {
            throw EncodingError.invalid(value, at: codingPath, "the value encodes itself twice")
        }
        return encoder.node
    }

    func encodeNil() throws { try node(for: Void?.none as Any).become(.null) }

    func encode(_ value: Int128) throws { try node(for: value).become(.scalar(value.description)) }

    func encode(_ value: UInt128) throws { try node(for: value).become(.scalar(value.description)) }

    func encode<Value: Encodable>(_ value: Value) throws {
        try encoder.context.encode(value, into: node(for: value), path: codingPath)
    }
}
