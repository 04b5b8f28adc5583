// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

/// One part of a multipart body that was received.
public struct MultipartBodyPart: Sendable {
    public let fields: HTTPFields
    /// Single pass while the body arrives; it has to be read before the next part is asked for.
    ///
    /// After a `cancel`, a read under way ends with the piece that it waits for, and before that the next part cannot
    /// be asked for.
    public let body: ResponseBody

    /// From `Content-Disposition`, with the percent-escapes of browsers resolved.
    public var name: String? { disposition?.name }

    /// As the sender wrote it; to save under it use ``ContentDisposition/safeFilename`` of ``disposition``.
    public var filename: String? { disposition?.filename }

    /// What is not UTF-8 is read as Windows-1252.
    public var disposition: ContentDisposition? {
        fields[fields: .contentDisposition].first.flatMap {
            ContentDisposition(bytes: Array($0.text.utf8), dialect: .form)
        }
    }

    /// Of several the last that is a media type.
    public var contentType: MediaType? { fields.contentType.flatMap { MediaType($0) } }
}

extension MultipartBodyPart: DumpedAsDescription {
    /// `photo (12 bytes)`, or `photo (a stream)` while it arrives.
    public var description: String { [name, "(\(body))"].compactMap { $0 }.joined(separator: " ") }
}
