// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Writes a model into a ``ValueNode``.
struct ValueEncoder: Encoder {
    final class Context {
        let options: FormOptions
        let userInfo: [CodingUserInfoKey: Any]
        /// What went wrong in a place that cannot throw.
        var failure: EncodingError?

        init(options: FormOptions, userInfo: [CodingUserInfoKey: any Sendable]) {
            self.options = options
            self.userInfo = userInfo
        }

        func encode(_ value: some Encodable) throws -> ValueNode {
            let node = ValueNode()
            try encode(value, into: node, path: [])
            return node
        }

        func encode(
            _ value: some Encodable, into node: ValueNode, path makePath: @autoclosure () -> [any CodingKey]
        ) throws {
            if let text = try scalar(value, makePath) {
                node.become(.scalar(text))
                return
            }
            let path = makePath()
            guard path.count <= FormOptions.maximumDepth else {
                throw EncodingError.invalid(value, at: path, "nested deeper than \(FormOptions.maximumDepth)")
            }
            let dictionary = type(of: value) as? any DictionaryType.Type
            try value.encode(
                to: ValueEncoder(node: node, context: self, codingPath: path, isDictionary: dictionary != nil))
            if let failure { throw failure }
            if let dictionary { node.finishDictionary(mayBeScalars: dictionary.mayHaveScalarValues) }
        }

        private func scalar(_ value: some Encodable, _ path: () -> [any CodingKey]) throws -> String? {
            do {
                return try ScalarText.text(value, options)
            } catch EncodingError.invalidValue(let value, let context) where context.codingPath.isEmpty {
                throw EncodingError.invalid(value, at: path(), context.debugDescription)
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
