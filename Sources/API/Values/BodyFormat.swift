// SPDX-License-Identifier: Apache-2.0

/// How the body of a call is written.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
@_documentation(visibility: internal)
public enum BodyFormat: Hashable, Sendable {
    case json, form, multipart
}
