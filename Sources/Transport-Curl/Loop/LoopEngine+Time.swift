// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

/// The moments at which something is due though nothing comes.
extension LoopEngine {
    func watch(_ transfer: Transfer, notBefore earliest: UInt64 = 0) {
        if let time = transfer.nextCheck(now: now) { deadlines.note(transfer.slot, at: max(time, earliest)) }
    }

    func failOverdue() {
        while let slot = deadlines.popDue(at: now) {
            guard let transfer = slots.busy(at: slot) else { continue }
            if transfer.releasesLastByte(now: now) { resumeSending(transfer) }
            if transfer.sending.checksPause(now: now) {
                if transfer.isAbandoned {
                    if sendsAgain(transfer) { continue }
                    let error = NetworkClientError(
                        .connectionLost, "the connection ended before the response was complete")
                    complete(transfer, transfer.isAnsweredInFull ? nil : error)
                    continue
                }
                // Which is no activity.
                let lastActivity = transfer.isSilenceOurs ? now : transfer.lastActivity
                resumeSending(transfer)
                transfer.lastActivity = lastActivity
            }
            if transfer.isLeftWithItsAnswer(now: now) {
                complete(transfer, nil)
            } else if let error = transfer.overdue(now: now) {
                // An answer in full is one, though the request's body was still on its way.
                complete(transfer, transfer.isAnsweredInFull ? nil : error)
            } else {
                // However short a limit is, it is looked at once a millisecond at most.
                watch(transfer, notBefore: now.saturatingAdd(1_000_000))
            }
        }
    }

    func armTimer() {
        let next = min(schedule.timer, deadlines.first ?? .max, timers.idleCheck)
        if timers.arm(at: next) { events.arm(at: next) }
    }
}
