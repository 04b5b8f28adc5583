// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

@testable import StrataNative

struct ProtocolChoiceTests {
    @Test func negotiatesOverTLSAlone() throws {
        #expect(try ProtocolChoice(.automatic, "https", needsHTTP1: false) == .negotiated)
        #expect(try ProtocolChoice(.automatic, "http", needsHTTP1: false) == .http1)
        #expect(try ProtocolChoice(.automatic, "https", needsHTTP1: true) == .http1)
        #expect(try ProtocolChoice(.http1, "https", needsHTTP1: false) == .http1)
        #expect(try ProtocolChoice(.http2PriorKnowledge, "http", needsHTTP1: false) == .http2)
    }

    @Test func refusesWhatThereIsNot() {
        for (version, needsHTTP1) in [(HTTPVersionPolicy.http3, false), (.http2PriorKnowledge, true)] {
            let error = #expect(throws: NetworkClientError.self) {
                try ProtocolChoice(version, "https", needsHTTP1: needsHTTP1)
            }
            #expect(error?.code == .unsupportedByTransport)
        }
    }

    @Test func speaksWhatTheServerHasChosen() {
        #expect(ProtocolChoice.negotiated.isHTTP2("h2"))
        #expect(!ProtocolChoice.negotiated.isHTTP2("http/1.1") && !ProtocolChoice.negotiated.isHTTP2(nil))
        #expect(ProtocolChoice.http2.isHTTP2("h2") && ProtocolChoice.http2.isHTTP2(nil))
        #expect(!ProtocolChoice.http1.isHTTP2("h2"))
    }
}
