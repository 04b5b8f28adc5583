// SPDX-License-Identifier: Apache-2.0

/// A container to which `encodeIfPresent` hands properties that are `nil`. The standard library's implementation leaves
/// them out, even when the options want them written.
protocol NilEncodingContainer: KeyedEncodingContainerProtocol {}

extension NilEncodingContainer {
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try encodeOrNil(value, key) }

    // One for each type that the protocol has one for.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOrNil(value, key) }
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try encodeOrNil(value, key) }

    private func encodeOrNil(_ value: (some Encodable)?, _ key: Key) throws {
        var container = self
        if let value { try container.encode(value, forKey: key) } else { try container.encodeNil(forKey: key) }
    }
}
