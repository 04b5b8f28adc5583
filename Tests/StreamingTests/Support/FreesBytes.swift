// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Whether nobody holds the bytes any more that `body` is given, when it has returned.
func freesBytes(_ body: (Data) -> Void) -> Bool {
    let isFreed = Box<Bool>()
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 100, alignment: 1)
    memory.initializeMemory(as: UInt8.self, repeating: 0x61, count: 100)
    body(
        Data(
            bytesNoCopy: memory, count: 100,
            deallocator: .custom({ pointer, _ in
                pointer.deallocate()
                isFreed.value = true
            })))
    return isFreed.value == true
}
