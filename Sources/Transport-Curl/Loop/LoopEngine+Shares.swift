// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// What one server gets of the loop, so that the others get theirs.
extension LoopEngine {
    /// The transfer goes on in the next batch. libcurl gathers meanwhile what it has read.
    func putOff(_ transfer: Transfer) {
        transfer.receiving.share.isYielding = true
        batch.yielding.append(transfer.slot)
    }

    /// Those that had their share of the last batch go on.
    func resumeYielding() {
        if batch.yielding.isEmpty { return }
        for slot in batch.takeYielding() {
            guard let transfer = slots.busy(at: slot), transfer.receiving.share.isYielding else { continue }
            transfer.receiving.share.isYielding = false
            resume(transfer)
        }
    }

    /// Notes the exchanges whose connection was ended.
    func noteFloods() {
        for socket in watch.takeEnded() {
            sockets.wasEnded(socket)
            for transfer in slots.allBusy
            where transfer.connection.isUnderWay && transfer.connection.socket == socket && transfer.failure == nil {
                transfer.failure = NetworkClientError(
                    .protocolViolation, "the server floods the connection with what carries nothing (RFC 9113 §10.5)")
                batch.flooded.append(transfer.slot)
            }
        }
    }

    func failFlooded() {
        noteFloods()
        if batch.flooded.isEmpty { return }
        for slot in batch.flooded {
            if let transfer = slots.busy(at: slot), let failure = transfer.failure { complete(transfer, failure) }
        }
        batch.flooded.removeAll()
    }
}
