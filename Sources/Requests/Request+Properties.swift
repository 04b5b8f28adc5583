// SPDX-License-Identifier: Apache-2.0

extension Request {
    /// What a request is made of beside method and base URL.
    public struct Properties: Hashable, Sendable {
        public var headers: Headers
        public var queryItems: QueryItems
        public var pathComponents: PathComponents
        public var body: Body

        public init(
            headers: Headers = Headers {}, queryItems: QueryItems = QueryItems {},
            pathComponents: PathComponents = PathComponents {}, body: Body = Body {}
        ) {
            self.headers = headers
            self.queryItems = queryItems
            self.pathComponents = pathComponents
            self.body = body
        }

        public init(@Builder _ properties: () -> Properties) {
            self = properties()
        }

        public static let empty = Properties()

        /// Both, part by part, the left one first.
        public static func + (left: Properties, right: Properties) -> Properties {
            Properties(
                headers: left.headers + right.headers, queryItems: left.queryItems + right.queryItems,
                pathComponents: left.pathComponents + right.pathComponents, body: left.body + right.body)
        }

        public static func += (left: inout Properties, right: Properties) { left = left + right }

        /// These properties joined with those of a parent. Path, query and fields come after the parent's; a body
        /// replaces that of the parent.
        public func inheriting(from parent: Properties) -> Properties {
            var result = parent + self
            result.body = body.isEmpty ? parent.body : body
            return result
        }

        func adding<Property: RequestProperty>(_ property: Property) -> Properties {
            var result = self
            result[keyPath: Property.slot] += property
            return result
        }

        func setting<Property: RequestProperty>(_ property: Property) -> Properties {
            var result = self
            result[keyPath: Property.slot] = property
            return result
        }
    }
}

extension Request.Properties {
    @_documentation(visibility: internal)
    @resultBuilder public enum Builder: ListBuilder {
        public static func buildBlock() -> Request.Properties { .empty }
    }
}
