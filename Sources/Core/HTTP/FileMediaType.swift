// SPDX-License-Identifier: Apache-2.0

/// The media types of files, by the extensions of their names.
package enum FileMediaType {
    /// `application/octet-stream` for an extension that is not known, and for none.
    package static func name(forFile name: String) -> String { known(forFile: name) ?? "application/octet-stream" }

    package static func known(forFile name: some StringProtocol) -> String? {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        return byExtension[name[name.index(after: dot)...].asciiLowercased]
    }

    /// By the registry of IANA, and what browsers send where that has nothing.
    private static let byExtension: [String: String] = [
        "7z": "application/x-7z-compressed", "aac": "audio/aac", "apk": "application/vnd.android.package-archive",
        "apng": "image/apng", "avi": "video/x-msvideo", "avif": "image/avif", "bin": "application/octet-stream",
        "bmp": "image/bmp", "br": "application/x-brotli", "bz2": "application/x-bzip2", "c": "text/x-c",
        "cer": "application/pkix-cert", "conf": "text/plain", "css": "text/css", "csv": "text/csv",
        "dmg": "application/x-apple-diskimage", "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "eml": "message/rfc822", "epub": "application/epub+zip", "flac": "audio/flac",
        "geojson": "application/geo+json",
        "gif": "image/gif", "gpx": "application/gpx+xml", "gz": "application/gzip", "heic": "image/heic",
        "heif": "image/heif", "htm": "text/html", "html": "text/html", "ico": "image/vnd.microsoft.icon",
        "ics": "text/calendar", "ipa": "application/octet-stream", "jar": "application/java-archive",
        "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
        "jsonl": "application/jsonl", "jxl": "image/jxl", "key": "application/vnd.apple.keynote",
        "log": "text/plain", "m4a": "audio/mp4", "m4v": "video/x-m4v", "md": "text/markdown", "mid": "audio/midi",
        "midi": "audio/midi", "mjs": "text/javascript", "mkv": "video/matroska", "mov": "video/quicktime",
        "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg", "mpg": "video/mpeg",
        "ndjson": "application/x-ndjson", "numbers": "application/vnd.apple.numbers",
        "odp": "application/vnd.oasis.opendocument.presentation",
        "ods": "application/vnd.oasis.opendocument.spreadsheet", "odt": "application/vnd.oasis.opendocument.text",
        "oga": "audio/ogg", "ogg": "audio/ogg", "ogv": "video/ogg", "opus": "audio/ogg", "otf": "font/otf",
        "p12": "application/x-pkcs12", "pages": "application/vnd.apple.pages", "pdf": "application/pdf",
        "pem": "application/x-pem-file", "pkpass": "application/vnd.apple.pkpass", "png": "image/png",
        "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "ps": "application/postscript", "psd": "image/vnd.adobe.photoshop", "rar": "application/vnd.rar",
        "rtf": "application/rtf", "sh": "application/x-sh", "sqlite": "application/vnd.sqlite3", "svg": "image/svg+xml",
        "swift": "text/x-swift", "tar": "application/x-tar", "tif": "image/tiff", "tiff": "image/tiff",
        "toml": "application/toml", "ts": "video/mp2t", "ttf": "font/ttf", "txt": "text/plain", "vcf": "text/vcard",
        "wasm": "application/wasm", "wav": "audio/wav", "weba": "audio/webm", "webm": "video/webm",
        "webmanifest": "application/manifest+json", "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2",
        "xhtml": "application/xhtml+xml", "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
        "yaml": "application/yaml", "yml": "application/yaml", "zip": "application/zip", "zst": "application/zstd",
    ]
}
