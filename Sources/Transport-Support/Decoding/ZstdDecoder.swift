// SPDX-License-Identifier: Apache-2.0

/// Zstandard (RFC 8878) by libzstd, whose streaming interface is stable.
final class ZstdDecoder: ContentDecoder {
    struct Library: @unchecked Sendable {
        // Unchecked because of C function types; they are constants.
        struct Input {
            var source: UnsafeRawPointer?
            var size: Int
            var position: Int
        }
        struct Output {
            var target: UnsafeMutableRawPointer?
            var size: Int
            var position: Int
        }
        typealias Create = @convention(c) () -> OpaquePointer?
        typealias Destroy = @convention(c) (OpaquePointer) -> Int
        typealias SetParameter = @convention(c) (OpaquePointer, Int32, Int32) -> Int
        typealias Decompress = @convention(c) (OpaquePointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int
        typealias IsError = @convention(c) (Int) -> UInt32

        let create: Create
        let destroy: Destroy
        let setParameter: SetParameter
        let decompress: Decompress
        let isError: IsError
    }

    /// `nil` where it is not installed.
    static let library: Library? = {
        let names = ["libzstd.so.1"]
        guard
            let create = librarySymbol("ZSTD_createDStream", in: names),
            let destroy = librarySymbol("ZSTD_freeDStream", in: names),
            let setParameter = librarySymbol("ZSTD_DCtx_setParameter", in: names),
            let decompress = librarySymbol("ZSTD_decompressStream", in: names),
            let isError = librarySymbol("ZSTD_isError", in: names)
        else { return nil }
        return Library(
            create: unsafeBitCast(create, to: Library.Create.self),
            destroy: unsafeBitCast(destroy, to: Library.Destroy.self),
            setParameter: unsafeBitCast(setParameter, to: Library.SetParameter.self),
            decompress: unsafeBitCast(decompress, to: Library.Decompress.self),
            isError: unsafeBitCast(isError, to: Library.IsError.self))
    }()

    private let library: Library
    private let state: OpaquePointer
    private(set) var isComplete = false

    private static let windowLogMax: Int32 = 100
    /// RFC 9659: 8 MiB, so that a response cannot ask for more memory.
    private static let largestWindow: Int32 = 23

    init() throws {
        guard let library = Self.library, let state = library.create() else { throw DecodingFailure() }
        self.library = library
        self.state = state
        _ = library.setParameter(state, Self.windowLogMax, Self.largestWindow)
    }

    deinit { _ = library.destroy(state) }

    func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws
        -> (consumed: Int, produced: Int)
    {
        var source = Library.Input(source: input.baseAddress, size: input.count, position: 0)
        var target = Library.Output(target: output.baseAddress, size: output.count, position: 0)
        let hint = library.decompress(state, &target, &source)
        guard library.isError(hint) == 0 else { throw DecodingFailure() }
        // A frame is whole; another may follow.
        isComplete = hint == 0
        return (source.position, target.position)
    }
}
