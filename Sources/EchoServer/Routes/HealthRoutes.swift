// SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// `/healthz`.
enum HealthRoutes {
    static var routes: [Route] {
        [
            Route(EchoSettings.healthPath) { _ in .json(["status": "ok"]) }
        ]
    }
}
