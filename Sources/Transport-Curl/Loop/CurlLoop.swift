// SPDX-License-Identifier: Apache-2.0

/// The owner's end of a loop: when the transport and every body from it are gone, the loop's thread ends.
final class CurlLoop: Sendable {
    let core: LoopCore

    init(_ options: HandleOptions) {
        core = LoopCore(options)
    }

    deinit { core.requestStop() }

    /// Leaves a command for the loop, or carries it out here and now when the loop has little to do.
    func submit(_ command: Command) { core.submit(command, mayRunHere: true) }

    /// Leaves a command for the loop. For places that must not do more than that, such as cancellation handlers.
    func post(_ command: Command) { core.submit(command, mayRunHere: false) }
}
