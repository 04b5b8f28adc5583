// SPDX-License-Identifier: Apache-2.0

public import StrataCore
public import StrataStreaming

/// How a response is read while it arrives: `.bytes`, `.pieces`, `.lines`, `.jsonLines(of:)`, `.events`,
/// `.events(of:until:)`.
public struct StreamFormat<Elements: AsyncSequence>: Sendable {
    typealias Call = NetworkRequest<RequestBody, VoidResponse>

    /// Which statuses are read; `nil` leaves it to the request.
    let acceptableStatus: StatusPolicy?
    let open: @Sendable (any NetworkClientProtocol, Call) async throws -> Elements

    init(
        acceptableStatus: StatusPolicy? = nil,
        _ open: @escaping @Sendable (any NetworkClientProtocol, Call) async throws -> Elements
    ) {
        self.acceptableStatus = acceptableStatus
        self.open = open
    }
}

extension StreamFormat where Elements == ResponseBytes {
    /// Byte by byte.
    public static var bytes: StreamFormat { StreamFormat { try await $0.bytes(for: $1) } }
}

extension StreamFormat where Elements == ResponseBody {
    /// `Data` in the pieces in which it arrives.
    public static var pieces: StreamFormat { StreamFormat { try await $0.open($1).body } }
}

extension StreamFormat where Elements == TextLines {
    /// Lines of text, without their ends, of at most 16 MiB each.
    public static var lines: StreamFormat { StreamFormat { try await $0.lines(for: $1) } }

    /// The same, with another limit.
    ///
    /// - `maximumLength`: the most bytes that a line may have; more is an error with code `bodyTooLarge`.
    public static func lines(maximumLength: Int) -> StreamFormat {
        StreamFormat { try await $0.lines(for: $1, maximumLength: maximumLength) }
    }
}

extension StreamFormat {
    /// One model a line.
    ///
    /// - `skipsMalformed`: whether a line that cannot be decoded is skipped. Default: the sequence throws.
    /// - `maximumLength`: the most bytes that a line may have; more is an error with code `bodyTooLarge`.
    public static func jsonLines<Model: Decodable & SendableMetatype>(
        of type: Model.Type, skipsMalformed: Bool = false, maximumLength: Int = 16 << 20
    ) -> StreamFormat where Elements == JSONLines<Model> {
        StreamFormat(acceptableStatus: .success) {
            try await $0.jsonLines(
                for: $1, decoding: type, skipsMalformed: skipsMalformed, maximumLength: maximumLength)
        }
    }
}

extension StreamFormat where Elements == ServerSentEvents {
    /// Server-sent events.
    public static var events: StreamFormat { events(options: ServerSentEvents.Options()) }

    /// Server-sent events, read in another way than usual.
    public static func events(options: ServerSentEvents.Options) -> StreamFormat {
        StreamFormat(acceptableStatus: .success) { client, request in
            let events: ServerSentEvents = try await client.events(for: request, options: options)
            return events
        }
    }
}

extension StreamFormat {
    /// Server-sent events, each decoded from its data.
    ///
    /// - `end`: how the server says that the stream is over, such as `"[DONE]"`.
    public static func events<Model: Decodable & SendableMetatype>(
        of type: Model.Type, until end: EventStreamEnd = .body,
        options: ServerSentEvents.Options = ServerSentEvents.Options()
    ) -> StreamFormat where Elements == DecodedEvents<Model> {
        StreamFormat(acceptableStatus: .success) {
            try await $0.events(for: $1, decoding: type, until: end, options: options)
        }
    }
}
