// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Keeps a body as it passes: masked, in memory or, when it is large, in a file.
final class BodyRecorder: Sendable {
    private struct State {
        var masker: BodyMasker
        var size: Int64 = 0
        var isPresent = false
        var file: BodyFile?
        var failure: (any Error)?
    }

    private let cassette: String?
    private let options: RecordingOptions
    private let contentType: String?
    private let requestOptions: @Sendable () -> RequestOptions?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - cassette: the path of the cassette beside which files are written. `nil`: beside a temporary one.
    ///   - requestOptions: the names that the request marks as those of secrets, as far as they are known by then.
    init(
        _ cassette: String?, _ options: RecordingOptions, contentType: String?,
        requestOptions: @escaping @Sendable () -> RequestOptions?
    ) {
        self.cassette = cassette
        self.options = options
        self.contentType = contentType
        self.requestOptions = requestOptions
        state = Mutex(State(masker: Self.masker(options, contentType)))
    }

    private static func masker(_ options: RecordingOptions, _ contentType: String?) -> BodyMasker {
        BodyMasker(options.redaction, contentType: contentType, partSize: options.largestInlineBody)
    }

    /// A body begins, perhaps anew.
    func begin() {
        state.withLock { state in
            state = State(masker: Self.masker(options, contentType))
            state.isPresent = true
        }
    }

    func add(_ piece: Data, at time: Duration) {
        state.withLock { state in
            state.size += Int64(piece.count)
            guard options.recordsBodies, state.failure == nil else { return }
            state.masker.add(piece, at: time)
            guard state.file != nil || state.masker.held > options.largestInlineBody else { return }
            do {
                while let part = state.masker.nextPart(requestOptions()) { try write(part, &state) }
            } catch {
                state.failure = error
            }
        }
    }

    private func write(_ part: Data, _ state: inout State) throws {
        let file = try state.file ?? BodyFile(beside: cassette ?? Self.temporary)
        state.file = file
        try file.append(part)
    }

    private static var temporary: String {
        FileManager.default.temporaryDirectory.appending(path: "strata-bodies").path
    }

    /// - Throws: what went wrong when the body was written to its file.
    func finish() throws -> RecordedBody {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            let last = state.masker.lastPart(requestOptions())
            let content: RecordedBody.Content
            if !state.isPresent {
                content = .none
            } else if !options.recordsBodies || state.masker.isWithheld {
                content = .withheld
            } else if state.file != nil || last.count > options.largestInlineBody {
                try write(last, &state)
                content = state.file.map { .file($0) } ?? .none
            } else {
                content = .data(last)
            }
            return RecordedBody(size: state.size, content: content, pieces: state.masker.pieces)
        }
    }
}

/// A body that has been recorded.
struct RecordedBody {
    enum Content {
        case none
        case data(Data)
        case file(BodyFile)
        case withheld
    }

    /// Before masking.
    let size: Int64
    let content: Content
    let pieces: [Cassette.Piece]

    /// In the recording.
    var maskedSize: Int64 {
        switch content {
        case .none: 0
        case .data(let data): Int64(data.count)
        case .file(let file): file.count
        case .withheld: size
        }
    }
}
