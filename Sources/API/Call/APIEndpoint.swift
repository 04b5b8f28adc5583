// SPDX-License-Identifier: Apache-2.0

/// One entry of `UsersAPI.endpoints`: what the source declares, for documentation and tests.
///
///     for endpoint in UsersAPI.endpoints { print(endpoint) }
///     // GET /users/{id}  getUser(id:fields:) -> User  path: id, query: fields
public struct APIEndpoint: Hashable, Sendable {
    /// Where a parameter's value goes.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Location: String, Hashable, Sendable {
        case path, query, header, headerMap, body, field, part, tag, target
        /// Not sent.
        case unused
    }

    public struct Parameter: Hashable, Sendable {
        /// On the wire.
        public let name: String
        public let location: Location
        /// As the source has it.
        public let type: String

        @_documentation(visibility: internal)
        public init(_ name: String, in location: Location, type: String) {
            self.name = name
            self.location = location
            self.type = type
        }
    }

    /// `getUser(id:fields:)`.
    public let function: String
    public let method: String
    /// `/users/{id}`; `nil` for an absolute target.
    public let template: String?
    public let parameters: [Parameter]
    /// What the function returns, as the source has it.
    public let returns: String

    @_documentation(visibility: internal)
    public init(_ function: String, _ method: String, _ template: String?, parameters: [Parameter], returns: String) {
        self.function = function
        self.method = method
        self.template = template
        self.parameters = parameters
        self.returns = returns
    }
}

extension APIEndpoint: CustomStringConvertible {
    public var description: String {
        let list = parameters.filter { $0.location != .unused }.map { "\($0.location.rawValue): \($0.name)" }
        return
            (["\(method) \(template ?? "<url>")", "\(function) -> \(returns)", list.joined(separator: ", ")]
            .filter { !$0.isEmpty }).joined(separator: "  ")
    }
}
