// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Decodes each response by the decoder that is registered for its `Content-Type`.
///
/// It knows JSON (also by the suffix `+json`), JSON Lines, forms, multipart forms and plain text. Add your own:
///
///     var decoder = DynamicContentTypeDecoder()
///     decoder.register(JSONKeyPathDecoder("data"), for: "application/hal+json")
///
/// A response without a type, or with one that nothing is registered for, is an error, ``UnknownContentTypeError``.
public struct DynamicContentTypeDecoder: ResponseBodyDecoder {
    private struct Entry: Sendable {
        var range: Range
        var decoder: any ResponseBodyDecoder
    }

    /// The decoder for responses without a `Content-Type`, or with one that cannot be read. Default: none.
    public var fallback: (any ResponseBodyDecoder)?
    /// In the order of registration.
    private var entries: [Entry] = []

    /// - Parameter json: decodes JSON and JSON Lines.
    public init(json: JSONDecoder = JSONDecoder()) {
        register(json, for: "application/json", "+json", "text/json")
        register(JSONLinesDecoder(json), for: "application/jsonl", "application/x-ndjson", "application/x-jsonlines")
        register(FormDecoder(), for: EncodedBody.formType)
        register(MultipartDecoder(json: json), for: "multipart/form-data")
        register(PlainTextDecoder(), for: "text/plain")
    }

    /// With nothing but what is registered later.
    public static var empty: DynamicContentTypeDecoder {
        var decoder = DynamicContentTypeDecoder()
        decoder.entries = []
        return decoder
    }

    /// Adds a decoder, which wins over earlier ones for the same range.
    ///
    /// - `ranges`: `type/subtype`, also with parameters, which the response then has to have, `type/*`, `*/*`, or
    ///   `+suffix`. The most specific range that fits is chosen: first a full type, with as many parameters as
    ///   possible, then a suffix, then `type/*`, then `*/*`. A text of another form matches no response.
    public mutating func register(_ decoder: any ResponseBodyDecoder, for ranges: String...) {
        for range in ranges.map(Range.init) {
            entries.removeAll { $0.range == range }
            entries.append(Entry(range: range, decoder: decoder))
        }
    }

    /// The ranges that can be decoded, in the order of registration and with falling quality. Suffixes are left out,
    /// because `Accept` has no notation for them.
    public var acceptedContentTypes: [String] {
        entries.compactMap(\.range.field).enumerated().map { offset, range in
            offset == 0 ? range : "\(range);q=\(Self.quality(at: offset))"
        }
    }

    /// In tenths as long as there are some, then in thousandths: a quality has no more digits (RFC 9110 §12.4.2).
    private static func quality(at offset: Int) -> String {
        offset < 10 ? "0.\(10 - offset)" : "0.0\(String(100 + max(1, 109 - offset)).dropFirst())"
    }

    /// The decoder for a media type.
    public func decoder(for type: MediaType) -> (any ResponseBodyDecoder)? {
        // Of equals `max` takes the first.
        let fitting = entries.reversed().filter { $0.range.contains(type) }
        return fitting.max { $0.range.specificity < $1.range.specificity }?.decoder
    }

    private func decoder(for response: HTTPResponse) -> (any ResponseBodyDecoder)? {
        MediaType(of: response).map(decoder(for:)) ?? fallback
    }

    @_documentation(visibility: internal)
    public func decodesPartOfBody(of response: HTTPResponse) -> Bool {
        decoder(for: response)?.decodesPartOfBody(of: response) ?? false
    }

    /// - Throws: ``NetworkClientError`` with code `unacceptableContentType`, caused by ``UnknownContentTypeError``; else
    ///   what the chosen decoder throws.
    public func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
        guard let decoder = decoder(for: response) else {
            let known = entries.compactMap(\.range.field)
            let cause = UnknownContentTypeError(response: response, body: data, known: known)
            throw NetworkClientError(.unacceptableContentType, cause.description, cause: cause)
        }
        return try decoder.decode(type, from: data, response: response)
    }
}

extension DynamicContentTypeDecoder: PartialBodyDecoder {
    package var wholeBodyDecoder: any ResponseBodyDecoder {
        var copy = self
        copy.entries = entries.map { Entry(range: $0.range, decoder: $0.decoder.forWholeBodies) }
        copy.fallback = fallback?.forWholeBodies
        return copy
    }
}

extension DynamicContentTypeDecoder {
    /// A media range (RFC 9110 §12.5.1), or a suffix.
    private enum Range: Hashable, Sendable {
        case type(String, [MediaType.Parameter])
        case suffix(String)
        case anySubtype(of: String)
        case anything

        init(_ text: String) {
            let name = text.asciiLowercased
            if name == "*/*" {
                self = .anything
            } else if name.hasSuffix("/*") {
                self = .anySubtype(of: String(name.dropLast(2)))
            } else if name.hasPrefix("+") {
                self = .suffix(String(name.dropFirst()))
            } else {
                let type = MediaType(text)
                self = .type(type?.essence ?? name, type?.parameters.sorted { $0.name < $1.name } ?? [])
            }
        }

        var specificity: Int {
            switch self {
            case .type(_, let parameters): 3 + parameters.count
            case .suffix: 2
            case .anySubtype: 1
            case .anything: 0
            }
        }

        var field: String? {
            switch self {
            case .type(let essence, let parameters):
                parameters.reduce(essence) { "\($0);\($1.name)=\(FieldReader.quotedIfNeeded($1.value))" }
            case .suffix: nil
            case .anySubtype(let type): "\(type)/*"
            case .anything: "*/*"
            }
        }

        func contains(_ type: MediaType) -> Bool {
            switch self {
            case .type(let essence, let parameters):
                // Without regard to case, which for a charset has no meaning (RFC 9110 §8.3.2).
                type.essence == essence
                    && parameters.allSatisfy { type[$0.name]?.asciiLowercased == $0.value.asciiLowercased }
            case .suffix(let suffix): type.suffix.map { $0 == suffix } ?? false
            case .anySubtype(let main): type.type == main
            case .anything: true
            }
        }
    }
}
