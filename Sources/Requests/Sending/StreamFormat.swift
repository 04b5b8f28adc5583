// SPDX-License-Identifier: Apache-2.0

public import StrataCore
public import StrataStreaming

/// As what a response is read while it arrives: `.bytes`, `.pieces`, `.lines`, `.jsonLines(of:)`, `.events`.
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
    /// Lines of text, without their ends.
    public static var lines: StreamFormat { StreamFormat { try await $0.lines(for: $1) } }
}

extension StreamFormat {
    /// One model a line.
    public static func jsonLines<Model: Decodable & SendableMetatype>(
        of type: Model.Type
    ) -> StreamFormat where Elements == JSONLines<Model> {
        StreamFormat(acceptableStatus: .success) { try await $0.jsonLines(for: $1, decoding: type) }
    }
}

extension StreamFormat where Elements == ServerSentEvents {
    /// Server-sent events.
    public static var events: StreamFormat {
        StreamFormat(acceptableStatus: .success) { client, request in
            let events: ServerSentEvents = try await client.events(for: request)
            return events
        }
    }
}

extension StreamFormat {
    /// Server-sent events, each decoded from its data.
    ///
    /// - `end`: how the server says that the stream is over, such as `"[DONE]"`.
    public static func events<Model: Decodable & SendableMetatype>(
        of type: Model.Type, until end: EventStreamEnd = .body
    ) -> StreamFormat where Elements == DecodedEvents<Model> {
        StreamFormat(acceptableStatus: .success) { try await $0.events(for: $1, decoding: type, until: end) }
    }
}
