// SPDX-License-Identifier: Apache-2.0

// One import for the client, its formats, streams, middleware and the platform's transport. The modules that describe an API
// (`StrataAPI`, `StrataRequests`, `StrataRest`) are imported by name: they have types of the same names. So is
// `StrataAuthentication`: it builds swift-crypto, which takes longer than all of these.

@_exported public import StrataCore
@_exported public import StrataEncoding
@_exported public import StrataMiddleware
@_exported public import StrataPlatform
@_exported public import StrataStreaming

#if canImport(Darwin)
@_exported public import StrataURLSession
#else
@_exported public import StrataNative
#endif
