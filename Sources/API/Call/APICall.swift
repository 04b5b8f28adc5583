// SPDX-License-Identifier: Apache-2.0

public import StrataCore
import StrataEncoding
public import StrataStreaming

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A call as an endpoint builds it: a method and a path, what goes into them, and what comes back.
///
///     var call = self.apiCall("GET", "/users/{id}/todos")
///     call.path("id", .init(id))
///     call.query("sort", .init(sort))
///     return try await call.send(as: [Todo].self)
///
/// Nothing throws before `send`. The first error is kept until then, and thrown there.
@_documentation(visibility: internal)
public struct APICall {
    let provider: Provider
    let method: String
    let template: String

    var pathFilling = PathFilling()
    /// In their order; encoded when the call is made, because all names have to be known to find equal ones.
    var query: [NamedValue] = []
    var fields: HTTPFields = [:]
    var content: CallBody.Content = .none
    var absoluteTarget: String?
    var bodyFormat = BodyFormat.json
    var encoders: [BodyFormat: any RequestBodyEncoder] = [:]
    var decoder: (any ResponseBodyDecoder)?
    /// Whether a publisher hands out elements as they arrive. For other replies, their type tells.
    var isStream = false
    var streamEnd: EventStreamEnd?
    /// The events that are elements; `nil` for all of them.
    var eventNames: [String]?
    var streamOptions = ServerSentEvents.Options()
    var keyPath: JSONKeyPath?
    var failureModel: (@Sendable (NetworkClientError) -> (any Error)?)?
    var overrides: [RequestOptions.Override] = []
    /// The first failure.
    private(set) var failure: (any Error)?

    /// - `template`: the path, with `{placeholders}` and perhaps a query of its own.
    public init(_ provider: Provider, method: String, template: String) {
        self.provider = provider
        self.method = method
        self.template = template
    }

    /// Does what may fail, and keeps the failure.
    mutating func attempt(_ change: (inout APICall) throws -> Void) {
        guard failure == nil else { return }
        do { try change(&self) } catch { failure = error }
    }
}

// MARK: Path and query

extension APICall {
    /// Fills a placeholder.
    ///
    /// - `encoded`: the value is percent-encoded already.
    public mutating func path(_ placeholder: String, _ value: CallValue, encoded: Bool = false) {
        attempt {
            let encoder = $0.provider.queryEncoder
            let text = try Self.encoding("path") {
                try value.value(of: "path").flatMap { try encoder.text(of: $0, named: placeholder) }
            }
            guard let text else { throw NetworkClientError(.malformedURL, "the path value '\(placeholder)' is nil") }
            try $0.pathFilling.fill(placeholder, with: text, isEncoded: encoded)
        }
    }

    /// Adds query items: one, or as many as a list or an object makes.
    ///
    /// - `isNamed`: whether `name` is sent as it is written and stays in front of an object's properties, as in
    ///   `filter[status]`. If not, it follows the key strategy, and an object's properties are items of their own.
    /// - `encoded`: the value is percent-encoded already, and so are the names that entries bring; `name` may be.
    public mutating func query(_ name: String, _ value: CallValue, isNamed: Bool = false, encoded: Bool = false) {
        attempt { call in
            guard let value = try value.value(of: "query") else { return }
            call.query.append(NamedValue(name, value, isExplicit: isNamed, isEncoded: encoded))
        }
    }

    /// The whole target, absolute or relative to the base URL.
    public mutating func target(_ url: some StringProtocol) { absoluteTarget = String(url) }

    /// The whole target, absolute or relative to the base URL.
    public mutating func target(_ url: URL) { absoluteTarget = url.absoluteString }

    /// For the message alone.
    @_disfavoredOverload
    @available(*, unavailable, message: "the target of an endpoint with '@URL' is text or a 'URL', and never nil")
    public mutating func target<Target>(_ url: Target) {}
}

// MARK: Fields

extension APICall {
    /// Sets a field, replacing one of that name from a wider scope; an array sets it several times.
    public mutating func header(_ name: String, _ value: CallValue) {
        attempt { call in
            let texts = try call.fieldTexts(name, value)
            for (offset, text) in texts.enumerated() {
                if offset == 0 {
                    try call.fields.setValue(text, forName: name)
                } else {
                    try call.fields.addValue(text, forName: name)
                }
            }
        }
    }

