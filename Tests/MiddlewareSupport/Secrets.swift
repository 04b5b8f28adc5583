// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// The secrets that the tests of middleware put into requests.
///
/// Every client and every log handler of these tests hands what it sees to `Leaks.check`.
package enum Secret {
    package static let token = "\(Leaks.mark)-token-A"
    package static let freshToken = "\(Leaks.mark)-token-B"
    package static let refreshToken = "\(Leaks.mark)-refresh"
    package static let password = "\(Leaks.mark)-password"
    package static let apiKey = "\(Leaks.mark)-api-key"
    package static let cookie = "\(Leaks.mark)-cookie"
    package static let clientSecret = "\(Leaks.mark)-client"
}
