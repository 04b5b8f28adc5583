// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Hands the inputs of libFuzzer to a check, for as long as the command line says.
///
///     @main struct FuzzThing {
///         static func main() { Fuzzer.run { data in precondition(…) } }
///     }
public enum Fuzzer {
    // Written once, before libFuzzer starts, and read on the same thread.
    nonisolated(unsafe) private static var check: (Data) -> Void = { _ in }

    public static func run(_ check: @escaping (Data) -> Void) -> Never {
        Self.check = check
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        exit(
            runDriver(&count, &arguments) { start, count in
                Fuzzer.check(Data(UnsafeRawBufferPointer(start: start, count: count)))
                return 0
            })
    }
}

/// libFuzzer as a library; its own `main` would be in the way of SwiftPM's.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
