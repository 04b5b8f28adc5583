// SPDX-License-Identifier: Apache-2.0

// One import for requests, what they are sent through, and what comes back in each of the forms of `send`.

@_exported public import HTTPTypes
@_exported public import StrataCore
@_exported public import StrataEncoding
@_exported public import StrataPublishers
@_exported public import StrataStreaming

// `URLSession` stands in the surface of this module. On Linux it has a module of its own, which callers then need not name.
#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
