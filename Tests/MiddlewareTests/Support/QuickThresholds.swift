// SPDX-License-Identifier: Apache-2.0

import StrataMiddleware

extension CircuitBreakerMiddleware.Thresholds {
    /// Opens after three failures within twenty seconds, when half of the calls have failed, for ten.
    static var quick: Self {
        var thresholds = Self()
        thresholds.failures = 3
        thresholds.window = .seconds(20)
        thresholds.pause = .seconds(10)
        return thresholds
    }
}