    /// Sets each field of a dictionary, in the order of their names.
    public mutating func headers(_ fields: [String: String]?) {
        attempt { call in
            for (name, value) in (fields ?? [:]).sorted(by: { $0.key < $1.key }) {
                try call.fields.setValue(value, forName: name)
            }
        }
    }

    /// Sets each field of a dictionary; `nil` sets none.
    public mutating func headers(_ fields: [String: String?]?) {
        headers(fields?.compactMapValues { $0 })
    }

    /// Sets each field of a dictionary as ``header(_:_:)`` does.
    public mutating func headers<Value: Encodable>(_ fields: [String: Value]?) {
        for (name, value) in (fields ?? [:]).sorted(by: { $0.key < $1.key }) { header(name, CallValue(value)) }
    }

    /// Sets each field of a dictionary whose values are sent as their raw value or description.
    @_disfavoredOverload
    public mutating func headers<Value>(_ fields: [String: Value]?) {
        for (name, value) in (fields ?? [:]).sorted(by: { $0.key < $1.key }) {
            header(name, CallValue(declared: value))
        }
    }

    /// The same of any keys that have a raw value or a description, such as `HTTPField.Name`.
    @_disfavoredOverload
    public mutating func headers<Key, Value>(_ fields: [Key: Value]?) {
        attempt { call in
            guard let fields else { return }
            for (name, value) in try Self.named(fields) { call.header(name, CallValue(declared: value)) }
        }
    }

    /// By the texts of their keys.
    private static func named<Key, Value>(_ fields: [Key: Value]) throws -> [(name: String, value: Value)] {
        let named = try encoding("header field") { try fields.map { (name: try MixedValue.name(of: $0), value: $1) } }
        guard Set(named.map(\.name)).count == named.count else {
            throw NetworkClientError(.encodingFailed, "two keys of a map of fields have one text")
        }
        return named.sorted { $0.name < $1.name }
    }

    private func fieldTexts(_ name: String, _ value: CallValue) throws -> [String] {
        try Self.encoding("header field") {
            try value.value(of: "header field").map { try provider.queryEncoder.fieldTexts(of: $0, named: name) } ?? []
        }
    }

    private static func encoding<Value>(_ what: String, _ work: () throws -> Value) throws -> Value {
        do { return try work() } catch { throw NetworkClientError.encodingFailed(what, cause: error) }
    }

    /// Replaces fields of the same names; pairs of one name are one field with several values.
    @_disfavoredOverload
    public mutating func headers<Key, Value>(_ pairs: KeyValuePairs<Key, Value>?) {
        attempt { call in
            var fields = HTTPFields()
            for (key, value) in pairs ?? [:] {
                let name = try Self.encoding("header field") { try MixedValue.name(of: key) }
                for text in try call.fieldTexts(name, CallValue(declared: value)) {
                    try fields.addValue(text, forName: name)
                }
            }
            call.headers(fields)
        }
    }

    /// For the message alone.
    @_disfavoredOverload
    @available(*, unavailable, message: "a '@HeaderMap' is a dictionary, pairs, or 'HTTPHeaders'")
    public mutating func headers<Fields>(_ fields: Fields) {}

    /// Replaces fields of the same names.
    public mutating func headers(_ fields: HTTPFields?) {
        guard let fields else { return }
        for field in fields { self.fields[field.name] = nil }
        self.fields.append(contentsOf: fields)
    }
}

// MARK: Body

extension APICall {
    /// The whole body.
    public mutating func body(_ value: CallValue) {
        attempt { $0.content = try value.value(of: "body").map { .whole($0) } ?? .none }
    }

    /// A field of the body: of the object, of the form, or a part, by the ``format(_:encoder:decoder:)``.
    ///
    /// - `isNamed`: whether `name` is sent as it is written and, in a form, stays in front of an object's properties. If
    ///   not, it follows the key strategy of the encoder.
    public mutating func field(_ name: String, _ value: CallValue, isNamed: Bool = false) {
        add(value) { NamedValue(name, $0, isExplicit: isNamed) }
    }

