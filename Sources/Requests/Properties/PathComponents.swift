// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding

/// Segments that are added to the path of a request's URL.
///
///     PathComponents {
///         "users"
///         userID
///     }
///
/// Each is one segment, encoded once: a `/` in it becomes `%2F`; a list is one for each element. Values are sent as in
/// ``QueryItems``. What would name another resource is an error when the request is sent: `.` and `..`, and a value that is `nil` or
/// empty, without which the parent would be named; to leave one out use `if let`. An object, which is no segment, is an error
/// too.
public struct PathComponents: RequestProperty {
    public let value: [String]
    /// The first of those that values had; thrown when the request is sent.
    let failure: ValueFailure?

    /// Those that are not empty.
    public init(value: [String]) { self.init(value: value, failure: nil) }

    init(value: [String], failure: ValueFailure?) {
        self.value = value.filter { !$0.isEmpty }
        self.failure = failure
    }

    public init(@Builder _ components: () -> PathComponents) {
        self = components()
    }

    public func append(to property: PathComponents) -> PathComponents {
        PathComponents(value: value + property.value, failure: failure ?? property.failure)
    }

    @_documentation(visibility: internal)
    public static var slot: WritableKeyPath<Request.Properties, PathComponents> { \.pathComponents }
}

extension PathComponents {
    @_documentation(visibility: internal)
    @resultBuilder public enum Builder: ListBuilder {
        public static func buildExpression(_ components: PathComponents?) -> PathComponents {
            components ?? buildBlock()
        }
        @_disfavoredOverload
        public static func buildExpression(_ component: (any CustomStringConvertible)?) -> PathComponents {
            self.components(component)
        }
        @_disfavoredOverload
        public static func buildExpression<Component: RawRepresentable>(
            _ component: Component?
        ) -> PathComponents where Component.RawValue: Encodable {
            self.components(component)
        }
        /// For lists of several types.
        public static func buildExpression(_ components: [any CustomStringConvertible]?) -> PathComponents {
            self.components(components)
        }

        private static func components<Declared>(_ value: Declared) -> PathComponents {
            do {
                let texts =
                    isNil(value)
                    ? [] : try QueryEncoder().texts(of: MixedValue(declared: value).encodable, named: "path")
                if texts.contains("") || texts.isEmpty && !(value is any Sequence) {
                    throw NetworkClientError(.malformedURL, "a path component is nil or empty")
                }
                return PathComponents(value: texts, failure: nil)
            } catch let error as NetworkClientError where error.code == .malformedURL {
                return PathComponents(value: [], failure: ValueFailure(error))
            } catch {
                return PathComponents(value: [], failure: ValueFailure("path component", error))
            }
        }

        public static func buildBlock() -> PathComponents { PathComponents(value: []) }
        public static func buildArray(_ parts: [PathComponents]) -> PathComponents {
            PathComponents(value: parts.flatMap(\.value), failure: parts.firstNonNil(\.failure))
        }
    }
}
