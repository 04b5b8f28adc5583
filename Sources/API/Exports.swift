// SPDX-License-Identifier: Apache-2.0

@_exported public import HTTPTypes
@_exported public import StrataCore
@_exported public import StrataEncoding
@_exported public import StrataStreaming

/// Header fields, as a `@HEAD` endpoint returns them: in order, names compared without case.
public typealias HTTPHeaders = HTTPFields
