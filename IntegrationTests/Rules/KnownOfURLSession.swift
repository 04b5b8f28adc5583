// SPDX-License-Identifier: Apache-2.0

import StrataTesting
import Testing

/// The rules that a transport over URLSession does not keep, by their names, each with the reason.
enum KnownOfURLSession {
    #if canImport(FoundationNetworking)
    /// What FoundationNetworking does to it.
    static let broken: [String: Comment] = [
        "the method get goes out as it is":
            "URLRequest writes the standard methods in upper case (swift-corelibs-foundation #1339)",
        "the target /a/../b/./c goes out unchanged": "URL removes dot segments before the request is written",
        "a missing reason and its space pass": "HTTPURLProtocol refuses a status line without a reason",
        "a value needs no space before it":
            "HTTPURLProtocol refuses a field line without one (swift-corelibs-foundation #5527)",
        "a POST is not sent twice":
            "libcurl, which sends there, repeats it on a new connection when a kept one turns out to be closed",
        "a response on an idle connection is not the next call's": unasked,
        "a 408 before the close on an idle connection is not the next call's": unasked,
        "a response behind a body that is read in steps is not the next call's": unasked,
        "a response behind a chunked body that is read in steps is not the next call's": unasked,
        "a response behind a small chunked body is not the next call's": unasked,
        "a response behind an empty body is not the next call's": unasked,
        "a response behind a 204 is not the next call's": unasked,
        "a response behind an answer to HEAD is not the next call's": unasked,
        "a response behind an interim head and an answer is not the next call's": unasked,
        "a request with Connection: close is the last on its connection":
            "libcurl, which sends there, heeds that field of responses alone",
        "HTTP/2 in a status line of HTTP/1.1 is an error": "libcurl, which reads there, takes it for HTTP/2 (7.88.1)",
        "an unknown coding is handed out as it came":
            "libcurl, which decodes there, refuses codings that it does not know",
        "a truncated gzip body is an error": "libcurl, which decodes there, takes it for whole when the framing is",
        "two gzip members are one body": "libcurl, which decodes there, refuses what follows the first (7.88.1)",
        "a connection is not used when its server's Keep-Alive timeout has passed": keepAlive,
        "a connection whose server's Keep-Alive timeout is zero is not used again": keepAlive,
        "a field line of 120 KB passes, or its error names the limit": "the error tells no more than that it is one",
    ]

    /// Those of them that are kept when the end of the connection is seen early enough, or libcurl is a newer one.
    static let intermittent: Set<String> = [
        "a POST is not sent twice", "a response on an idle connection is not the next call's",
        "a 408 before the close on an idle connection is not the next call's",
        "a response behind a body that is read in steps is not the next call's",
        "a response behind a chunked body that is read in steps is not the next call's",
        "a response behind a small chunked body is not the next call's",
        "a response behind an empty body is not the next call's",
        "a response behind a 204 is not the next call's",
        "a response behind an answer to HEAD is not the next call's",
        "a response behind an interim head and an answer is not the next call's",
        "a request with Connection: close is the last on its connection",
        "HTTP/2 in a status line of HTTP/1.1 is an error",
    ]

    /// Not run: where FoundationNetworking ends the process (`fatalError`), or holds up what runs after it.
    static let fatal: [String: Comment] = lostAnswers.merging([
        "an end in the version is an error": endInHead,
        "an end in the status line is an error": endInHead,
        "an end in a field's name is an error": endInHead,
        "an end before the empty line is an error": endInHead,
        "a body short of the greatest length is an error":
            "the length is added to that of the request (_NativeProtocol.updateProgressMeter); no report was found",
        "trailers are no fields of the head": trailers,
    ]) { $1 }.merging(floods) { $1 }

    /// What floods a connection. Other calls wait until their limits: chunks of a byte take a minute, and another half to end.
    private static let floods = Dictionary(
        uniqueKeysWithValues: TransportRule.all.lazy.map(\.name).filter { $0.contains("other calls are answered") }
            .map { ($0, Comment("one queue serves all sessions of the process (URLSession._MultiHandle)")) })

    /// What comes during an upload. libcurl, which sends there, fails at the reset before it has read the answer (7.88.1).
    private static let lostAnswers = Dictionary(
        uniqueKeysWithValues: TransportRule.all.lazy.map(\.name).filter { name in
            name.contains("that a reset follows") || name.contains("though a reset follows")
        }
        .map { ($0, Comment("\"Transfer completed, but there's no response\" (NativeProtocol.swift)")) })

    private static let unasked: Comment =
        "libcurl, which reads there, takes a connection with bytes to read for one that can be used (7.88.1)"
    private static let keepAlive: Comment =
        "libcurl, which sends there, does not read that field (7.88.1)"
    private static let trailers: Comment = "fields after a chunked body are not expected; no report was found"
    private static let endInHead: Comment =
        "the connection ends inside the head of a response (swift-corelibs-foundation #5285)"
    #else
    static let broken: [String: Comment] = [:]
    static let intermittent: Set<String> = []
    static let fatal: [String: Comment] = [:]
    #endif
}
