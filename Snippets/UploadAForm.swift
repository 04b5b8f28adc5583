// SPDX-License-Identifier: Apache-2.0

// A form with a file, which is read from the disk while it is sent.
//
//     swift run UploadAForm photo.jpg https://httpbin.org

import Foundation
import Strata

struct Reply: Decodable { var files: [String: String]; var form: [String: String] }

let arguments = CommandLine.arguments.dropFirst()
let file = URL(filePath: arguments.first ?? "README.md")
let client = NetworkClient(baseURL: arguments.dropFirst().first ?? "https://httpbin.org")

let form = MultipartForm([.text("A photo", name: "title"), try .file(file, name: "file")])
let reply: Reply = try await client.post("post", body: form)
print(reply.form, reply.files.keys)
