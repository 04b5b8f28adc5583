// SPDX-License-Identifier: Apache-2.0

// A resource is made, read, changed and deleted.
//
//     swift run CreateReadUpdateDelete https://jsonplaceholder.typicode.com

import Strata

struct Post: Codable { var id: Int?; var title: String }

let client = NetworkClient(baseURL: CommandLine.arguments.dropFirst().first ?? "https://jsonplaceholder.typicode.com")

let made: Post = try await client.post("posts", body: Post(title: "Hello"))
print("made", made.id ?? 0)
let posts: [Post] = try await client.get("posts", query: ["_page": 1, "_limit": 5])
print("read", posts.count)
let id = posts.first?.id
let changed: Post = try await client.patch("posts/\(id)", body: ["title": "Good morning"])
print("changed", changed.title)
try await client.delete("posts/\(id)")
let head = try await client.head("posts", returning: NetworkResponse<VoidResponse>.self)
print("head", head.status, head.headerFields[.contentType] ?? "no type")
