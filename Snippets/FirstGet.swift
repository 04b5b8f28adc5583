// SPDX-License-Identifier: Apache-2.0

// The first call: a script without a client of its own.
//
//     swift run FirstGet swiftlang swift

import Strata

struct Repository: Decodable { var full_name: String; var stargazers_count: Int }

let arguments = CommandLine.arguments.dropFirst()
let owner = arguments.first ?? "swiftlang"
let name = arguments.dropFirst().first ?? "swift"

let repository: Repository = try await get("https://api.github.com/repos/\(owner)/\(name)")
print(repository.full_name, repository.stargazers_count)
