// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataNative
import StrataURLSession

/// A program that ends in the middle of its calls.
///
///     Stress end (curl|native|urlsession) (exit|main|error) STATUS MICROSECONDS URL TRUST
///
/// Eight tasks get the URL again and again, each time over a new connection; after the given time the process ends by `exit`
/// with the status, by the end of `main`, or by an error that nobody catches. TRUST is a file of certificates.
struct Ending {
    struct Failure: Error {}

    private let transport: any NetworkTransport
    private let way: String
    private let status: Int32
    private let delay: Duration
    private let url: String

    init?(_ arguments: [String]) {
        guard arguments.count == 6, let status = Int32(arguments[2]), let delay = Int(arguments[3]) else { return nil }
        transport = Self.transport(arguments[0], trust: arguments[5])
        way = arguments[1]
        self.status = status
        self.delay = .microseconds(delay)
        url = arguments[4]
    }

    private static func transport(_ name: String, trust: String) -> any NetworkTransport {
        if name == "urlsession" { return URLSessionTransport() }
        if name == "native" {
            var configuration = NativeTransport.Configuration()
            configuration.proxy = .none
            configuration.tls.trust = .file(trust)
            return NativeTransport(configuration: configuration)
        }
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .none
        configuration.tls.trust = .file(trust)
        return CurlTransport(configuration: configuration)
    }

    func run() async throws {
        for _ in 0..<8 {
            Task {
                while true { _ = try? await get() }
            }
        }
        // The time counts from the first answer. URLSession trusts the system's authorities alone on Linux: its calls end with
        // the handshake.
        do { _ = try await get() } catch let error as NetworkClientError where error.code == .tlsFailed {} catch {
            exit(99)
        }
        try await Task.sleep(for: delay)
        switch way {
        case "main": return
        case "error": throw Failure()
        default: exit(status)
        }
    }

    private func get() async throws -> Data {
        var request = try TransportRequest(url: url)
        request.head.headerFields[.connection] = "close"
        return try await transport.send(request).body.collect()
    }
}
