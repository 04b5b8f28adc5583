// SPDX-License-Identifier: Apache-2.0

// What `Middleware.md` takes as given.
import Foundation
import Strata
import StrataAuthentication

var configuration = NetworkConfiguration(baseURL: nil, transport: PlatformTransport.shared)
let client = NetworkClient(configuration: configuration)
let tokenURL = URL(string: "https://auth.example/token")!
let (secret, saved) = ("s3cret", Credential(token: "a"))
let issuer = URL(string: "https://auth.example")!
let file = URL(filePath: "/tmp/login")
let store = CredentialStore(saved) { _ in saved }
@Sendable func record(_ metrics: CallMetrics) {}
