// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

/// Decides which statuses are success, in place of `RequestOptions.acceptableStatus`. Other statuses become errors,
/// also from `execute`.
///
/// Redirects that are going to be followed pass; others are judged as any status. Place: outside of retries, authentication and caches, which need to see the
/// statuses that it throws away.
///
/// - Throws: `NetworkClientError.Code.unacceptableStatus` with the start of the body.
public struct StatusValidationMiddleware: NetworkMiddleware {
    private let policy: StatusPolicy

    public init(_ policy: StatusPolicy = .success) {
        self.policy = policy
    }

    /// These and no others: 200 has to be among them to pass.
    public init(codes: Set<Int>) {
        policy = StatusPolicy(ranges: codes.map { $0...$0 })
    }

    /// These and no others.
    public init(ranges: ClosedRange<Int>...) {
        policy = StatusPolicy(ranges: ranges)
    }

    /// These and no others.
    public init(ranges: Range<Int>...) {
        policy = StatusPolicy(ranges: ranges)
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement {
        let reason = "it would see an error instead of a status"
        return MiddlewarePlacement(
            role: .statusValidation,
            rules: [
                .outside(.retry, because: reason), .outside(.authentication, because: reason),
                .outside(.cache, because: reason),
                .once(because: "the inner one throws what the outer one may accept"),
            ])
    }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        var response = try await next(request)
        if response.isRedirectToFollow(for: request) { return response }
        // A server that has switched protocols as it was asked to has not refused.
        guard policy.accepts(response.head.status) || response.channel != nil else {
            request.call?.adopt(&response, for: request)
            throw try await response.refusal(.unacceptableStatus, response.statusMessage)
        }
        request.call?.acceptedStatus = response.head.status.code
        return response
    }
}

extension TransportResponse {
    /// Whether a redirect layer outside of this one may be about to follow it.
    func isRedirectToFollow(for request: TransportRequest) -> Bool {
        request.options.redirects.limit > 0 && head.status.isRedirect
            && head.headerFields[.location].map { !$0.allSatisfy(\.isWhitespace) } == true
    }
}
