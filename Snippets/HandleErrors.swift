// SPDX-License-Identifier: Apache-2.0

// What can go wrong, and where it says so: a refusal with a body of its own, a timeout, JSON of another shape.
//
//     swift run HandleErrors https://httpbin.org

import Strata

struct Problem: Decodable { var message: String }

let client = NetworkClient(
    baseURL: CommandLine.arguments.dropFirst().first ?? "https://httpbin.org", middleware: [RetryMiddleware()])

for status in [404, 503] {
    do {
        try await client.get("status/\(status)") { $0.timeouts.deadline = .seconds(10) }
    } catch let error as NetworkClientError where error.code == .unacceptableStatus {
        let problem = try? error.decode(Problem.self)
        print("refused:", problem?.message ?? "no message", "-", error.exchange?.noRetry?.description ?? "")
    } catch let error as NetworkClientError where error.isTransient {
        print("try later:", error)
    }
}
do {
    let problem: Problem = try await client.get("json")
    print(problem.message)
} catch let error as NetworkClientError {
    print(error)
}
