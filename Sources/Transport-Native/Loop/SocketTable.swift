// SPDX-License-Identifier: Apache-2.0

/// One who has a socket in the queue of a loop. All is called under the loop's lock.
protocol SocketOwner: AnyObject {
    func socketIsReady(_ happened: Happened, _ engine: Engine)
}

/// Who has which socket. A token is never given out twice, so that what a wait has brought for a socket that is closed by now
/// reaches nobody.
struct SocketTable {
    private struct Entry {
        var owner: (any SocketOwner)?
        var generation: UInt32 = 0
    }

    private var entries: [Entry] = []
    private var free: [Int] = []
    private(set) var count = 0

    mutating func insert(_ owner: any SocketOwner) -> UInt64 {
        count += 1
        let index: Int
        if let last = free.popLast() {
            index = last
        } else {
            index = entries.count
            entries.append(Entry())
        }
        entries[index].owner = owner
        return UInt64(entries[index].generation) << 32 | UInt64(index)
    }

    mutating func remove(_ token: UInt64) {
        guard let index = index(of: token) else { return }
        count -= 1
        entries[index].owner = nil
        entries[index].generation &+= 1
        free.append(index)
    }

    /// Another owner for the same socket.
    mutating func handOver(_ token: UInt64, to owner: any SocketOwner) {
        if let index = index(of: token) { entries[index].owner = owner }
    }

    subscript(token: UInt64) -> (any SocketOwner)? { index(of: token).flatMap { entries[$0].owner } }

    private func index(of token: UInt64) -> Int? {
        let index = Int(token & 0xffff_ffff)
        guard index < entries.count, entries[index].generation == UInt32(truncatingIfNeeded: token >> 32) else {
            return nil
        }
        return index
    }
}
