// SPDX-License-Identifier: Apache-2.0

package import StrataCore

/// What one line, or one measurement, is about.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum ObservationScope: Hashable, Sendable {
    /// A call, with all its redirects, attempts and refreshes: to be placed outside of them.
    case call
    /// Each exchange that reaches the layer: to be placed inside.
    case attempt

    package func placement(_ role: MiddlewarePlacement.Role) -> MiddlewarePlacement {
        guard self == .call else { return MiddlewarePlacement(role: role) }
        return MiddlewarePlacement(
            role: role,
            rules: [
                .outside(.redirects, because: "each hop would count as a call"),
                .outside(.cache, because: "calls answered from the cache would be missed"),
                .outside(.retry, because: "each attempt would count as a call"),
                .outside(.authentication, because: "each refresh would count as a call"),
            ])
    }
}
