// SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// `/quote`: one and the same.
enum QuoteRoutes {
    static var routes: [Route] {
        [Route("/quote") { _ in .json(["text": "Simplicity is prerequisite for reliability."]) }]
    }
}
