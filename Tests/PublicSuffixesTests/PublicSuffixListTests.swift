// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataPublicSuffixes
import Testing

struct PublicSuffixListTests {
    @Test(arguments: [
        "com", "co.uk", "github.io", "kawasaki.jp", "a.kawasaki.jp", "compute.amazonaws.com",
        "www.compute.amazonaws.com", "xn--p1ai",
        "xn--55qx5d.cn", "localhost", "no-such-tld", "zw", "0.bg", "ac",
    ])
    func knowsSuffixes(domain: String) {
        #expect(PublicSuffixList.bundled.contains(domain))
    }

    @Test(arguments: [
        "example.com", "example.co.uk", "me.github.io", "city.kawasaki.jp", "www.city.kawasaki.jp", "www.ck",
        "a.b.kawasaki.jp", "a.no-such-tld", "example.xn--p1ai", "",
    ])
    func knowsWhatIsNone(domain: String) {
        // The empty name has no dot.
        #expect(PublicSuffixList.bundled.contains(domain) == domain.isEmpty)
    }

    @Test func readsListsInTheUsualFormat() {
        let list = PublicSuffixList(
            "// rules\ncom\n\n*.nom.br\r\n!city.nom.br  // why\nBÜCHER.example\n*.both\nboth\n!\n*.\n")
        for suffix in ["com", "nom.br", "a.nom.br", "xn--bcher-kva.example", "both", "a.both", "br"] {
            #expect(list.contains(suffix), "\(suffix)")
        }
        for other in ["city.nom.br", "a.com", "b.a.both", "a.xn--bcher-kva.example"] {
            #expect(!list.contains(other), "\(other)")
        }
    }

    @Test func aListWithoutRulesHasTopLevelDomains() {
        #expect(PublicSuffixList.topLevelDomains.contains("com"))
        #expect(!PublicSuffixList.topLevelDomains.contains("co.uk"))
    }

    /// libpsl, by the same rules, of which it has a file; and Debian's own list, when it is the one that is bundled.
    @Test(.enabled(if: SuffixOracle.isHere, "libpsl or the package publicsuffix is missing"))
    func agreesWithLibpsl() throws {
        let text = try String(contentsOfFile: SuffixOracle.list, encoding: .utf8)
        let list = PublicSuffixList(text)
        let oracle = try SuffixOracle()
        // Each domain once: one comparison is cheap, and a claim for each of them is not.
        var domains: Set<String> = []
        for rule in text.split(whereSeparator: \.isNewline) where !rule.hasPrefix("//") {
            domains.formUnion(neighbours(of: String(rule)))
        }
        #expect(domains.count > 20_000)
        #expect(domains.filter { list.contains($0) != oracle.contains($0) } == [])
        if SuffixOracle.date == PublicSuffixList.bundledDate {
            #expect(domains.filter { PublicSuffixList.bundled.contains($0) != oracle.contains($0) } == [])
        }
    }

    /// The name of a rule, its parent, and names below it, in the form of hosts.
    private func neighbours(of rule: String) -> [String] {
        let name = rule.drop { "!*. ".contains($0) }.split(separator: " ").first.map(String.init) ?? ""
        guard !name.isEmpty else { return [] }
        let ascii = Origin(scheme: "http", host: name).host
        let parent = ascii.drop { $0 != "." }.dropFirst()
        return [ascii, "www.\(ascii)", "a.www.\(ascii)"] + (parent.isEmpty ? [] : [String(parent)])
    }
}
