// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataEncoding

import Foundation

extension Request {
    /// The request for the page that a response names as the next; `nil` when it names none.
    func nextPage(
        after response: HTTPURLResponse, seen: inout Set<String>, client: any NetworkClientProtocol
    ) throws -> Request? {
        let context = response.url ?? url
        seen.insert(Self.withoutFragment(context.absoluteString))
        guard let link = Self.nextLink(of: response, context: context) else { return nil }
        do {
            let target = Self.withoutFragment(URLReference(context.absoluteString).resolving(URLReference(link)).text)
            let page = try RequestURL(target)
            guard context.scheme?.lowercased() != "https" || page.scheme == "https" else {
                throw NetworkClientError(.invalidRedirect, "the next page leads from https to http")
            }
            guard page.userinfo == nil, let url = URL(string: page.text) else {
                throw NetworkClientError(.malformedURL, "the next page has a URL that cannot be used")
            }
            guard seen.insert(page.text).inserted else {
                throw NetworkClientError(.invalidRedirect, "the next page was seen already: the pages lead in a circle")
            }
            return try request(to: url, page: page, client: client)
        } catch {
            throw requestError(error)
        }
    }

    private func request(to url: URL, page: RequestURL, client: any NetworkClientProtocol) throws -> Request {
        var request = self
        request.baseURL = url
        request.properties.queryItems = QueryItems {}
        request.properties.pathComponents = PathComponents {}
        request.configuration.appendTrailingSlashToPath = false
        let built = try makeTransportRequest(client: client)
        if Origin(scheme: page.scheme, authority: page.authority) != built.origin {
            for field in properties.headers.fields {
                guard let name = HTTPField.Name(field.name), built.options.isSensitive(name) else { continue }
                request.properties.headers[field.name] = nil
            }
        }
        return request
    }

    /// RFC 8288 §3.3; a link with another context than the response's is not about this page (§3.2).
    private static func nextLink(of response: HTTPURLResponse, context: URL) -> String? {
        guard let value = response.value(forHTTPHeaderField: "Link") else { return nil }
        let here = URLReference(withoutFragment(context.absoluteString))
        return LinkField(value).links.first { link in
            guard link.relations.contains("next") else { return false }
            guard let anchor = link.parameters["anchor"] else { return true }
            return withoutFragment(here.resolving(URLReference(anchor)).text) == here.text && !anchor.contains("#")
        }?.target
    }

    private static func withoutFragment(_ url: String) -> String {
        String(url.prefix { $0 != "#" })
    }
}
