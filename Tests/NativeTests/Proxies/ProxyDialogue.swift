// SPDX-License-Identifier: Apache-2.0

import StrataCore

@testable import StrataNative

/// What a handshake with a proxy makes of bytes, however they come.
struct ProxyDialogue: Equatable {
    enum End: Equatable {
        case underWay, open, again
        case unreachable(String)
        case failed(String)
    }

    /// What is said between two things that are heard.
    var said: [[UInt8]] = []
    var end = End.underWay

    var texts: [String] { said.map { String(decoding: $0, as: UTF8.self) } }

    /// - Parameters:
    ///   - answers: of the proxy, each after something has been said.
    ///   - places: where the first of them is cut in two.
    ///   - ends: whether the proxy hangs up then.
    init(
        _ handshake: any ProxyHandshake, hearing answers: [[UInt8]], cutAt place: (answer: Int, byte: Int)? = nil,
        ends: Bool = false
    ) {
        do throws(NetworkClientError) {
            say(handshake)
            for (index, answer) in answers.enumerated() {
                var pieces = [answer]
                if let place, place.answer == index {
                    pieces = [Array(answer[..<place.byte]), Array(answer[place.byte...])].filter { !$0.isEmpty }
                }
                for piece in pieces where end == .underWay || end == .open { try hear(piece, handshake) }
                say(handshake)
            }
            if ends, end == .underWay { note(try handshake.finish()) }
        } catch {
            end = .failed(error.message)
            if error.code != .proxyFailed { end = .failed("\(error.code): \(error.message)") }
        }
    }

    private mutating func say(_ handshake: any ProxyHandshake) {
        if !handshake.output.isEmpty { said.append(handshake.output) }
        handshake.output = []
    }

    /// No more at once than is wanted.
    private mutating func hear(_ bytes: [UInt8], _ handshake: any ProxyHandshake) throws(NetworkClientError) {
        var rest = bytes[...]
        repeat {
            // What comes behind the last word would be left unread.
            let piece = Array(rest.prefix(max(1, handshake.wanted)))
            rest = rest.dropFirst(piece.count)
            let result = piece.withUnsafeBytes { bytes in
                Result { () throws(NetworkClientError) in try handshake.take(bytes) }
            }
            note(try result.get())
        } while !rest.isEmpty && (end == .underWay || end == .open)
    }

    private mutating func note(_ progress: ProxyProgress) {
        end =
            switch progress {
            case .underWay: .underWay
            case .open: .open
            case .again: .again
            case .unreachable(let error): .unreachable(error.message)
            }
    }
}
