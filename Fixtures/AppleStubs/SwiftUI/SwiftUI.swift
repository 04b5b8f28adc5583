// SPDX-License-Identifier: Apache-2.0

// SwiftUI brings Combine and Foundation with it.
@_exported public import AppleFoundation
@_exported public import Combine

// MARK: State

public protocol DynamicProperty {
    mutating func update()
}

extension DynamicProperty {
    public mutating func update() {}
}

@propertyWrapper
public struct State<Value>: DynamicProperty {
    private let value: Value
    public init(wrappedValue value: Value) { self.value = value }
    public init(initialValue value: Value) { self.value = value }
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { Binding(get: { fatalError() }, set: { _ in }) }
}

extension State: Sendable where Value: Sendable {}

@propertyWrapper
@dynamicMemberLookup
public struct Binding<Value> {
    private let get: @Sendable () -> Value
    private let set: @Sendable (Value) -> Void
    @preconcurrency
    public init(
        get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {
        self.get = { fatalError() }
        self.set = { _ in }
    }
    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }
    public var projectedValue: Binding<Value> { self }
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        Binding<Subject>(get: { fatalError() }, set: { _ in })
    }
}

extension Binding: @unchecked Sendable where Value: Sendable {}  // as in SwiftUI

// MARK: Views

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { return fatalError() }
}

@resultBuilder
public enum ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
        (repeat each Content)
    > {
        TupleView()
    }
}

@MainActor @preconcurrency
public struct TupleView<Views>: View {
    nonisolated init() {}
    public var body: Never { return fatalError() }
}

@MainActor @preconcurrency
public struct Text: View {
    public nonisolated init(_ text: String) {}
    public var body: Never { return fatalError() }
}

@MainActor @preconcurrency
public struct TextField: View {
    public init(_ title: String, text: Binding<String>) {}
    public var body: Never { return fatalError() }
}

@MainActor @preconcurrency
public struct Button: View {
    public init(_ title: String, action: @escaping @MainActor () -> Void) {}
    public var body: Never { return fatalError() }
}

extension View {
    public nonisolated func onAppear(perform action: (() -> Void)? = nil) -> some View { TupleView<Self>() }
    public nonisolated func task(_ action: @escaping @Sendable @isolated(any) () async -> Void) -> some View {
        TupleView<Self>()
    }
}
