// SPDX-License-Identifier: Apache-2.0

/// Brotli (RFC 7932) by libbrotlidec, whose interface has not changed since 1.0.
final class BrotliDecoder: ContentDecoder {
    struct Library: @unchecked Sendable {
        // Unchecked because of C function types; they are constants.
        typealias Create = @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> OpaquePointer?
        typealias Destroy = @convention(c) (OpaquePointer) -> Void
        typealias Decompress =
            @convention(c) (
                OpaquePointer, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
                UnsafeMutablePointer<Int>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
                UnsafeMutablePointer<Int>?
            ) -> Int32

        let create: Create
        let destroy: Destroy
        let decompress: Decompress
    }

    /// `nil` where it is not installed.
    static let library: Library? = {
        let names = ["libbrotlidec.so.1"]
        guard
            let create = librarySymbol("BrotliDecoderCreateInstance", in: names),
            let destroy = librarySymbol("BrotliDecoderDestroyInstance", in: names),
            let decompress = librarySymbol("BrotliDecoderDecompressStream", in: names)
        else { return nil }
        return Library(
            create: unsafeBitCast(create, to: Library.Create.self),
            destroy: unsafeBitCast(destroy, to: Library.Destroy.self),
            decompress: unsafeBitCast(decompress, to: Library.Decompress.self))
    }()

    private enum Result {
        static let success: Int32 = 1
        static let needsMoreInput: Int32 = 2
        static let needsMoreOutput: Int32 = 3
    }

    private let library: Library
    private let state: OpaquePointer
    private(set) var isComplete = false

    init() throws {
        guard let library = Self.library, let state = library.create(nil, nil, nil) else { throw DecodingFailure() }
        self.library = library
        self.state = state
    }

    deinit { library.destroy(state) }

    func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws
        -> (consumed: Int, produced: Int)
    {
        // Bytes after the end are no part of the body.
        if isComplete { return (input.count, 0) }
        var (available, room) = (input.count, output.count)
        var next: UnsafePointer<UInt8>? = input.bindMemory(to: UInt8.self).baseAddress
        var target: UnsafeMutablePointer<UInt8>? = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        switch library.decompress(state, &available, &next, &room, &target, nil) {
        case Result.success: isComplete = true
        case Result.needsMoreInput, Result.needsMoreOutput: break
        default: throw DecodingFailure()
        }
        return (input.count - available, output.count - room)
    }
}
