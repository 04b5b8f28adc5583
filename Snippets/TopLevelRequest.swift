// SPDX-License-Identifier: Apache-2.0

// A request at the top level of a program, where the asynchronous form has to be chosen over the publisher.
//
//     swift run TopLevelRequest https://example.com

import Foundation
import StrataRequests

let address = CommandLine.arguments.dropFirst().first ?? "https://example.com"
let request = Request(.get, url: URL(string: address)!)
let response = try await request.send()
print(response.urlResponse.statusCode, response.data.count)
