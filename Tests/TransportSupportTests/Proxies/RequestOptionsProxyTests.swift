// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport
import Testing

struct RequestOptionsProxyTests {
    @Test func aRequestHasNoneByItself() {
        var options = RequestOptions()
        #expect(options.proxy == nil)
        #expect(options.interaction == nil)
        options.proxy = .url("http://proxy.example:3128")
        #expect(options.proxy?.description == "http://proxy.example:3128")
        options.proxy = ProxyPolicy.none
        #expect(options.proxy?.description == "none")
        options.proxy = nil
        #expect(options.interaction == nil)
    }

    @Test func dumpsShowNoCredentials() {
        var options = RequestOptions()
        options.proxy = .url("http://aladdin:hunter2@proxy.example:3128", user: "ali", password: "hunter3")
        var text = ""
        dump(options, to: &text)
        #expect(!text.contains("hunter"))
        #expect(!String(reflecting: options).contains("hunter"))
    }
}
