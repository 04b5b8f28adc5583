// SPDX-License-Identifier: Apache-2.0

// What a configuration is made of: TLS, proxies, addresses. Whoever imports this module can name it.
@_exported public import StrataTransportSupport
