// SPDX-License-Identifier: Apache-2.0

/// For the message alone: what an endpoint in an extension calls when the type has no member of this name.
@available(
    *, unavailable,
    message:
        "an endpoint in an extension needs '@API' on the type itself; of an '@API' protocol extend the client, such as 'UsersAPIClient'"
)
@_documentation(visibility: internal)
public func apiCall(_ method: String, _ template: String) -> APICall { fatalError("unavailable") }
