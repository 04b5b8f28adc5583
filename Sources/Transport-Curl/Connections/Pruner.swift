// SPDX-License-Identifier: Apache-2.0

import CStrataCurl

/// A handle with which libcurl begins an exchange that comes to nothing: it then lets go of the connections that have ended, and
/// at no other time.
final class Pruner {
    private let easy = curl_easy_init()
    private var isUnderWay = false

    init() {
        guard let easy else { return }
        var setter = OptionSetter(easy)
        setter.set(CURLOPT_URL, "http://nowhere.invalid/")
        setter.set(CURLOPT_NOSIGNAL, true)
        setter.set(CURLOPT_PROXY, "")
        setter.set(CURLOPT_FRESH_CONNECT, true)
        setter.set(CURLOPT_MAXAGE_CONN, Int(Int32.max))
        setter.note(strata_set_lookup(easy, { _, _, _ in 1 }, nil))
    }

    deinit { curl_easy_cleanup(easy) }

    func start(_ multi: UnsafeMutableRawPointer) {
        guard let easy, !isUnderWay else { return }
        isUnderWay = curl_multi_add_handle(multi, easy) == CURLM_OK
    }

    /// - Returns: whether the handle that is over was this one.
    func ends(_ easy: UnsafeMutableRawPointer, _ multi: UnsafeMutableRawPointer) -> Bool {
        guard easy == self.easy else { return false }
        stop(multi)
        return true
    }

    func stop(_ multi: UnsafeMutableRawPointer) {
        if isUnderWay { curl_multi_remove_handle(multi, easy) }
        isUnderWay = false
    }
}
