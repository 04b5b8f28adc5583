// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import HTTPTypes
import StrataCore
import StrataTransportSupport

/// The settings that a handle has from its last request, so that none is set again without need.
struct RequestSettings {
    private let options: HandleOptions
    private let parsedOrigin: OpaquePointer
    private var origin: [UInt8] = []
    private var isPlain = true
    private(set) var limits: TimeLimits?
    private var version: Int?
    private(set) var receiveBuffer: Int?
    /// Which proxy is set.
    private var proxyChoice: Proxies.Choice?
    /// In milliseconds, as libcurl has it by default.
    private var continueWait = 1000
    private var isVerbose = false
    private var isWatched = false

    init?(_ options: HandleOptions) {
        guard let parsedOrigin = curl_url() else { return nil }
        self.parsedOrigin = parsedOrigin
        self.options = options
    }

    func free() { curl_url_cleanup(parsedOrigin) }

    var requiresCloseNotify: Bool { options.configuration.tls.requiresCloseNotify }

    /// Whether a `Proxy-Authorization` of the caller's own goes out: only where a proxy reads it and gets none from the
    /// configuration. In a tunnel it would reach the server.
    func passesProxyAuthorization(_ head: HTTPRequest) -> Bool {
        options.proxies.choice(for: head) == .http && options.proxies.http.isHTTP && options.proxies.http.user == nil
    }

    /// The proxy that the exchange goes through, if any.
    var proxy: ProxyAddress { options.proxies[proxyChoice ?? .direct] }

    /// - Parameter payloadSize: of a body that lies among the strings; `nil` for one that is read, or for none.
    mutating func apply(
        _ exchange: Exchange, _ strings: RequestStrings, payloadSize: Int?, to setter: inout OptionSetter
    ) {
        let head = exchange.request.head
        setProxy(for: head, &setter)
        setTarget(head, strings, &setter)
        setMethod(head, exchange.plan, strings, payloadSize: payloadSize, &setter)
        setVersion(head, exchange.plan, &setter)
        if limits?.timeouts != exchange.request.options.timeouts {
            let limits = TimeLimits(exchange.request.options.timeouts)
            setter.set(CURLOPT_CONNECTTIMEOUT_MS, limits.connectMilliseconds)
            self.limits = limits
        }
        if let wait = exchange.plan.continueWait { setContinueWait(wait, &setter) }
        // The newest versions refuse a negative size.
        let size = max(0, min(options.configuration.receiveBuffer, exchange.plan.isEventStream ? 16 * 1024 : .max))
        if receiveBuffer != size { setter.set(CURLOPT_BUFFERSIZE, size) }
        receiveBuffer = size
    }

    /// Few requests need it.
    @inline(never)
    private mutating func setContinueWait(_ wait: Duration, _ setter: inout OptionSetter) {
        let milliseconds = Int(clamping: max(1, min(wait, .seconds(1 << 20)).milliseconds))
        if continueWait != milliseconds { setter.set(CURLOPT_EXPECT_100_TIMEOUT_MS, milliseconds) }
        continueWait = milliseconds
    }

    /// Has libcurl close the connection after this exchange. For the next exchange the option is reset.
    mutating func forbidReuse(_ easy: UnsafeMutableRawPointer) {
        _ = strata_set_long(easy, CURLOPT_FORBID_REUSE, 1)
        isPlain = false
    }

    /// Has libcurl tell what it does, until the exchange is over.
    mutating func beginLog(_ easy: UnsafeMutableRawPointer) {
        _ = strata_set_long(easy, CURLOPT_VERBOSE, 1)
        isVerbose = true
    }

    mutating func endLog(_ easy: UnsafeMutableRawPointer) {
        if isVerbose { _ = strata_set_long(easy, CURLOPT_VERBOSE, 0) }
        isVerbose = false
    }

    /// Has libcurl report its steps (``LoopEngine/progressed(_:)``), until the exchange is over.
    mutating func beginWatch(_ easy: UnsafeMutableRawPointer) {
        _ = strata_set_long(easy, CURLOPT_NOPROGRESS, 0)
        isWatched = true
    }

    mutating func endWatch(_ easy: UnsafeMutableRawPointer) {
        if isWatched { _ = strata_set_long(easy, CURLOPT_NOPROGRESS, 1) }
        isWatched = false
    }

    /// Has libcurl open a new connection for this exchange. For the next exchange the option is reset.
    ///
    /// - Parameter isLast: whether it is the last exchange on its connection.
    mutating func requireFreshConnection(_ easy: UnsafeMutableRawPointer, isLast: Bool) {
        _ = strata_set_long(easy, CURLOPT_FRESH_CONNECT, 1)
        _ = strata_set_long(easy, CURLOPT_FORBID_REUSE, isLast ? 1 : 0)
        isPlain = false
    }

