// SPDX-License-Identifier: Apache-2.0

/// Functions of OpenSSL that read what has come on a connection that libcurl reads no more.
struct TLSDecryption: Sendable {
    private typealias Pointer = UnsafeMutableRawPointer

    private let read: @convention(c) (Pointer?, Pointer?, Int32) -> Int32
    private let setStreams: @convention(c) (Pointer?, Pointer?, Pointer?) -> Void
    private let makeStream: @convention(c) (Pointer?) -> Pointer?
    private let memory: @convention(c) () -> Pointer?
    private let write: @convention(c) (Pointer?, UnsafeRawPointer?, Int32) -> Int32

    /// `nil` where libcurl has another library.
    static let current: TLSDecryption? = {
        guard let read = TLSLibrary.symbol("SSL_read"), let setStreams = TLSLibrary.symbol("SSL_set_bio"),
            let makeStream = TLSLibrary.symbol("BIO_new"), let memory = TLSLibrary.symbol("BIO_s_mem"),
            let write = TLSLibrary.symbol("BIO_write")
        else { return nil }
        return TLSDecryption(
            read: unsafeBitCast(read, to: (@convention(c) (Pointer?, Pointer?, Int32) -> Int32).self),
            setStreams: unsafeBitCast(setStreams, to: (@convention(c) (Pointer?, Pointer?, Pointer?) -> Void).self),
            makeStream: unsafeBitCast(makeStream, to: (@convention(c) (Pointer?) -> Pointer?).self),
            memory: unsafeBitCast(memory, to: (@convention(c) () -> Pointer?).self),
            write: unsafeBitCast(write, to: (@convention(c) (Pointer?, UnsafeRawPointer?, Int32) -> Int32).self))
    }()

    /// Decrypts the rest of what came on a connection. Nothing can be sent or received on it by `session` after that: libcurl's
    /// own way to the socket leads through the handle that it is busy with, which outside of its calls is none.
    ///
    /// - Parameters:
    ///   - session: OpenSSL's object of the connection.
    ///   - bytes: as they came.
    func decrypt(_ bytes: [UInt8], _ session: UnsafeMutableRawPointer) -> [UInt8] {
        guard let input = makeStream(memory()), let output = makeStream(memory()) else { return [] }
        // The session owns both from here on.
        setStreams(session, input, output)
        guard !bytes.isEmpty, write(input, bytes, Int32(clamping: bytes.count)) == bytes.count else { return [] }
        var plain: [UInt8] = []
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 16) { buffer in
            while true {
                let count = read(session, buffer.baseAddress, Int32(buffer.count))
                guard count > 0 else { return }
                plain.append(contentsOf: buffer[..<Int(count)])
            }
        }
        return plain
    }
}
