// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

@testable import StrataTransportSupport

struct ProxyAddressTests {
    @Test func takesTheCredentialsOutOfTheURL() throws {
        let proxy = try ProxyAddress("http://al%40din:open%3Asesame@p.example:8080/ignored")
        #expect(proxy.url == "http://p.example:8080")
        #expect(proxy.user == "al@din")
        #expect(proxy.password == "open:sesame")
        #expect(proxy.host == "p.example")
        #expect(proxy.port == 8080)
    }

    @Test func prefersCredentialsThatAreGivenApart() throws {
        let proxy = try ProxyAddress("http://a:b@p:1", user: "c", password: nil)
        #expect(proxy.user == "c")
        #expect(proxy.password == nil)
    }

    @Test func takesAnAtInAPasswordAsItIs() throws {
        let proxy = try ProxyAddress("http://u:p@ss@p:1")
        #expect(proxy.password == "p@ss")
        #expect(proxy.url == "http://p:1")
    }

    @Test func isHTTPWithoutAScheme() throws {
        #expect(try ProxyAddress("p.example:3128").url == "http://p.example:3128")
        #expect(try ProxyAddress("SOCKS5H://p").url == "socks5h://p")
        #expect(try ProxyAddress("socks://p:1/").url == "socks4://p:1")
        #expect(try ProxyAddress("https://p").isSecure)
        #expect(try ProxyAddress("https://p").port == 443)
        #expect(try ProxyAddress("http://p").port == 1080)
    }

    @Test func keepsTheBracketsOfAnAddress() throws {
        let proxy = try ProxyAddress("http://u:w@[::1]:8080")
        #expect(proxy.url == "http://[::1]:8080")
        #expect(proxy.host == "::1")
    }

    @Test func putsTheCredentialsBackIntoTheURL() throws {
        #expect(
            try ProxyAddress("p:1", user: "a%62", password: "ü:@/%").completeURL
                == "http://a%2562:%C3%BC%3A%40%2F%25@p:1")
        #expect(try ProxyAddress("socks5h://50%25@p").completeURL == "socks5h://50%25@p")
        #expect(try !ProxyAddress("http://a%62:b@p").hasPercent)
    }

    @Test func isNoneWhenThereIsNothing() throws {
        #expect(try ProxyAddress("") == ProxyAddress())
    }
}
