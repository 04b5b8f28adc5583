// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import Testing

/// A real httpbin to compare with.
enum HTTPBin {
    /// An empty variable counts as none.
    static let url = ProcessInfo.processInfo.environment[EchoSettings.TestEnvironment.httpbinURL].flatMap {
        $0.isEmpty ? nil : $0
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the test where there is no httpbin.
    static var httpbin: Self {
        .enabled(if: HTTPBin.url != nil, "\(EchoSettings.TestEnvironment.httpbinURL) names no httpbin")
    }
}
