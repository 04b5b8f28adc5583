// SPDX-License-Identifier: Apache-2.0

/// One coding being undone: a state machine that is fed bytes and fills buffers.
protocol ContentDecoder: AnyObject {
    /// Decodes as much of `input` as fits into `output`. With an empty `input` it returns what did not fit the last
    /// time; only then may both counts be 0. Not called after the end.
    ///
    /// - Throws: `DecodingFailure` when the bytes break the coding's rules.
    func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws
        -> (consumed: Int, produced: Int)

    /// Whether the body may end here.
    var isComplete: Bool { get }
}

/// The bytes are not what the coding says.
struct DecodingFailure: Error {}
