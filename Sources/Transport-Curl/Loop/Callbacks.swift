// SPDX-License-Identifier: Apache-2.0

import CStrataCurl

// What libcurl calls. Each call happens inside a call into libcurl, so the loop's lock is held.

/// A handle's callbacks are given its transfer, which lives as long as the handle.
private func withTransfer<Result>(
    _ context: UnsafeMutableRawPointer?, else fallback: Result, _ body: (LoopEngine, Transfer) -> Result
) -> Result {
    guard let context else { return fallback }
    return Unmanaged<Transfer>.fromOpaque(context)._withUnsafeGuaranteedRef { transfer in
        guard transfer.exchange != nil else { return fallback }
        return transfer.engine._withUnsafeGuaranteedRef { body($0, transfer) }
    }
}

let receiveHead: strata_data_callback = { data, size, count, context in
    let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
    return withTransfer(context, else: 0) { $0.receivedHead(bytes, $1) ? bytes.count : 0 }
}

let receiveBody: strata_data_callback = { data, size, count, context in
    let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
    return withTransfer(context, else: 0) { $0.receivedBody(bytes, $1) ? bytes.count : 0 }
}

let sendBody: strata_data_callback = { data, size, count, context in
    let target = UnsafeMutableRawBufferPointer(start: data, count: size * count)
    return withTransfer(context, else: strata_read_abort) { engine, transfer in
        switch engine.read(into: target, transfer) {
        case .bytes(let count): count
        case .end: 0
        case .starving: strata_read_pause
        case .failed: strata_read_abort
        }
    }
}

let rewindBody: strata_seek_callback = { context, offset, origin in
    withTransfer(context, else: CURL_SEEKFUNC_FAIL) { _, transfer in
        offset == 0 && transfer.rewindAgain() ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
    }
}

let beforeRequest: strata_prereq_callback = { context, _, _, _, localPort in
    // 0 goes on, 1 ends the transfer (CURL_PREREQFUNC_OK and _ABORT, which older headers do not have).
    withTransfer(context, else: 1) { engine, transfer in
        engine.isAboutToSend(transfer, localPort: UInt16(clamping: localPort)) ? 0 : 1
    }
}

private func withEngine(_ context: UnsafeMutableRawPointer?, _ body: (LoopEngine) -> Void) {
    guard let context else { return }
    Unmanaged<LoopEngine>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
}

let onSocketChange: strata_socket_callback = { easy, socket, what, context, _ in
    withTransfer(strata_get_private(easy), else: ()) { $0.socketSpokenOf(socket, for: $1) }
    withEngine(context) { $0.socketChanged(socket, what) }
    return 0
}

let onLog: curl_debug_callback = { _, kind, text, size, context in
    if kind == CURLINFO_TEXT {
        withTransfer(context, else: ()) { $1.noteLog(UnsafeRawBufferPointer(start: text, count: size)) }
    }
    return 0
}

let onProgress: strata_progress_callback = { context, _, _, _, _ in
    withTransfer(context, else: ()) { $0.progressed($1) }
    return 0
}

let beforeLookup: curl_resolver_start_callback = { _, _, context in
    // Other than 0 fails the transfer.
    withTransfer(context, else: 1) { $0.mayLookUp($1) ? 0 : 1 }
}

let onTimerChange: strata_timer_callback = { _, milliseconds, context in
    withEngine(context) { $0.timerChanged(milliseconds) }
    return 0
}

let onSocketOpened: strata_open_callback = { context, socket, _ in
    withTransfer(context, else: Int32(CURL_SOCKOPT_ERROR)) { engine, transfer in
        engine.socketOpened(socket, for: transfer)
        return Int32(CURL_SOCKOPT_OK)
    }
}

// Connections outlive the handles that opened them, so this is given the engine.
let closeConnection: strata_close_callback = { context, socket in
    withEngine(context) { $0.socketClosed(socket) }
    return closeSocket(socket)
}
