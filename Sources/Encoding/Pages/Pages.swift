// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The pages of a list, one request a page, each sent when it is asked for.
///
///     for try await page in client.pages(of: request) {
///         users += page.value
///     }
///
/// It ends with the page that names no next one. Every loop begins anew at the first page.
public struct Pages<Page>: AsyncSequence, Sendable {
    /// Gets a page, and then says which comes next.
    fileprivate struct Step: Sendable {
        let run: @Sendable (inout PageLinks) async throws -> (page: Page, next: Result<Step, any Error>?)
    }

    private let first: Step

    /// - Parameters:
    ///   - call: what gets the first page.
    ///   - page: what the loop is handed of what was received.
    ///   - next: what gets the page after that; `nil` ends the sequence.
    package init<Call: Sendable, Received>(
        _ call: Call, send: @escaping @Sendable (Call) async throws -> Received,
        page: @escaping @Sendable (Received) -> Page,
        next: @escaping @Sendable (Call, Received, inout PageLinks) throws -> Call?
    ) {
        @Sendable func step(_ call: Call) -> Step {
            Step { links in
                let received = try await send(call)
                let following: Result<Step, any Error>?
                do {
                    following = try next(call, received, &links).map { .success(step($0)) }
                } catch {
                    following = .failure(error)
                }
                return (page(received), following)
            }
        }
        first = step(call)
    }

    @_documentation(visibility: internal)
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(upcoming: .success(first)) }

    @_documentation(visibility: internal)
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// What gets the page that comes next, or why there is none.
        private var upcoming: Result<Step, any Error>?
        private var links = PageLinks()

        fileprivate init(upcoming: Result<Step, any Error>) { self.upcoming = upcoming }

        /// - Throws: what sending throws. After that there are no more pages.
        public mutating func next() async throws -> Page? {
            try await next(isolation: #isolation)
        }

        /// The same, in the caller's isolation.
        @_documentation(visibility: internal)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Page? {
            guard let upcoming else { return nil }
            self.upcoming = nil
            var links = links
            let (page, next) = try await upcoming.get().run(&links)
            self.links = links
            self.upcoming = next
            return page
        }
    }
}

extension Pages {
    /// The pages of an API that is described by functions, along the `Link` fields with relation `next`.
    ///
    ///     let pages = Pages { try await github.issues(owner: owner) } next: { try await github.issues(at: $0) }
    ///
    /// `next` gets the URL of the page, absolute. Which of its fields go to another origin is up to it. A step from `https` to
    /// `http` and a page that was seen already are errors.
    public init<Model: SendableMetatype>(
        _ first: @escaping @Sendable () async throws -> NetworkResponse<Model>,
        next: @escaping @Sendable (URL) async throws -> NetworkResponse<Model>
    ) where Page == NetworkResponse<Model> {
        self.init(URL?.none) { url in
            if let url { try await next(url) } else { try await first() }
        } page: {
            $0
        } next: { _, page, links in
            guard let target = try links.next(after: page.response, from: page.url ?? "") else { return nil }
            guard let url = URL(string: target.text) else { throw PageLinks.unusable }
            return .some(url)
        }
    }
}
