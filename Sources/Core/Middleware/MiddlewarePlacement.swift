// SPDX-License-Identifier: Apache-2.0

/// What a middleware demands of its place in the stack. ``PipelineReport`` checks it; nothing is reordered.
public struct MiddlewarePlacement: Sendable {
    /// What kind of layer this is, for the rules of others.
    public var role: Role?
    public var rules: [Rule]
    /// Whether the layer may send a request again, so that its body has to be replayable.
    public var repeatsRequests: Bool

    /// - `repeatsRequests`: Default: whether the role is ``Role/retry``.
    public init(role: Role? = nil, rules: [Rule] = [], repeatsRequests: Bool? = nil) {
        self.role = role
        self.rules = rules
        self.repeatsRequests = repeatsRequests ?? (role == .retry)
    }

    /// No role and no rules.
    public static let anywhere = MiddlewarePlacement()

    func demandsOutside(_ role: Role) -> Bool {
        rules.contains { if case .outside(role) = $0.demand { true } else { false } }
    }

    /// A kind of layer. Add your own as static members.
    ///
    /// No middleware of this package is a `signing`: that is the place of an app's own.
    public struct Role: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        public let name: String
        @_documentation(visibility: internal)
        public init(stringLiteral value: String) { name = value }
        public var description: String { name }

        public static let logging: Role = "logging"
        public static let redirects: Role = "redirects"
        public static let cache: Role = "cache"
        public static let retry: Role = "retry"
        public static let authentication: Role = "authentication"
        public static let cookies: Role = "cookies"
        public static let decoration: Role = "request decoration"
        public static let statusValidation: Role = "status validation"
        /// Signs the request as it goes out, its body included.
        public static let signing: Role = "signing"
        public static let recording: Role = "wire recording"
        /// Of `MetricsMiddleware`, which is in a module above.
        static let metrics: Role = "metrics"

        /// Whether such a layer leaves requests and responses as they are.
        var onlyObserves: Bool { self == .logging || self == .metrics || self == .recording }
    }

    /// One demand, with what goes wrong otherwise.
    public struct Rule: Sendable {
        enum Demand: Sendable {
            case inside(Role)
            case insideRepeats
            case innermost
            case outside(Role)
            case without(Role)
            case once
        }

        let demand: Demand
        let because: String

        /// Further in than every layer of that role.
        public static func inside(_ role: Role, because reason: String) -> Rule {
            Rule(demand: .inside(role), because: reason)
        }
        /// Further in than every layer that repeats requests.
        public static func insideRepeats(because reason: String) -> Rule {
            Rule(demand: .insideRepeats, because: reason)
        }
        /// Further in than every other layer, except for those that log, measure or record.
        public static func innermost(because reason: String) -> Rule { Rule(demand: .innermost, because: reason) }
        /// Further out than every layer of that role.
        public static func outside(_ role: Role, because reason: String) -> Rule {
            Rule(demand: .outside(role), because: reason)
        }
        /// In no stack with a layer of that role.
        public static func without(_ role: Role, because reason: String) -> Rule {
            Rule(demand: .without(role), because: reason)
        }
        /// The only layer of its role.
        public static func once(because reason: String) -> Rule { Rule(demand: .once, because: reason) }
    }
}
