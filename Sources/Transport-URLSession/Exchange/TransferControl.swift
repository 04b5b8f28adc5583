// SPDX-License-Identifier: Apache-2.0

/// What an exchange tells its transfer.
protocol TransferControl: AnyObject, Sendable {
    /// Stops the transfer. May be called from any thread, also twice; returns at once.
    func cancel()
    /// Holds the transfer back or lets it go on, as `flow` says when its turn comes: one call of it at a time.
    func applyFlow(_ flow: @escaping @Sendable () -> ReceivedBody.Flow)
}
