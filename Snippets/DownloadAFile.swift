// SPDX-License-Identifier: Apache-2.0

// A download with progress, which goes on where it broke off: by itself, and when the program is run again.
//
//     swift run DownloadAFile https://download.swift.org/swift-6.2-release/ubuntu2404/swift-6.2-RELEASE/swift-6.2-RELEASE-ubuntu24.04.tar.gz

import Foundation
import Strata

let address = CommandLine.arguments.dropFirst().first ?? "https://www.swift.org/favicon.ico"
let target = URL.currentDirectory().appending(path: address.split(separator: "/").last.map(String.init) ?? "download")

let updates = ProgressUpdates()
let watching = Task {
    for await progress in updates {
        print(progress.fraction.map { "\(Int($0 * 100)) %" } ?? "\(progress.completed) bytes")
    }
}
let request = NetworkRequest<VoidRequest, VoidResponse>(path: RequestPath(raw: address), method: .get)
let file = try await NetworkClient().download(
    request, to: target, options: .resuming(attempts: 5), progress: updates)
await watching.value
print(file)
