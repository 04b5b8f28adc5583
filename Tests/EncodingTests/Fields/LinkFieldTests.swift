// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataEncoding
import TestSupport
import Testing

struct LinkFieldTests {
    @Test(.vectors("headers/misc-headers.json")) func readsTargetsAndRelations() throws {
        for vector in try Vectors.cases("headers/misc-headers.json", "link") {
            let field = LinkField(try #require(vector["value"]?.string))
            let found = field.links.flatMap { link in link.relations.map { [link.target, $0] } }
            let expected = try #require(vector["expected"]?.array).map { pair in pair.array?.compactMap(\.string) }
            #expect(found == expected, "\(vector["id"]?.string ?? "")")
        }
    }

    @Test func findsPagesInSeveralFields() throws {
        var response = HTTPResponse(status: .ok)
        response.headerFields = [:]
        let name = try #require(HTTPField.Name("link"))
        response.headerFields.append(
            HTTPField(name: name, value: #"<https://h/?page=2,3>; rel="Next last", </p>; rel=prev"#))
        response.headerFields.append(HTTPField(name: name, value: "<x>;rel=first;rel=ignored"))
        let field = LinkField(of: response)
        #expect(field["next"]?.target == "https://h/?page=2,3")
        #expect(field["LAST"]?.target == "https://h/?page=2,3")
        #expect(field["prev"]?.target == "/p")
        #expect(field["first"]?.relations == ["first"])
        #expect(field["none"] == nil)
    }

    @Test func extendedParametersAreDecodedAndWin() throws {
        let field = LinkField("<a>; rel=next; title*=UTF-8''%E2%82%AC%20x; title=x, <b>; rel=prev; title=y; title*=odd")
        #expect(field["next"]?.parameters["title"] == "€ x")
        #expect(field["prev"]?.parameters["title"] == "y")
    }

    @Test(arguments: ["", ",", "<", "<>", "a", "<a", "<a>;", "<a>;;;rel", "<a> b", "<a>;rel=\"x", ",,<a>,,"])
    func readsOddText(_ text: String) {
        #expect(LinkField(text).links.count <= 1)
    }
}
