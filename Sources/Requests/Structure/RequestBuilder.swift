// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// Builds a request below a parent: the method first, then properties.
///
///     @RequestBuilder<Users>
///     static func getUser(name: String) -> Request {
///         Request.HTTPMethod.get
///         QueryItems { ("name", name) }
///     }
@_documentation(visibility: internal)
@resultBuilder public enum RequestBuilder<Parent: APIComponent>: ListBuilder {
    /// A method, and the properties after it.
    public struct Draft {
        var method: Request.HTTPMethod
        var properties = Request.Properties.empty
    }

    public static func buildExpression(_ method: Request.HTTPMethod) -> Draft { Draft(method: method) }

    public static func buildBlock() -> Request.Properties { .empty }
    public static func buildPartialBlock(first: Draft) -> Draft { first }
    public static func buildPartialBlock(accumulated: Draft, next: Request.Properties) -> Draft {
        Draft(method: accumulated.method, properties: accumulated.properties + next)
    }

    public static func buildEither(first: Draft) -> Draft { first }
    public static func buildEither(second: Draft) -> Draft { second }
    public static func buildLimitedAvailability(_ draft: Draft) -> Draft { draft }

    public static func buildFinalResult(_ draft: Draft) -> Request {
        Request(draft.method, parent: Parent.self) { draft.properties }
    }

    @available(
        *, unavailable, message: "The first statement of a @RequestBuilder must be the method: Request.HTTPMethod.get"
    )
    public static func buildFinalResult(_ properties: Request.Properties) -> Request {
        Request(.get, parent: Parent.self) { properties }
    }

    @available(
        *, unavailable, message: "The first statement of a @RequestBuilder must be the method, and there is only one"
    )
    public static func buildPartialBlock(accumulated: Draft, next: Draft) -> Draft { accumulated }

    @available(*, unavailable, message: "The first statement of a @RequestBuilder must be the method")
    public static func buildPartialBlock(accumulated: Request.Properties, next: Draft) -> Draft { next }
}
