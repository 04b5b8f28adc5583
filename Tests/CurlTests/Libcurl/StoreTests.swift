// SPDX-License-Identifier: Apache-2.0

import CStrataSupport
import Foundation
import StrataTesting
import TestSupport
import Testing

/// The memory that libcurl is given. A test uses its store in one go, since that is a matter of the thread.
struct StoreTests {
    /// The address sanitizer's build has none.
    private static let hasStores: Bool = {
        let store = strata_store_make()
        defer { strata_store_free(store) }
        return store != nil
    }()

    private func withStore(_ body: () throws -> Void) rethrows {
        let store = strata_store_make()
        strata_store_use(store)
        defer {
            strata_store_use(nil)
            strata_store_free(store)
        }
        try body()
    }

    @Test(
        .enabled(if: hasStores, "AddressSanitizer has memory of its own"),
        arguments: [(40, 14), (1, 0), (1000, 15)])
    func whatWasFreedIsTheNextOfItsSize(size: Int, less: Int) {
        withStore {
            let first = strata_malloc(size)
            // malloc may give more than it was asked for.
            let next = Self.usableSize(first) - less
            strata_free(first)
            let second = strata_malloc(next)
            #expect(second == first)
            let third = strata_malloc(next)
            #expect(third != second)
            strata_free(second)
            strata_free(third)
        }
    }

    /// malloc's own function, which no module of Swift's has.
    private static let usableSize: @convention(c) (UnsafeMutableRawPointer?) -> Int = {
        #if canImport(Darwin)
        let name = "malloc_size"
        #else
        let name = "malloc_usable_size"
        #endif
        return unsafeBitCast(
            dlsym(dlopen(nil, RTLD_NOW), name), to: (@convention(c) (UnsafeMutableRawPointer?) -> Int).self)
    }()

    @Test(
        .enabled(if: hasStores, "AddressSanitizer has memory of its own"),
        arguments: [(65_537, 65_537), (100_000, 60_000)])
    func aBufferThatWasFreedIsTheNext(freed: Int, next: Int) {
        withStore {
            let first = strata_malloc(freed)
            strata_free(first)
            let second = strata_malloc(next)
            #expect(second == first)
            strata_free(second)
        }
    }

    @Test(.enabled(if: hasStores, "AddressSanitizer has memory of its own")) func whatIsTooSmallDoesNotLieOnABuffer() {
        withStore {
            let small = (0..<16).map { _ in strata_calloc(1, 5000) }
            for block in small { strata_free(block) }
            let first = strata_malloc(65_537)
            strata_free(first)
            let other = malloc(65_537)
            let second = strata_malloc(65_537)
            #expect(second == first)
            strata_free(second)
            free(other)
        }
    }

    @Test(.enabled(if: hasStores, "AddressSanitizer has memory of its own"))
    func aBlockThatIsKeptStaysAsItIsWhenItIsFreed() throws {
        let store = try #require(strata_store_make())
        strata_store_use(store)
        defer {
            strata_store_use(nil)
            strata_store_free(store)
        }
        let block = try #require(strata_calloc(1, 100))
        #expect(strata_store_latest(store) == block)
        memset(block, 7, 100)
        let kept = UnsafeMutablePointer<strata_kept>.allocate(capacity: 1)
        kept.initialize(to: strata_kept())
        defer { kept.deallocate() }
        strata_store_keep(store, kept, block)
        strata_free(block)
        let other = strata_malloc(100)
        #expect(other != block)
        let copy = try #require(strata_realloc(block, 200))
        #expect(copy != block)
        for memory in [block, copy] {
            #expect(UnsafeRawBufferPointer(start: memory, count: 100).allSatisfy { $0 == 7 })
        }
        strata_store_give_up(store, kept)
        let next = strata_malloc(100)
        #expect(next == block)
        // One that was not freed stays its owner's.
        strata_store_keep(store, kept, copy)
        strata_store_give_up(store, kept)
        strata_store_give_up(store, kept)
        for memory in [other, next, copy] { strata_free(memory) }
    }

    @Test func clearedMemoryIsClearThoughItWasInUse() throws {
        try withStore {
            let used = try #require(strata_malloc(96))
            memset(used, 0xff, 96)
            strata_free(used)
            let cleared = try #require(strata_calloc(12, 8))
            #expect(UnsafeRawBufferPointer(start: cleared, count: 96).allSatisfy { $0 == 0 })
            strata_free(cleared)
        }
    }

    @Test func moreThanThereIsCannotBeCleared() {
        withStore { #expect(strata_calloc(.max, 8) == nil) }
    }

    /// Blocks live through stores and outlast them; whoever frees one need not know where it came from.
    @Test(arguments: 0..<8) func blocksKeepWhatIsInThem(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var blocks: [(memory: UnsafeMutableRawPointer, count: Int, mark: UInt8)] = []
        func check(_ block: (memory: UnsafeMutableRawPointer, count: Int, mark: UInt8)) {
            let bytes = UnsafeRawBufferPointer(start: block.memory, count: block.count)
            #expect(bytes.allSatisfy { $0 == block.mark }, "\(block.count) bytes")
        }
        func work(_ steps: Int) throws {
            for _ in 0..<steps {
                let largest = [16, 64, 300, 2100, 200_000].randomElement(using: &generator) ?? 16
                let size = Int.random(in: 1...largest, using: &generator)
                let mark = UInt8.random(in: 1...255, using: &generator)
                switch Int.random(in: 0..<6, using: &generator) {
                case 0, 1:
                    let memory = try #require(strata_malloc(size))
                    memset(memory, Int32(mark), size)
                    blocks.append((memory, size, mark))
                case 2:
                    let text = [CChar](repeating: CChar(bitPattern: mark), count: size) + [0]
                    let memory = UnsafeMutableRawPointer(try #require(strata_strdup(text)))
                    blocks.append((memory, size, mark))
                case 3 where !blocks.isEmpty:
                    let index = Int.random(in: blocks.indices, using: &generator)
                    let block = blocks[index]
                    let memory = try #require(strata_realloc(block.memory, size))
                    check((memory, min(block.count, size), block.mark))
                    memset(memory, Int32(mark), size)
                    blocks[index] = (memory, size, mark)
                default:
                    guard let block = blocks.popLast() else { continue }
                    check(block)
                    if mark < 32 { free(block.memory) } else { strata_free(block.memory) }
                    blocks.shuffle(using: &generator)
                }
            }
        }
        for _ in 0..<3 {
            try withStore { try work(400) }
            try work(100)
        }
        for block in blocks {
            check(block)
            strata_free(block.memory)
        }
    }
}
