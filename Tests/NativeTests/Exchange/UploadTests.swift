// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import StrataNative

struct UploadTests {
    private func bytes(_ text: String) -> Data { Data(text.utf8) }

    @Test func holdsTheLastByteUntilTheSourceEnds() {
        let upload = Upload(length: 5)
        #expect(upload.take(bytes("he"), now: 0) == bytes("he"))
        #expect(upload.heldUntil == .max)
        #expect(upload.take(bytes("llo"), now: 7) == bytes("ll"))
        #expect(upload.heldUntil == 1_000_000_007)
        #expect(upload.releaseLastByte() == bytes("o"))
        #expect(upload.heldUntil == .max)
        #expect(upload.releaseLastByte() == nil)
    }

    @Test func holdsNothingOfABodyInChunks() {
        let upload = Upload(length: nil)
        #expect(upload.take(bytes("hello"), now: 0) == bytes("hello"))
        #expect(upload.releaseLastByte() == nil)
    }

    @Test func tellsAProducerThatWaitsWhenNothingMoreIsWanted() async {
        let upload = Upload(length: nil)
        let goesOn = await withUnsafeContinuation { (producer: UnsafeContinuation<Bool, Never>) in
            upload.wait(producer)
            upload.close()?.resume(returning: false)
        }
        #expect(!goesOn)
        #expect(upload.isClosed)
        #expect(upload.takeProducer() == nil)
    }

    @Test func cancelsATaskThatComesTooLate() async {
        let upload = Upload(length: nil)
        _ = upload.close()
        let task = Task { while !Task.isCancelled { await Task.yield() } }
        upload.set(task)
        await task.value
    }
}
