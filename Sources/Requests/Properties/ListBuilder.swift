// SPDX-License-Identifier: Apache-2.0

/// What the result builders of requests have in common: they take parts one after the other, with `if`, `switch`, `for`
/// and `#available`.
///
/// A builder that conforms says what nothing is, how two parts become one, and which expressions stand for a part.
@_documentation(visibility: internal)
public protocol ListBuilder {
    associatedtype Part

    /// Nothing.
    static func buildBlock() -> Part

    /// Both as one, the first one first.
    static func buildPartialBlock(accumulated: Part, next: Part) -> Part
}

extension ListBuilder where Part: RequestProperty {
    public static func buildPartialBlock(accumulated: Part, next: Part) -> Part { accumulated + next }
}

extension ListBuilder where Part == Request.Properties {
    public static func buildExpression<Property: RequestProperty>(_ property: Property) -> Part {
        .empty.adding(property)
    }
    public static func buildExpression<Property: RequestProperty>(_ property: Property?) -> Part {
        property.map { .empty.adding($0) } ?? .empty
    }
    public static func buildExpression(_ properties: Part) -> Part { properties }

    public static func buildPartialBlock(accumulated: Part, next: Part) -> Part { accumulated + next }
    public static func buildArray(_ parts: [Part]) -> Part {
        Part(
            headers: Headers.Builder.buildArray(parts.map(\.headers)),
            queryItems: QueryItems.Builder.buildArray(parts.map(\.queryItems)),
            pathComponents: PathComponents.Builder.buildArray(parts.map(\.pathComponents)),
            body: Body.Builder.buildArray(parts.map(\.body)))
    }
}

extension ListBuilder {
    public static func buildPartialBlock(first: Part) -> Part { first }
    public static func buildOptional(_ part: Part?) -> Part { part ?? buildBlock() }
    public static func buildEither(first: Part) -> Part { first }
    public static func buildEither(second: Part) -> Part { second }
    public static func buildArray(_ parts: [Part]) -> Part {
        parts.reduce(buildBlock()) { buildPartialBlock(accumulated: $0, next: $1) }
    }
    public static func buildLimitedAvailability(_ part: Part) -> Part { part }
}
