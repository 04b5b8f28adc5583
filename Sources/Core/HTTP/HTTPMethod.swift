// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A method of HTTP: `.get`, `.post` …, or any token by `HTTPMethod("PURGE")`, which is `nil` for what is none.
public typealias HTTPMethod = HTTPRequest.Method
