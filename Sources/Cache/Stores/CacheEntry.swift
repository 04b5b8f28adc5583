// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A stored response: whole, with what is known of the exchange that it came from.
public struct CacheEntry: Sendable {
    public let head: HTTPResponse
    public let body: CacheBody
    /// When the request was sent, and when the response's head came, by the client's clock.
    public let requestTime: Date
    public let responseTime: Date
    /// Whether the request had credentials, so that the response is for one user alone.
    public let isPersonal: Bool
    let variation: Variation
    /// Worked out once, because a hit must not cost much.
    let policy: ResponsePolicy

    init(
        head: HTTPResponse, body: CacheBody, requestTime: Date, responseTime: Date, variation: Variation,
        isPersonal: Bool
    ) {
        self.head = head
        self.body = body
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.variation = variation
        self.isPersonal = isPersonal
        policy = ResponsePolicy(head, requestTime: requestTime, responseTime: responseTime)
    }

    /// Whether the two answer the same requests, so that a store keeps the later one alone.
    public func isReplaced(by other: CacheEntry) -> Bool { variation == other.variation }

    /// About how much memory it takes.
    public var cost: Int {
        head.headerFields.reduce(Int(clamping: body.length) + 256) {
            $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64
        }
    }

    /// The same response with other fields, confirmed at another time.
    func updated(_ fields: HTTPFields, requestTime: Date, responseTime: Date) -> CacheEntry {
        var head = head
        head.headerFields = fields
        return CacheEntry(
            head: head, body: body, requestTime: requestTime, responseTime: responseTime, variation: variation,
            isPersonal: isPersonal)
    }

    func with(_ variation: Variation) -> CacheEntry {
        CacheEntry(
            head: head, body: body, requestTime: requestTime, responseTime: responseTime, variation: variation,
            isPersonal: isPersonal)
    }
}

/// The body of a stored response.
public struct CacheBody: Sendable {
    enum Storage: Sendable {
        case data(Data)
        case source(@Sendable () throws -> any BodySource)
    }

    let storage: Storage
    public let length: Int64

    /// A body in memory.
    public init(_ data: Data) {
        storage = .data(data)
        length = Int64(data.count)
    }

    /// A body that is somewhere else, of which the store knows that all of it is there.
    ///
    /// - `makeSource`: is called when a response with the body is handed out.
    public init(length: Int64, source makeSource: @escaping @Sendable () throws -> any BodySource) {
        storage = .source(makeSource)
        self.length = length
    }

    /// The bytes, when they are in memory.
    public var data: Data? {
        if case .data(let data) = storage { data } else { nil }
    }

    /// - Throws: what the store's own source throws.
    func response() throws -> ResponseBody {
        switch storage {
        case .data(let data): ResponseBody(data)
        case .source(let make): ResponseBody(length: length, source: try make())
        }
    }
}
