// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StrataCore

/// The way from page to page along the `Link` fields with relation `next` (RFC 8288).
package struct PageLinks: Sendable {
    /// The URLs of pages that were seen, so that a circle is noticed.
    private var seen: Set<String> = []

    package init() {}

    /// The page that a response names as the next; `nil` when it names none.
    ///
    /// - Parameter answered: the URL that answered.
    /// - Throws: `invalidRedirect` for a step from `https` to `http` and for a page that was seen already; `malformedURL`.
    package mutating func next(after response: HTTPResponse, from answered: String) throws -> RequestURL? {
        let here = URLReference(Self.withoutFragment(answered))
        seen.insert(here.text)
        guard let link = Self.nextLink(of: response, here) else { return nil }
        let page = try RequestURL(Self.withoutFragment(here.resolving(URLReference(link)).text))
        guard here.scheme != "https" || page.scheme == "https" else {
            throw NetworkClientError(.invalidRedirect, "the next page leads from https to http")
        }
        guard page.userinfo == nil else { throw Self.unusable }
        guard seen.insert(page.text).inserted else {
            throw NetworkClientError(.invalidRedirect, "the next page was seen already: the pages lead in a circle")
        }
        return page
    }

    package static var unusable: NetworkClientError {
        NetworkClientError(.malformedURL, "the next page has a URL that cannot be used")
    }

    /// RFC 8288 §3.3; a link with another context than the response's is not about this page (§3.2).
    private static func nextLink(of response: HTTPResponse, _ here: URLReference) -> String? {
        LinkField(of: response).links.first { link in
            guard link.relations.contains("next") else { return false }
            guard let anchor = link.parameters["anchor"] else { return true }
            return withoutFragment(here.resolving(URLReference(anchor)).text) == here.text && !anchor.contains("#")
        }?.target
    }

    private static func withoutFragment(_ url: String) -> String {
        String(url.prefix { $0 != "#" })
    }
}

extension RequestURL {
    /// The text of a page's URL, with the user information of the URL that the pages began with: that went out as a field,
    /// so that the URL that answered has none.
    package func text(userinfoOf first: String) throws -> String {
        guard let authority = URLReference(first).authority, let userinfo = try URLAuthority(authority).userinfo else {
            return text
        }
        var target = URLReference(text)
        target.authority = "\(userinfo)@\(self.authority)"
        return target.text
    }
}
