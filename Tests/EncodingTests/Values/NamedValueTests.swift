// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import Testing

struct NamedValueTests {
    private struct Filter: Encodable { var sort = "a%20b" }

    private func query(_ values: NamedValue...) throws -> String {
        try QueryEncoder().entries(of: values).queryText()
    }

    /// The name that a caller writes may hold escapes; one that comes with an object is encoded as it is.
    @Test func whatIsEncodedStaysAsItIs() throws {
        #expect(try query(NamedValue("a b", "c%20d", isExplicit: true, isEncoded: true)) == "a%20b=c%20d")
        #expect(try query(NamedValue("f%20g", Filter(), isExplicit: true, isEncoded: true)) == "f%20g%5Bsort%5D=a%20b")
        #expect(try query(NamedValue("filter", Filter(), isExplicit: false, isEncoded: true)) == "sort=a%20b")
        #expect(try query(NamedValue("a b", "c d", isExplicit: true)) == "a%20b=c%20d")
    }

    @Test func anErrorNamesTheFirstNameThatIsThereTwice() throws {
        let values = ["c", "a", "b"].map { NamedValue($0, 1, isExplicit: true) }
        let object = NamedValue("filter", ["b": 2, "c": 2], isExplicit: false)
        let error = try #require(throws: EncodingError.self) { try QueryEncoder().entries(of: values + [object]) }
        #expect("\(error)".contains("two values for the name \"b\""))
    }

    @Test func aNameThatIsNotEncodedMayNotComeFromAnEncodedObject() {
        let object = ["a b": "c"]
        #expect(throws: NetworkClientError.self) {
            try query(NamedValue("filter", object, isExplicit: false, isEncoded: true))
        }
    }
}
