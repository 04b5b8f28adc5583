// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

// What few requests ask for. It stands among the attributes, so that the options of the others have no room for it.

extension RequestOptions {
    /// Is given each interim response (1xx, RFC 9110 §15.2) but 101, in the order in which they come and before the call has its
    /// response, such as a 103 with the links of a page. Default: `nil`, they are dropped.
    ///
    /// It is called for each attempt and each hop of a redirect, by the task of the attempt, which waits for it. How many there may be is
    /// limited by the bytes that a transport takes for heads; more than that is a `protocolViolation`. Transports need the feature
    /// ``TransportCapabilities/Features/interimResponses``; without it the request fails with `unsupportedByTransport`.
    public var onInterim: (@Sendable (HTTPResponse) -> Void)? {
        get { interaction?.onInterim }
        set { if newValue != nil || interaction != nil { self[InteractionKey.self].onInterim = newValue } }
    }

    /// How long a body is held back for the server's consent (`Expect: 100-continue`, RFC 9110 §10.1.1). When the time has passed, it is
    /// sent without. Default: `nil`, it is sent at once. A request without a body has nothing to hold back.
    ///
    /// When the server answers instead, the body is not sent, and the answer is the response. A server that refuses the expectation
    /// itself (417) is sent the request once more without it, by the transport, when the body can be produced again. The request goes out by HTTP/1.1 where a transport can
    /// wait in no other version. Transports need the feature ``TransportCapabilities/Features/expectContinue``; without it a request
    /// with a body fails with `unsupportedByTransport`.
    public var expectContinue: Duration? {
        get { interaction?.expectContinue }
        set { if newValue != nil || interaction != nil { self[InteractionKey.self].expectContinue = newValue } }
    }

    /// The protocol that the server is asked to switch the connection to (`Upgrade`, RFC 9110 §7.8): a token, perhaps with a slash and a
    /// version, such as `websocket`. Default: `nil`.
    ///
    /// The response of a server that does has the status 101 and a ``TransportResponse/channel``. Any other response is an ordinary one: the
    /// server may refuse, and may go on as if it had not been asked. Transports add the fields `Upgrade` and `Connection`. They need the
    /// feature ``TransportCapabilities/Features/upgrades``; without it the request fails with `unsupportedByTransport`.
    ///
    /// Over HTTP/2, which has no such fields, a transport may ask for it by an extended CONNECT (RFC 8441) that has the URL and the fields
    /// of a GET. The channel is a stream then, and the server's 2xx is delivered as a 101 that names the protocol.
    public var upgrade: String? {
        get { interaction?.upgrade }
        set { if newValue != nil || interaction != nil { self[InteractionKey.self].upgrade = newValue } }
    }

    /// A `ProxyPolicy` for this request alone, of `StrataTransportSupport`, which has the words for it.
    package var ownProxy: (any Sendable)? {
        get { interaction?.proxy }
        set { if newValue != nil || interaction != nil { self[InteractionKey.self].proxy = newValue } }
    }

    /// For transports that have the messages of a WebSocket and not its bytes.
    package var messageFraming: MessageFraming? {
        get { interaction?.messageFraming }
        set { if newValue != nil || interaction != nil { self[InteractionKey.self].messageFraming = newValue } }
    }

    /// All of it; `nil` for a request that asks for nothing of the kind.
    package var interaction: Interaction? { hasAttributes ? self[InteractionKey.self].ifAny : nil }
}

/// What goes on in an exchange besides a request and its response.
package struct Interaction: Sendable {
    package var onInterim: (@Sendable (HTTPResponse) -> Void)?
    package var expectContinue: Duration?
    package var upgrade: String?
    package var proxy: (any Sendable)?
    package var messageFraming: MessageFraming?

    fileprivate var ifAny: Interaction? {
        onInterim == nil && expectContinue == nil && upgrade == nil && proxy == nil && messageFraming == nil
            ? nil : self
    }
}

private enum InteractionKey: RequestAttributeKey {
    static let defaultValue = Interaction()
}
