// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import StrataObservability

struct SemanticConventionsTests {
    @Test func theEnvironmentMayNameTheMethods() {
        #expect(SemanticConventions.methods(listedIn: nil).isSuperset(of: ["GET", "PATCH", "QUERY"]))
        #expect(SemanticConventions.methods(listedIn: "") == SemanticConventions.methods(listedIn: nil))
        #expect(SemanticConventions.methods(listedIn: "GET, PURGE") == ["GET", "PURGE"])
    }

    @Test func versionsAreNumbers() {
        #expect(["HTTP/1.1", "HTTP/2", "HTTP/3"].map(SemanticConventions.protocolVersion) == ["1.1", "2", "3"])
        #expect(SemanticConventions.protocolVersion(nil) == nil)
    }
}
