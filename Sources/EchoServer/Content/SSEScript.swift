// SPDX-License-Identifier: Apache-2.0

import Hummingbird

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What `/sse` sends, given as JSON:
///
///     {"status": 200, "content_type": "text/event-stream",
///      "steps": [{"send": "data: a\n\n"}, {"wait_ms": 50}, {"send_base64": "/w=="}, {"drop": true}]}
///
/// `status` and `content_type` may be missing. Every `send` is written on its own, so an event, a line or a character can
/// be split between two.
struct SSEScript: Sendable, Equatable {
    enum Step: Sendable, Equatable {
        case send([UInt8])
        case wait(Duration)
        case drop
    }

    let status: Int
    let contentType: String
    let steps: [Step]

    /// Throws 400 when the script cannot be read.
    init(json: [UInt8]) throws {
        let source: Source
        do {
            source = try JSONDecoder().decode(Source.self, from: Data(json))
        } catch {
            throw HTTPError(.badRequest, message: "The script is not understood: \(error)")
        }
        status = source.status ?? 200
        guard (200...999).contains(status) else { throw HTTPError(.badRequest, message: "`status` is a final status.") }
        contentType = source.contentType ?? "text/event-stream"
        steps = try source.steps.map { try $0.step }
    }

    private struct Source: Decodable {
        var status: Int?
        var contentType: String?
        var steps: [SourceStep]

        enum CodingKeys: String, CodingKey {
            case status, steps
            case contentType = "content_type"
        }
    }

    private struct SourceStep: Decodable {
        var send: String?
        var sendBase64: Data?
        var waitMilliseconds: Double?
        var drop: Bool?

        enum CodingKeys: String, CodingKey {
            case send, drop
            case sendBase64 = "send_base64"
            case waitMilliseconds = "wait_ms"
        }

        var step: Step {
            get throws {
                if let send { return .send(Array(send.utf8)) }
                if let sendBase64 { return .send(Array(sendBase64)) }
                if let waitMilliseconds, (0...3_600_000).contains(waitMilliseconds) {
                    return .wait(.milliseconds(waitMilliseconds))
                }
                if drop == true { return .drop }
                throw HTTPError(.badRequest, message: "A step is `send`, `send_base64`, `wait_ms` or `drop`.")
            }
        }
    }
}
