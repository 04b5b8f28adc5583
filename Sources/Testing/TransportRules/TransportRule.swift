// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// One thing that every transport does, as a claim that can be checked: what "swap the transport and nothing above changes" means.
///
/// Whoever writes a transport runs the list over it:
///
///     @Test(arguments: TransportRule.all)
///     func keeps(rule: TransportRule) async throws {
///         let transport = MyTransport()
///         try await rule.check(transport)
///         await transport.shutdown()
///     }
///
/// A rule whose ``needs`` the transport does not claim in its capabilities is skipped: ``check(_:)`` returns
/// ``Outcome/notClaimed``. The servers of the rules play scripted bytes on the loopback interface.
public struct TransportRule: Sendable, CustomStringConvertible {
    /// The claim.
    public let name: String
    /// Where it comes from: an RFC and its section, a bug of someone's, this project's contract.
    public let source: String
    /// What a transport has to be able to do for the rule to concern it.
    public let needs: TransportCapabilities.Features
    private let body: @Sendable (RuleBench) async throws -> Void

    package init(
        _ name: String, source: String, needs: TransportCapabilities.Features = [],
        check body: @escaping @Sendable (RuleBench) async throws -> Void
    ) {
        self.name = name
        self.source = source
        self.needs = needs
        self.body = body
    }

    public var description: String { name }

    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Outcome: Hashable, Sendable {
        case kept
        /// The transport does not claim to be able to.
        case notClaimed
    }

    /// Runs the check against the transport, which has to be new or idle. Only the rules about shutdown shut it down.
    ///
    /// - Throws: ``RuleViolation``, also when the transport hangs, or blocks the thread that it is called on (two minutes);
    ///   `CancellationError` when the task that checks is cancelled.
    @discardableResult
    public func check(_ transport: any NetworkTransport) async throws -> Outcome {
        guard transport.capabilities.features.isSuperset(of: needs) else { return .notClaimed }
        do {
            try await within(.seconds(120), "the rule's check does not end") { [body] in
                try await body(RuleBench(transport: transport))
            }
        } catch let violation as RuleViolation {
            throw violation
        } catch let error as CancellationError where Task.isCancelled {
            throw error
        } catch {
            throw RuleViolation("an error got in the way: \(error)")
        }
        return .kept
    }

    /// Every rule.
    public static let all: [TransportRule] = {
        let areas: [[TransportRule]] = [
            methods, targets, requestFields, requestBodies, statuses, responseFields, framing, malformed, truncation,
            interim, contentCoding, limits, connections, timeouts, cancellation, backpressure, lifetime, capabilities,
            http2, invalidFields, earlyAnswers, silence, unprocessed, idleConnections, connectionEvents, attacks,
            trailers,
            requestTrailers, interimAnswers, expectation, upgrades, upgradedConnections, upgradesOverHTTP2,
        ]
        return areas.flatMap { $0 }
    }()
}
