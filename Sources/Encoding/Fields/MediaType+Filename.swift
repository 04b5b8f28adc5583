// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension MediaType {
    /// The type that the extension of a file name stands for; `nil` for one that is not known.
    public init?(filename: some StringProtocol) {
        guard let text = FileMediaType.known(forFile: filename) else { return nil }
        self.init(text)
    }
}
