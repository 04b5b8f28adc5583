// SPDX-License-Identifier: Apache-2.0

import CStrataZlib
import Foundation

/// Decompresses a message by a window of exactly so many bits.
struct StrictInflater {
    let windowBits: Int

    /// - Returns: `nil` when it refers to what is not in the window.
    func inflate(_ compressed: Data) -> Data? {
        var stream = z_stream()
        guard strata_inflate_init(&stream, Int32(-windowBits)) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var input = Array(compressed + [0, 0, 0xff, 0xff])
        var output = [UInt8](repeating: 0, count: 1 << 20)
        let count = input.count
        let produced: Int? = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                guard CStrataZlib.inflate(&stream, Z_SYNC_FLUSH) == Z_OK, stream.avail_in == 0 else { return nil }
                return output.count - Int(stream.avail_out)
            }
        }
        return produced.map { Data(output.prefix($0)) }
    }
}
