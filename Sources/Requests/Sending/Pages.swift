// SPDX-License-Identifier: Apache-2.0

/// The pages of a list, one request a page, each sent when it is asked for.
///
///     for try await page in request.pages(of: [User].self) {
///         users += page.responseModel
///     }
///
/// It ends with the page that names no next one. Every loop begins anew at the first page.
public struct Pages<Page>: AsyncSequence, Sendable {
    let first: Request
    let send: @Sendable (Request) async throws -> Request.Received<Page>
    let next: @Sendable (Request.Received<Page>, inout Set<String>) throws -> Request?

    @_documentation(visibility: internal)
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self, upcoming: .success(first)) }

    @_documentation(visibility: internal)
    public struct AsyncIterator: AsyncIteratorProtocol {
        let pages: Pages
        /// The request for the page that comes next, or why there is none.
        var upcoming: Result<Request, any Error>?
        /// The URLs of pages that were seen, so that a circle is noticed.
        var seen: Set<String> = []

        /// - Throws: ``RequestError``; `CancellationError`. After that there are no more pages.
        public mutating func next() async throws -> Page? {
            try await next(isolation: #isolation)
        }

        /// The same, in the caller's isolation.
        @_documentation(visibility: internal)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Page? {
            guard let upcoming else { return nil }
            self.upcoming = nil
            let received = try await pages.send(upcoming.get())
            do {
                self.upcoming = try pages.next(received, &seen).map { .success($0) }
            } catch {
                self.upcoming = .failure(error)
            }
            return received.value
        }
    }
}
