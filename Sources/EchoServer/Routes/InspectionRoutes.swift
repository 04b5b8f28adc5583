// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `/headers`, `/ip`, `/user-agent`, `/uuid`.
enum InspectionRoutes {
    static var routes: [Route] {
        [
            Route("/headers") { .json(.object(try await HTTPBinRecord.make([.headers], of: $0))) },
            Route("/ip") { .json(["origin": .string($0.origin)]) },
            Route("/user-agent") { .json(["user-agent": $0.fields[.userAgent].map { .string($0) } ?? .null]) },
            Route("/uuid") { _ in .json(["uuid": .string(UUID().uuidString.lowercased())]) },
        ]
    }
}