    private mutating func setProxy(for head: HTTPRequest, _ setter: inout OptionSetter) {
        let choice = options.proxies.choice(for: head)
        if proxyChoice == choice { return }
        proxyChoice = choice
        let proxy = proxy
        // An old libcurl decodes credentials in the URL once, and credentials that are set apart from it twice.
        let isComplete = CurlVersion.current.decodesProxyCredentials && proxy.hasPercent
        setter.set(CURLOPT_PROXY, isComplete ? proxy.completeURL : proxy.url)
        setter.set(CURLOPT_PROXYUSERNAME, isComplete ? nil : proxy.user)
        setter.set(CURLOPT_PROXYPASSWORD, isComplete ? nil : proxy.password)
    }

    /// Most requests go to the origin of the handle's last request. libcurl keeps that origin, parsed, and gets the
    /// path separately. A request to a proxy has the whole URL in its request line, so that libcurl has to get the URL
    /// as a whole.
    private mutating func setTarget(_ head: HTTPRequest, _ strings: RequestStrings, _ setter: inout OptionSetter) {
        guard proxy.url.isEmpty else {
            origin = []
            setter.set(CURLOPT_CURLU, pointer: nil)
            setter.note(strata_set_string(setter.easy, CURLOPT_URL, strings.url))
            // libcurl loses an empty query when it parses the URL. To keep it, libcurl is told the target separately.
            // With an HTTP proxy the target has to be the whole URL.
            let isTunnel = head.scheme == "https" || !proxy.isHTTP
            let keepsQuery = head.path?.hasSuffix("?") == true
            setter.note(
                strata_set_string(
                    setter.easy, CURLOPT_REQUEST_TARGET, isTunnel ? strings.target : keepsQuery ? strings.url : nil))
            return
        }
        if !origin.withUnsafeBytes({ $0.hasSameBytes(as: strings.origin) }) {
            origin = []
            let text = String(decoding: strings.origin, as: UTF8.self)
            guard curl_url_set(parsedOrigin, CURLUPART_URL, text, 0) == CURLUE_OK else {
                return setter.note(CURLE_URL_MALFORMAT)
            }
            setter.set(CURLOPT_URL, text)
            setter.set(CURLOPT_CURLU, pointer: UnsafeRawPointer(parsedOrigin))
            origin = Array(strings.origin)
        }
        setter.note(strata_set_string(setter.easy, CURLOPT_REQUEST_TARGET, strings.target))
    }

    private mutating func setMethod(
        _ head: HTTPRequest, _ plan: RequestPlan, _ strings: RequestStrings, payloadSize: Int?,
        _ setter: inout OptionSetter
    ) {
        let method = head.method
        let needsFresh =
            plan.version == .http2PriorKnowledge && head.scheme == "http"
            && CurlVersion.current.losesPriorKnowledgeOnReuse
        let isPlain = method == .get && !needsFresh && !plan.closesConnection && !plan.hasBody
        if isPlain, self.isPlain { return }
        self.isPlain = isPlain
        setter.set(CURLOPT_HTTPGET, true)
        setter.set(CURLOPT_CUSTOMREQUEST, nil)
        setter.set(CURLOPT_FRESH_CONNECT, needsFresh)
        setter.set(CURLOPT_FORBID_REUSE, needsFresh || plan.closesConnection)
        switch plan.sending {
        case .nothing:
            if method == .head {
                setter.set(CURLOPT_NOBODY, true)
            } else if method != .get {
                setter.note(strata_set_string(setter.easy, CURLOPT_CUSTOMREQUEST, strings.method))
            }
        case .bytes(let data):
            if let payloadSize {
                setter.set(CURLOPT_POST, true)
                setter.set(CURLOPT_POSTFIELDSIZE_LARGE, size: Int64(payloadSize))
                setter.set(CURLOPT_POSTFIELDS, pointer: strings.payload)
                if method != .post {
                    setter.note(strata_set_string(setter.easy, CURLOPT_CUSTOMREQUEST, strings.method))
                }
            } else {
                setUpload(strings, length: Int64(data.count), &setter)
            }
        case .stream(let length):
            setUpload(strings, length: length, &setter)
        }
    }

    private func setUpload(_ strings: RequestStrings, length: Int64?, _ setter: inout OptionSetter) {
        setter.set(CURLOPT_UPLOAD, true)
        setter.set(CURLOPT_INFILESIZE_LARGE, size: length ?? -1)
        setter.note(strata_set_string(setter.easy, CURLOPT_CUSTOMREQUEST, strings.method))
    }

    private mutating func setVersion(_ head: HTTPRequest, _ plan: RequestPlan, _ setter: inout OptionSetter) {
        let wanted =
            switch plan.version {
            case .http1: CURL_HTTP_VERSION_1_1
            case .http2PriorKnowledge: CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
            case .http3: Int(strata_http3_only)
            case .automatic: CurlVersion.current.hasHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
            }
        if version != wanted { setter.set(CURLOPT_HTTP_VERSION, wanted) }
        version = wanted
    }
}
