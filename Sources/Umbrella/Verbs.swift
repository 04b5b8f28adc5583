// SPDX-License-Identifier: Apache-2.0

import StrataCore
public import StrataEncoding

// For scripts: what needs no client of its own. They speak JSON over the platform's shared transport, and follow redirects.
//
//     let repository: Repository = try await get("https://api.github.com/repos/\(owner)/\(name)")

private let shared = NetworkClient()

public let get = HTTPVerb(.get, of: shared)
public let post = HTTPVerb(.post, of: shared)
public let put = HTTPVerb(.put, of: shared)
public let patch = HTTPVerb(.patch, of: shared)
public let delete = HTTPVerb(.delete, of: shared)
public let head = HTTPVerb(.head, of: shared)
public let options = HTTPVerb(.options, of: shared)
