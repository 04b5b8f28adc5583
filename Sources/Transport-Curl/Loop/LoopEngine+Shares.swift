// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// What one server gets of the loop, so that the others get theirs.
extension LoopEngine {
    /// The transfer goes on in the next batch. libcurl gathers meanwhile what it has read.
    func putOff(_ transfer: Transfer) {
        transfer.share.isYielding = true
        yielding.append(transfer.slot)
    }

    /// Those that had their share of the last batch go on.
    func resumeYielding() {
        if yielding.isEmpty { return }
        let slots = yielding
        yielding.removeAll(keepingCapacity: true)
        for slot in slots {
            guard let transfer = self.slots.busy(at: slot), transfer.share.isYielding else { continue }
            transfer.share.isYielding = false
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
                flooded.append(transfer.slot)
            }
        }
    }

    func failFlooded() {
        noteFloods()
        if flooded.isEmpty { return }
        for slot in flooded {
            if let transfer = slots.busy(at: slot), let failure = transfer.failure { complete(transfer, failure) }
        }
        flooded.removeAll()
    }
}
