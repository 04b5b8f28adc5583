// SPDX-License-Identifier: Apache-2.0

/// A value on its way to text: what `Encodable` has said about it so far.
final class ValueNode {
    enum Kind: Equatable {
        /// Nothing was encoded, or a container that stayed empty.
        case empty
        case null
        case scalar(String)
        case array
        case object
    }

    private(set) var kind = Kind.empty
    private(set) var elements: [ValueNode] = []
    private(set) var members: [(key: String, node: ValueNode)] = []
    private var positions: [String: Int] = [:]
    /// Whether its keys are data that no parser may take apart.
    private(set) var hasOpaqueKeys = false
    /// Whether it is a dictionary, whose keys exist even when there is nothing under them.
    private(set) var isDictionary = false
    /// Whether it has been asked for a container with keys.
    var isKeyed = false
    /// Whether its name is written even when nothing in it is: the case of an `enum` without values, for one.
    var isMarker = false

    /// Whether it has properties or keys, or would have if there were any.
    var isObject: Bool { kind == .object || kind == .empty && isKeyed }

    var isContainer: Bool {
        switch kind {
        case .array, .object, .empty: true
        case .null, .scalar: false
        }
    }

    func become(_ kind: Kind) { self.kind = kind }

    subscript(key: String) -> ValueNode? { positions[key].map { members[$0].node } }

    func append(_ node: ValueNode, for key: String) {
        kind = .object
        if members.isEmpty {
            members.reserveCapacity(8)
            positions.reserveCapacity(8)
        }
        positions[key] = members.count
        members.append((key, node))
    }

    func append(_ node: ValueNode) {
        kind = .array
        elements.append(node)
    }

    func markAsDictionary(mayBeScalars: Bool) {
        isDictionary = true
        hasOpaqueKeys = !mayBeScalars || members.contains(where: \.node.isContainer)
    }

    /// A dictionary has no order of its own, so it gets one.
    ///
    /// - Parameter mayBeScalars: whether its values can be scalars by their type. Whether they are is known by now from
    ///   what they have encoded.
    func finishDictionary(mayBeScalars: Bool) {
        markAsDictionary(mayBeScalars: mayBeScalars)
        members.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (position, member) in members.enumerated() { positions[member.key] = position }
    }
}
