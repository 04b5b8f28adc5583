// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import StrataCore
import StrataTransportSupport

extension Transfer {
    /// What libcurl knows about the exchange so far.
    func metrics() -> TransportMetrics {
        var metrics = TransportMetrics()
        metrics.httpVersion = number(CURLINFO_HTTP_VERSION).flatMap(Self.versionName)
        metrics.isConnectionReused = number(CURLINFO_NUM_CONNECTS).map { $0 == 0 }
        var text: UnsafePointer<CChar>?
        if strata_get_string(easy, CURLINFO_PRIMARY_IP, &text) == CURLE_OK, let text, text.pointee != 0 {
            metrics.remoteAddress = String(cString: text)
        }
        metrics.bytesSent = size(CURLINFO_SIZE_UPLOAD_T)
        metrics.encodedBytesReceived = receiving.count
        if head.skippedLines > 0 { metrics.skippedFieldLines = head.skippedLines }
        if metrics.isConnectionReused == false {
            metrics.nameLookup = time(CURLINFO_NAMELOOKUP_TIME_T)
            metrics.connected = time(CURLINFO_CONNECT_TIME_T)
            metrics.secured = time(CURLINFO_APPCONNECT_TIME_T)
        }
        metrics.firstByte = time(CURLINFO_STARTTRANSFER_TIME_T)
        metrics.total = time(CURLINFO_TOTAL_TIME_T)
        return metrics
    }

    func number(_ info: CURLINFO) -> Int? {
        var value = 0
        return strata_get_long(easy, info, &value) == CURLE_OK ? value : nil
    }

    func size(_ info: CURLINFO) -> Int64? {
        var value: curl_off_t = 0
        return strata_get_size(easy, info, &value) == CURLE_OK ? Int64(value) : nil
    }

    private func time(_ info: CURLINFO) -> Duration? {
        size(info).flatMap { $0 > 0 ? .microseconds($0) : nil }
    }

    private static func versionName(_ number: Int) -> String? {
        switch number {
        case CURL_HTTP_VERSION_1_0: "HTTP/1.0"
        case CURL_HTTP_VERSION_1_1: "HTTP/1.1"
        case CURL_HTTP_VERSION_2_0: "HTTP/2"
        case CURL_HTTP_VERSION_3: "HTTP/3"
        default: nil
        }
    }
}
