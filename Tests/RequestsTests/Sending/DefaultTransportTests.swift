// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataPlatform
import StrataTesting
import Testing

@testable import StrataRequests

/// What a request is sent through when it names no client.
struct DefaultTransportTests {
    enum Plain: Service {
        static let baseURL = URL(string: "https://example.com/")!

        enum Below: Endpoint {
            typealias Parent = Plain
            static let path = "below"
        }
    }

    enum Named: Service {
        static let baseURL = URL(string: "https://example.com/")!
        static let session = URLSession.shared

        enum Below: Endpoint {
            typealias Parent = Named
            static let path = "below"
        }
    }

    enum Forwarding: Service {
        static let baseURL = URL(string: "https://example.com/")!
        static var session: URLSession { Plain.session }
    }

    private func transport(of request: Request, session: URLSession? = nil) -> String {
        request.resolvedClient(nil, session: session).configuration.transport.capabilities.name
    }

    private var platform: String { PlatformTransport.shared.capabilities.name }
    private var session: String { SessionClients.shared.client(for: .shared).configuration.transport.capabilities.name }

    @Test func withoutASessionItIsThePlatforms() {
        #expect(transport(of: Request(.get, url: Plain.baseURL)) == platform)
        #expect(transport(of: Request(.get, parent: Plain.self)) == platform)
        #expect(transport(of: Request(.get, parent: Plain.Below.self)) == platform)
        #expect(transport(of: Request(.get, parent: Forwarding.self)) == platform)
    }

    @Test func aSessionThatIsNamedIsUsedAlsoTheSharedOne() {
        #expect(transport(of: Request(.get, url: Plain.baseURL, session: .shared)) == session)
        #expect(transport(of: Request(.get, parent: Plain.self, session: .shared)) == session)
        #expect(transport(of: Request(.get, parent: Named.self)) == session)
        #expect(transport(of: Request(.get, parent: Named.Below.self)) == session)
        #expect(transport(of: Request(.get, url: Plain.baseURL), session: .shared) == session)
        var request = Request(.get, url: Plain.baseURL)
        request.session = .shared
        #expect(transport(of: request) == session)
    }

    #if os(Linux)
    /// A server's answer can end the process in a session of FoundationNetworking.
    @Test func onLinuxThePlatformsIsNoSession() {
        #expect(platform != session)
    }
    #endif
}
