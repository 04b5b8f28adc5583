// SPDX-License-Identifier: Apache-2.0

/// Which addresses of a host connections are made to.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum AddressFamily: Sendable {
    case any, ipv4, ipv6
}
