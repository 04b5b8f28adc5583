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
        after response: HTTPResponse, from url: URL?, _ links: inout PageLinks, client: any NetworkClientProtocol
    ) throws -> Request? {
        let answered = url ?? self.url
        do {
            return try links.next(after: response, from: answered.absoluteString).map {
                try request(to: $0, from: answered, client: client)
            }
        } catch {
            throw requestError(error)
        }
    }

    private func request(to page: RequestURL, from answered: URL, client: any NetworkClientProtocol) throws -> Request {
        var target = page.text
        var request = self
        request.properties.queryItems = QueryItems {}
        request.properties.pathComponents = PathComponents {}
        request.path = nil
        request.configuration.appendTrailingSlashToPath = false
        let built = try makeTransportRequest(client: client)
        let origin = Origin(scheme: page.scheme, authority: page.authority)
        // What a redirect has left behind does not come back with a link.
        if origin == built.origin, origin == Origin(answered) {
            target = try page.text(userinfoOf: baseURL.absoluteString)
        } else {
            for field in properties.headers.fields {
                guard let name = HTTPField.Name(field.name) else { continue }
                if built.options.isOriginBound(name) { request.properties.headers[field.name] = nil }
            }
            request = request.settingOptions { $0.isLedByLink = true }
        }
        guard let url = URL(string: target) else { throw PageLinks.unusable }
        request.baseURL = url
        return request
    }
}
