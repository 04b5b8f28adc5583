// SPDX-License-Identifier: Apache-2.0

/// Segments that are added to the path of a request's URL.
///
///     PathComponents {
///         "users"
///         userID
///     }
///
/// Each is one segment, encoded once: a `/` in it becomes `%2F`; a list is one for each element. Empty ones are left out.
/// `.` and `..`, which would name another resource, are an error when the request is sent. A `Date` is sent in ISO 8601,
/// `Data` in base64, an enumeration as its description, else as its raw value, anything else as its description.
public struct PathComponents: RequestProperty {
    public let value: [String]

    public init(value: [String]) {
        self.value = value.filter { !$0.isEmpty }
    }

    public init(@Builder _ components: () -> PathComponents) {
        self = components()
    }

    public func append(to property: PathComponents) -> PathComponents { PathComponents(value: value + property.value) }

    public static var slot: WritableKeyPath<Request.Properties, PathComponents> { \.pathComponents }
}

extension PathComponents {
    @resultBuilder public enum Builder: ListBuilder {
        public static func buildExpression(_ components: PathComponents?) -> PathComponents {
            components ?? buildBlock()
        }
        @_disfavoredOverload
        public static func buildExpression(_ component: (any CustomStringConvertible)?) -> PathComponents {
            PathComponents(value: component.map(URLValue.texts) ?? [])
        }
        @_disfavoredOverload
        public static func buildExpression<Component: RawRepresentable>(
            _ component: Component?
        ) -> PathComponents where Component.RawValue: CustomStringConvertible {
            buildExpression(component as? any CustomStringConvertible ?? component?.rawValue)
        }
        /// For lists of several types.
        public static func buildExpression(_ components: [any CustomStringConvertible]?) -> PathComponents {
            PathComponents(value: components.map(URLValue.texts) ?? [])
        }

        public static func buildBlock() -> PathComponents { PathComponents(value: []) }
        public static func buildArray(_ parts: [PathComponents]) -> PathComponents {
            PathComponents(value: parts.flatMap(\.value))
        }
    }
}
