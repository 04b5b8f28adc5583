// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport

/// A folder with a cassette, and clients that record to it and replay it.
struct Tape {
    let folder: TemporaryFolder
    let clock = VirtualClock()

    init() throws { folder = try TemporaryFolder() }

    var file: URL { folder["tape.har"] }

    func recorder(_ transport: any NetworkTransport, _ options: RecordingOptions = RecordingOptions()) throws
        -> (client: NetworkClient, recorder: CassetteRecorder)
    {
        let recorder = try CassetteRecorder(file, options: options)
        return (client(transport, [RecordingMiddleware(recorder)]), recorder)
    }

    func client(_ transport: any NetworkTransport, _ middleware: [any NetworkMiddleware] = []) -> NetworkClient {
        var configuration = NetworkConfiguration(
            baseURL: "https://api.example", transport: transport, middleware: middleware)
        configuration.clock = clock
        configuration.userAgent = nil
        return NetworkClient(configuration: configuration)
    }

    func cassette() throws -> Cassette { try Cassette(contentsOf: file) }

    /// The file as JSON.
    func json() throws -> JSONValue { try JSONValue(parsing: Data(contentsOf: file)) }

    func entries() throws -> [JSONValue] {
        guard case .array(let entries)? = try json()["log"]?["entries"] else { return [] }
        return entries
    }

    /// Everything in the folder, with base64 decoded beside it.
    func everything() throws -> [String] {
        var texts: [String] = []
        for case let url as URL in FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil)
            ?? .init()
        {
            guard let data = try? Data(contentsOf: url) else { continue }
            let text = String(decoding: data, as: UTF8.self)
            texts.append(text)
            for word in text.split(separator: "\"") where word.count >= 8 {
                if let decoded = Data(base64Encoded: String(word)) {
                    texts.append(String(decoding: decoded, as: UTF8.self))
                }
            }
        }
        return texts
    }
}

/// A body whose pieces come at times of the clock.
final class PacedSource: BodySource {
    private let source: PiecesSource
    private let clock: VirtualClock
    private let pace: Duration

    init(_ pieces: [Data], _ clock: VirtualClock, every pace: Duration, failure: (any Error)? = nil) {
        source = PiecesSource(pieces, failure: failure)
        self.clock = clock
        self.pace = pace
    }

    func next() throws -> Data? {
        clock.advance(by: pace)
        return try source.next()
    }

    func cancel() { source.cancel() }
}

extension ResponseBody {
    /// The pieces as they come, and what ended them.
    func pieces() async -> (pieces: [Data], failure: (any Error)?) {
        var pieces: [Data] = []
        do {
            for try await piece in self { pieces.append(piece) }
            return (pieces, nil)
        } catch {
            return (pieces, error)
        }
    }
}
