// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// The secrets that the tests of this module put into requests.
///
/// Every client and every log handler of the suite hands what it sees to `Leaks.check`.
enum Secret {
    static let token = "\(Leaks.mark)-token-A"
    static let freshToken = "\(Leaks.mark)-token-B"
    static let refreshToken = "\(Leaks.mark)-refresh"
    static let password = "\(Leaks.mark)-password"
    static let apiKey = "\(Leaks.mark)-api-key"
    static let cookie = "\(Leaks.mark)-cookie"
    static let clientSecret = "\(Leaks.mark)-client"
}
