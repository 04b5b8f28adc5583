// SPDX-License-Identifier: Apache-2.0

/// The operations of a connection that a script needs. They block.
protocol ScriptConnection {
    /// The next bytes, empty when the client has closed its side. Throws ``ConnectionLost`` when it is reset.
    func receive() throws(ConnectionLost) -> [UInt8]
    func send(_ bytes: [UInt8]) throws(ConnectionLost)
    /// Throws ``ConnectionLost`` when the server stops meanwhile. `nil` waits for that alone.
    func wait(_ duration: Duration?) throws(ConnectionLost)
    func closeOutput()
    /// - `beforeInputEnds`: whether the client may still send. Bytes that come after the close would reset the
    ///   connection, and the client would lose what it has not read yet.
    func close(beforeInputEnds: Bool)
    func reset()
}

extension ScriptConnection {
    func close() { close(beforeInputEnds: false) }
}

enum ConnectionLost: Error, Equatable {
    case resetByPeer
    case serverStopped
}