    /// A part of a multipart body.
    ///
    /// - `isNamed`: whether `name` is sent as it is written. If not, it follows the key strategy of the encoder.
    public mutating func part(
        _ name: String, _ value: CallValue, isNamed: Bool = false, filename: String? = nil, mimeType: String? = nil
    ) {
        add(value) { NamedValue(name, $0, isExplicit: isNamed, filename: filename, contentType: mimeType) }
    }

    /// Adds a field or a part. When all of them are `nil`, there still is a body, without fields.
    private mutating func add(_ value: CallValue, _ named: (any Encodable) -> NamedValue) {
        attempt { call in
            var values: [NamedValue] = []
            if case .values(let present) = call.content { values = present }
            if let value = try value.value(of: "body") { values.append(named(value)) }
            call.content = .values(values)
        }
    }

    /// How the body is written from now on, and by what.
    public mutating func format(
        _ format: BodyFormat, encoder: (any RequestBodyEncoder)? = nil, decoder: (any ResponseBodyDecoder)? = nil
    ) {
        bodyFormat = format
        if let encoder { encoders[format] = encoder }
        if let decoder { self.decoder = decoder }
    }
}

// MARK: Reply and options

extension APICall {
    /// The response is a stream.
    ///
    /// - `end`: what the last event looks like. `nil`: as was said before; else the body's end, and for models also
    ///   `[DONE]`, which is no JSON.
    /// - `events`: the names of those that are elements. `nil`: as was said before; else all.
    /// - `options`: how events are read. `nil`: as was said before.
    public mutating func eventStreaming(
        until end: EventStreamEnd? = nil, events names: [String]? = nil, options: ServerSentEvents.Options? = nil,
        encoder: (any RequestBodyEncoder)? = nil, decoder: (any ResponseBodyDecoder)? = nil
    ) {
        isStream = true
        if let end { streamEnd = end }
        if let names { eventNames = names }
        if let options { streamOptions = options }
        if let encoder { encoders = [.json: encoder, .form: encoder, .multipart: encoder] }
        if let decoder { self.decoder = decoder }
    }

    /// Where in the JSON of the response the value is. `nil`: it is the whole of it.
    public mutating func responseKeyPath(_ path: String?) { keyPath = path.map { JSONKeyPath($0) } }

    /// What the body of a response with an unacceptable status decodes to.
    public mutating func errorModel<Model: Decodable & Error>(_ model: Model.Type) {
        failureModel = { failure in
            guard var error = try? failure.decode(Model.self) else { return nil }
            if var aware = error as? any APIErrorModel {
                aware.failure = failure
                if let model = aware as? Model { error = model }
            }
            return error
        }
    }

    /// The error type that the endpoint declares. If it is `NetworkClientError`, no error model takes its place.
    public mutating func failures<Failure: Error>(as type: Failure.Type) {
        if type == NetworkClientError.self { failureModel = nil }
    }

    /// What went wrong, as the error type that the endpoint declares. The compiler's message about a type that does not
    /// conform comes from here alone.
    public static func failure<Failure: APIFailure>(_ error: any Error, as type: Failure.Type) -> Failure {
        .wrapping(error)
    }

    /// Limits on the time of this call; `nil` leaves the client's.
    public mutating func timeout(
        connect: Duration? = nil, idle: Duration? = nil, attempt: Duration? = nil, deadline: Duration? = nil
    ) {
        options { options in
            options.timeouts.connect = connect ?? options.timeouts.connect
            options.timeouts.idle = idle ?? options.timeouts.idle
            options.timeouts.attempt = attempt ?? options.timeouts.attempt
            options.timeouts.deadline = deadline ?? options.timeouts.deadline
        }
    }

    /// How often the call is tried again at most, when the client has a retry middleware.
    public mutating func retry(count: Int) {
        options { $0.maxAttempts = RequestOptions.maxAttempts(retries: count) }
    }

    /// A typed attribute for the middleware.
    public mutating func tag<Key: RequestAttributeKey>(_ key: Key.Type, _ value: Key.Value) {
        options { $0[key] = value }
    }

    /// The same for a parameter: `nil` keeps the attribute of a wider scope.
    public mutating func tag<Key: RequestAttributeKey>(_ key: Key.Type, ifPresent value: Key.Value) {
        if !isNil(value) { tag(key, value) }
    }

    /// Changes any option of this call.
    public mutating func options(_ change: @escaping RequestOptions.Override) { overrides.append(change) }
}
