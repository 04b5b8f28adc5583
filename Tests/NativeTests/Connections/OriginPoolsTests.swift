// SPDX-License-Identifier: Apache-2.0

import StrataTransportSupport
import Testing

@testable import StrataNative

struct OriginPoolsTests {
    private final class Lookup {
        private let proxies: Proxies
        private var pools = OriginPools()

        init(_ policy: ProxyPolicy) throws { proxies = try Proxies(policy) { _ in nil } }

        func callAsFunction(
            _ origin: String, _ needsTunnel: Bool = false, protocols: ProtocolChoice? = nil,
            own policy: ProxyPolicy? = nil
        ) throws -> OriginPool {
            let isSecure = origin.hasPrefix("https:")
            return try pools.pool(
                isSecure: isSecure, authority: String(origin.drop { $0 != "/" }.dropFirst(2)),
                protocols ?? (isSecure ? .negotiated : .http1), needsTunnel: needsTunnel,
                own: try policy.map { try Proxies($0) { _ in nil } }, through: proxies)
        }

        func siblings(of pool: OriginPool) -> [OriginPool] { pools.siblings(of: pool) }
    }

    @Test func anOriginIsTheSameHoweverItIsWritten() throws {
        let pool = try Lookup(.none)
        #expect(try pool("http://a.example") === pool("http://A.example:80"))
        #expect(try pool("http://a.example") === pool("http://a.example", true))
        #expect(try pool("http://a.example") !== pool("https://a.example:80"))
        #expect(try pool("http://a.example").route.proxy == nil)
    }

    @Test(arguments: [ProxyPolicy.none, .url("http://proxy.example:3128")])
    func eachProtocolHasConnectionsOfItsOwn(_ policy: ProxyPolicy) throws {
        let pool = try Lookup(policy)
        let negotiated = try pool("https://a.example")
        let http1 = try pool("https://a.example", protocols: .http1)
        #expect(negotiated !== http1)
        #expect(negotiated === (try pool("https://a.example:443", protocols: .negotiated)))
        _ = try pool("https://b.example")
        // They count together against the limit of an origin.
        let siblings = pool.siblings(of: negotiated)
        #expect(siblings.count == 2)
        #expect(siblings.contains { $0 === http1 })
    }

    @Test(arguments: ["http", "https"]) func aProxyThatIsAskedForURLsIsOnePlace(_ scheme: String) throws {
        let pool = try Lookup(.url("\(scheme)://proxy.example:3128", except: ["direct.example"]))
        let one = try pool("http://a.example")
        #expect(one === (try pool("http://b.example:8080")))
        #expect(one.route.forwarder?.address.host == "proxy.example")
        #expect(one.endpoint == Endpoint(isSecure: false, host: "proxy.example", port: 3128))
        #expect(one.route.proxy?.endpoint.isSecure == (scheme == "https"))
        #expect(try pool("http://direct.example").route.proxy == nil)
    }

    @Test(arguments: ["http", "https", "socks5"]) func aTunnelLeadsToOneOrigin(_ scheme: String) throws {
        let pool = try Lookup(.url("\(scheme)://proxy.example:3128"))
        let one = try pool("https://a.example")
        #expect(one !== (try pool("https://b.example")))
        #expect(one === (try pool("https://a.example:443", true)))
        #expect(one.route.isTunnel)
        #expect(one.route.forwarder == nil)
        #expect(one.endpoint.host == "a.example")
        // The same proxy, and what is known of it.
        #expect(one.route.proxy === (try pool("https://b.example").route.proxy))
    }

    @Test func whatIsMoreThanARequestNeedsATunnel() throws {
        let pool = try Lookup(.url("http://proxy.example:3128"))
        #expect(try pool("http://a.example").route.forwarder != nil)
        #expect(try pool("http://a.example", true).route.isTunnel)
        #expect(try pool("http://a.example", true) !== pool("http://b.example", true))
    }

    /// Nothing is shared between proxies, nor between credentials for one.
    @Test func aRequestsOwnProxyIsAnotherPlace() throws {
        let pool = try Lookup(.url("http://proxy.example:3128", user: "a"))
        let usual = try pool("http://a.example")
        #expect(usual === (try pool("http://a.example", own: .url("http://proxy.example:3128", user: "a"))))
        for policy in [.none, .url("http://proxy.example:3128", user: "b"), .url("http://other.example:3128")]
            as [ProxyPolicy]
        {
            #expect(usual !== (try pool("http://a.example", own: policy)))
            #expect(try pool("http://a.example", own: policy) === pool("http://a.example", own: policy))
        }
        #expect(try pool("http://a.example", own: ProxyPolicy.none).route.proxy == nil)
        #expect(usual === (try pool("http://a.example")))
    }

    /// A server that stands where the proxy stands is another thing.
    @Test func aProxyIsNotAnOrigin() throws {
        let pool = try Lookup(.url("http://proxy.example:80", except: ["proxy.example"]))
        #expect(try pool("http://proxy.example") !== pool("http://a.example"))
    }

    @Test(arguments: [("http://PROXY.example:1", "proxy.example"), ("http://[::1]:1", "::1")])
    func knowsAProxyByItsCanonicalName(_ url: String, _ host: String) throws {
        let pool = try Lookup(.url(url))
        #expect(try pool("http://a.example").route.proxy?.endpoint.host == host)
    }
}
