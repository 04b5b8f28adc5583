// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataEncoding

import Foundation

extension Request {
    /// The request for the page that a response names as the next; `nil` when it names none.
    ///
    /// - Parameter url: the one that answered; `nil` is the request's.
    func nextPage(
        after response: HTTPResponse, from url: URL?, seen: inout Set<String>, client: any NetworkClientProtocol
    ) throws -> Request? {
        let context = url ?? self.url
        seen.insert(Self.withoutFragment(context.absoluteString))
        guard let link = Self.nextLink(of: response, context: context) else { return nil }
        do {
            let target = Self.withoutFragment(URLReference(context.absoluteString).resolving(URLReference(link)).text)
            let page = try RequestURL(target)
            guard context.scheme?.lowercased() != "https" || page.scheme == "https" else {
                throw NetworkClientError(.invalidRedirect, "the next page leads from https to http")
            }
            guard page.userinfo == nil else { throw Self.unusable }
            guard seen.insert(page.text).inserted else {
                throw NetworkClientError(.invalidRedirect, "the next page was seen already: the pages lead in a circle")
            }
            return try request(to: page, from: context, client: client)
        } catch {
            throw requestError(error)
        }
    }

    private static var unusable: NetworkClientError {
        NetworkClientError(.malformedURL, "the next page has a URL that cannot be used")
    }

    private func request(to page: RequestURL, from answered: URL, client: any NetworkClientProtocol) throws -> Request {
        var target = URLReference(page.text)
        var request = self
        request.properties.queryItems = QueryItems {}
        request.properties.pathComponents = PathComponents {}
        request.configuration.appendTrailingSlashToPath = false
        let built = try makeTransportRequest(client: client)
        let origin = Origin(scheme: page.scheme, authority: page.authority)
        // What a redirect has left behind does not come back with a link.
        if origin == built.origin, origin == Origin(answered) {
            // The user information of this URL went out as a field, so that the URL that answered has none.
            if let authority = URLReference(baseURL.absoluteString).authority,
                let userinfo = try URLAuthority(authority).userinfo
            {
                target.authority = "\(userinfo)@\(page.authority)"
            }
        } else {
            for field in properties.headers.fields {
                guard let name = HTTPField.Name(field.name) else { continue }
                if built.options.isOriginBound(name) { request.properties.headers[field.name] = nil }
            }
            request = request.settingOptions { $0.isLedByLink = true }
        }
        guard let url = URL(string: target.text) else { throw Self.unusable }
        request.baseURL = url
        return request
    }

    /// RFC 8288 §3.3; a link with another context than the response's is not about this page (§3.2).
    private static func nextLink(of response: HTTPResponse, context: URL) -> String? {
        let here = URLReference(withoutFragment(context.absoluteString))
        return LinkField(of: response).links.first { link in
            guard link.relations.contains("next") else { return false }
            guard let anchor = link.parameters["anchor"] else { return true }
            return withoutFragment(here.resolving(URLReference(anchor)).text) == here.text && !anchor.contains("#")
        }?.target
    }

    private static func withoutFragment(_ url: String) -> String {
        String(url.prefix { $0 != "#" })
    }
}
