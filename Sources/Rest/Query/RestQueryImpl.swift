// SPDX-License-Identifier: Apache-2.0

/// The query of a ``Rest`` property.
public final class RestQueryImpl<Parent: Codable & SendableMetatype, Value: Codable & Sendable>: RestQuery {
    public let metadata: RestQueryMetadata<Parent, Value>
    let box: RestValueBox<Value>

    init(value: Value, metadata: RestQueryMetadata<Parent, Value>) {
        box = RestValueBox(value)
        self.metadata = metadata
    }

    private init(box: RestValueBox<Value>, metadata: RestQueryMetadata<Parent, Value>) {
        self.box = box
        self.metadata = metadata
    }

    /// The value that is here now.
    public var wrappedValue: Value {
        get { box.value }
        set { box.value = newValue }
    }

    public func update(_ change: (inout Value) -> Void) {
        box.update(change)
    }

    public var projectedValue: Binding<Value> {
        Binding(get: { self.wrappedValue }, update: { change in self.update(change) })
    }

    public func get() -> RestQueryResult<RestQueryImpl> {
        RestQueryResult(query: self) { try await RestCall(metadata: self.metadata, box: self.box).get() }
    }

    public func post() -> RestQueryResult<RestQueryImpl> {
        RestQueryResult(query: self) { try await RestCall(metadata: self.metadata, box: self.box).post() }
    }

    public func post(_ newValue: Value) -> RestQueryResult<RestQueryImpl> {
        RestQueryResult(query: self) { try await RestCall(metadata: self.metadata, box: self.box).post(newValue) }
    }

    public func adding(params: RestParameters) -> RestQueryImpl {
        params == RestParameters() ? self : RestQueryImpl(box: box, metadata: metadata.adding(params: params))
    }
}
