// SPDX-License-Identifier: Apache-2.0

// What SwiftUI gives on Apple platforms, and its stand-ins elsewhere: the one place of this module that tells them apart.

@_exported public import StrataPublishers

#if canImport(SwiftUI)
@_exported public import SwiftUI

/// What a view remembers of a property, however often the view's value is made anew.
typealias RestMemory<Parent: Codable & SendableMetatype, Value: Codable & Sendable> = State<
    RestQueryImpl<Parent, Value>
>

extension Rest: DynamicProperty {
    /// Called before a view's body: goes on with the query that the view began with. The value is observed, so that reading it in the
    /// body makes a change redraw the view.
    @_documentation(visibility: internal)
    public mutating func update() {
        query = memory.wrappedValue
    }
}

extension Binding {
    /// A binding to what can be changed in one step. SwiftUI only reads and writes, and a member of a member takes both.
    init(get: @escaping @Sendable () -> Value, update: @escaping @Sendable ((inout Value) -> Void) -> Void) {
        self.init(get: get, set: { newValue in update { $0 = newValue } })
    }
}
#else
/// Views remember queries, and here are none.
struct RestMemory<Parent: Codable & SendableMetatype, Value: Codable & Sendable>: Sendable {
    init(initialValue: RestQueryImpl<Parent, Value>) {}
}

/// A way to read and write a value that something else owns: what SwiftUI has under this name.
@propertyWrapper
@dynamicMemberLookup
public struct Binding<Value> {
    private let get: @Sendable () -> Value
    private let update: @Sendable ((inout Value) -> Void) -> Void

    public init(get: @escaping @Sendable () -> Value, set: @escaping @Sendable (Value) -> Void) {
        self.init(
            get: get,
            update: { change in
                var value = get()
                change(&value)
                set(value)
            })
    }

    /// A binding to what can be changed in one step: what is written to two members of a member at once is kept.
    init(get: @escaping @Sendable () -> Value, update: @escaping @Sendable ((inout Value) -> Void) -> Void) {
        self.get = get
        self.update = update
    }

    public var wrappedValue: Value {
        get { get() }
        nonmutating set { update { $0 = newValue } }
    }

    public var projectedValue: Binding<Value> { self }

    public subscript<Subject>(dynamicMember keyPath: any WritableKeyPath<Value, Subject> & Sendable) -> Binding<Subject>
    {
        Binding<Subject>(
            get: { get()[keyPath: keyPath] },
            update: { change in update { change(&$0[keyPath: keyPath]) } })
    }
}

extension Binding: Sendable {}
#endif
