// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import Testing

struct RequestModifiersTests {
    private let request = Request(.get, url: usersURL) {
        Headers { ("name", "value1") }
        QueryItems { ("q", 1) }
        PathComponents { "a" }
        Body { Data("x".utf8) }
    }

    @Test func settingReplacesAllOfAKind() {
        let changed = request.setting(PathComponents { "b" }).setting(QueryItems { ("r", 2) }).setting(
            Body { User(name: "") })
        #expect(changed.url.absoluteString == "https://example.com/users/b?r=2")
        #expect(changed.body == Data(#"{"name":""}"#.utf8))
        #expect(request.setting(Headers {}).headers.isEmpty)
        #expect(request.url.absoluteString == "https://example.com/users/a?q=1")
    }

    @Test func addingComesAfter() {
        let changed = request.adding(PathComponents { "b" }).adding(QueryItems { ("r", 2) }).adding(
            Headers { ("Name", "value2") })
        #expect(changed.url.absoluteString == "https://example.com/users/a/b?q=1&r=2")
        #expect(changed.headers == ["name": "value1,value2"])
        #expect(request.adding(Body { Data("y".utf8) }).body == Data("xy".utf8))
    }

    @Test func settingTheConfiguration() {
        let changed = request.setting(Request.Configuration(appendTrailingSlashToPath: true))
        #expect(changed.configuration.appendTrailingSlashToPath)
        #expect(changed.url.absoluteString == "https://example.com/users/a/?q=1")
    }

    @Test func settingAFieldReplacesOrRemovesIt() {
        #expect(request.settingHeader(name: "NAME", value: "new").headers == ["NAME": "new"])
        #expect(request.settingHeader(name: .accept, value: "a/b").headers == ["name": "value1", "Accept": "a/b"])
        #expect(request.settingHeader(.contentType(.textPlain)).headers["Content-Type"] == "text/plain")
        #expect(request.settingHeader(name: "name", value: nil).headers.isEmpty)
    }

    @Test func addingAFieldJoinsLists() {
        #expect(request.addingHeader(name: "name", value: "value2").headers == ["name": "value1,value2"])
        #expect(request.addingHeader(Header("name", "value2")).headers == ["name": "value1,value2"])
        let accepting = request.addingHeader(name: .accept, value: "a/b").addingHeader(.accept("c/d"))
        #expect(accepting.headers["Accept"] == "a/b,c/d")
        #expect(accepting.removingHeader(.accept).removingHeader("Name").headers.isEmpty)
        let authorized = request.addingHeader(.authorization("a")).addingHeader(.authorization("b"))
        #expect(authorized.headers["Authorization"] == "b")
    }

    @Test func optionsAreChangedInOrder() throws {
        let changed =
            request
            .settingOptions { $0.timeouts.deadline = .seconds(5) }
            .settingOptions {
                $0.timeouts.attempt = $0.timeouts.deadline
                $0.redirects = .manual
            }
        let options = try changed.makeTransportRequest().options
        #expect(options.timeouts.deadline == .seconds(5))
        #expect(options.timeouts.attempt == .seconds(5))
        #expect(options.redirects == .manual)
    }
}
