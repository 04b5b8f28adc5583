// SPDX-License-Identifier: Apache-2.0

public import StrataCore
public import StrataStreaming

// Read by @API (on a type: for all its endpoints) and by the endpoints' macros (on a function: for it alone, wins).

/// Fixed header fields. Those of a function replace those of its type that have the same name.
@attached(peer) public macro Headers(_ fields: [String: String]) =
    #externalMacro(module: "StrataAPIMacros", type: "MarkerMacro")

/// JSON bodies, which are the default.
///
/// - Parameter encoder: writes the body. Default: the type's, else the client's.
/// - Parameter decoder: reads the response. Default: the type's, else the client's.
@attached(peer)
public macro JSON(encoder: (any RequestBodyEncoder)? = nil, decoder: (any ResponseBodyDecoder)? = nil) =
    #externalMacro(module: "StrataAPIMacros", type: "MarkerMacro")

/// Bodies as `application/x-www-form-urlencoded`.
///
/// - Parameter encoder: writes the body. Default: the type's, else a `FormEncoder` with the key strategy of the encoder of
///   JSON.
/// - Parameter decoder: reads the response. Default: the type's, else the client's.
@attached(peer)
public macro FormUrlEncoded(encoder: (any RequestBodyEncoder)? = nil, decoder: (any ResponseBodyDecoder)? = nil) =
    #externalMacro(module: "StrataAPIMacros", type: "MarkerMacro")

/// Bodies as `multipart/form-data`, one part per parameter, in their order.
///
/// - Parameter encoder: writes the body. Default: the type's, else a `MultipartEncoder` that writes JSON as the type's
///   ``JSON(encoder:decoder:)`` does with a `JSONEncoder`, else as the client's, and names parts by its key strategy.
/// - Parameter decoder: reads the response. Default: the type's, else the client's.
@attached(peer)
public macro Multipart(encoder: (any RequestBodyEncoder)? = nil, decoder: (any ResponseBodyDecoder)? = nil) =
    #externalMacro(module: "StrataAPIMacros", type: "MarkerMacro")

/// The response is a stream of server-sent events, of JSON Lines, or a JSON text sequence; the function returns an
/// ``APIStream``, an `AsyncThrowingStream`, an `AsyncStream`, or a publisher of the elements. On a type it holds for its
/// extensions too, and publishers of nothing, of a head or of a `NetworkResponse` still get a single response.
///
/// Leaving the loop over an ``APIStream`` ends the transfer. An `AsyncThrowingStream` and an `AsyncStream` hold it until
/// the last copy of the stream is gone.
///
/// An event named `error` ends the stream with an error of code `errorEvent`, or with the ``ErrorModel(_:)`` of its data,
/// unless `events` names it. A response of another type is an error with its body. `application/json` counts as JSON Lines
/// unless its first line is no element: a part of a text over several lines, an error object, or an object of which the
/// model reads nothing.
///
/// A task that is cancelled while it waits for an element of an `AsyncThrowingStream` gets a `CancellationError`. If it
/// is cancelled between two elements, the standard library may end the stream as if it were complete. Call `try
/// Task.checkCancellation()` after the loop to tell the two apart.
///
/// - Parameters:
///   - end: what the last event looks like; it is not handed out. Default: the type's, else the end of the body, and
///     for elements other than `String` and `ServerSentEvent` also `[DONE]`.
///   - names: the events that are elements; others are skipped. An event without a name is called `message`. Default:
///     the type's, else all.
///   - options: how events are read; a line of JSON may be as large as an event. Default: the type's, else at most
///     16 MiB, and an event without its empty line does not count.
///   - encoder: writes the request's body, whatever its format. Default: as for any endpoint.
///   - decoder: reads the data of each event. Default: the type's, else the client's.
@attached(peer)
public macro EventStreaming(
    until end: EventStreamEnd? = nil, events names: [String]? = nil, options: ServerSentEvents.Options? = nil,
    encoder: (any RequestBodyEncoder)? = nil, decoder: (any ResponseBodyDecoder)? = nil
) = #externalMacro(module: "StrataAPIMacros", type: "MarkerMacro")

/// The response is a stream of server-sent events, which a table makes elements of, by their names.
///
///     enum Update {
///         case text(String), stopped
///
///         static var events: EventDecoding<Update> {
///             EventDecoding()
///                 .on("content_block_delta", decoding: Delta.self) { $0.text.map(Update.text) }
///                 .on("message_stop", decoding: VoidResponse.self) { _ in .stopped }
///         }
///     }
///
///     @EventStreaming(decoding: Update.events)
///     @POST("/messages") func updates(_ ask: Ask) async throws -> APIStream<Update>
///
/// - Parameters:
///   - table: of the elements that the function's stream has. It is for a function, and not for a type.
///   - end: what the last event looks like. Default: as the table says.
///   - options: how events are read. Default: as above.
///   - encoder: writes the request's body, whatever its format. Default: as for any endpoint.
///   - decoder: reads the data of each event. Default: the type's, else the client's.
@attached(peer)
public macro EventStreaming<Element>(
    decoding table: EventDecoding<Element>, until end: EventStreamEnd? = nil,
    options: ServerSentEvents.Options? = nil, encoder: (any RequestBodyEncoder)? = nil,
    decoder: (any ResponseBodyDecoder)? = nil
) = #externalMacro(module: "StrataAPIMacros", type: "MarkerMacro")

/// Where in a JSON response the value is: `@ResponseKeyPath("data.list")`; in a stream, where in each event. `nil`: the
/// whole response, whatever the type's is.
@attached(peer) public macro ResponseKeyPath(_ path: String?) =
    #externalMacro(module: "StrataAPIMacros", type: "MarkerMacro")

/// The model of the body of a refused response, which is thrown in place of the `NetworkClientError`: of one with a status
/// that is not accepted, of one that is not the declared stream, and of an event named `error`.
///
/// When the body cannot be decoded, the `NetworkClientError` is thrown as it is. It always is by a function that
/// `throws(NetworkClientError)`. A model that needs the status too is an ``APIErrorModel``.
@attached(peer) public macro ErrorModel<Model: Decodable & Error>(_ model: Model.Type) =
    #externalMacro(module: "StrataAPIMacros", type: "MarkerMacro")

/// Limits on the time of a call, which override those of the client. A limit that is not given stays as it is.
///
///     @Timeout(idle: .seconds(5), deadline: .seconds(30))
@attached(peer)
public macro Timeout(
    connect: Duration? = nil, idle: Duration? = nil, attempt: Duration? = nil, deadline: Duration? = nil
) = #externalMacro(module: "StrataAPIMacros", type: "MarkerMacro")

/// How often a call is tried again at most, when the client has a retry middleware.
///
///     @Retry(count: 0)        // never
@attached(peer) public macro Retry(count: Int) = #externalMacro(module: "StrataAPIMacros", type: "MarkerMacro")

/// A typed attribute of every call, for the middleware: `@Tag(OperationKey.self, "users.list")`.
@attached(peer) public macro Tag<Key: RequestAttributeKey>(_ key: Key.Type, _ value: Key.Value) =
    #externalMacro(module: "StrataAPIMacros", type: "MarkerMacro")

/// Any other option: `@Options({ $0.acceptableStatus = .any })`.
@attached(peer) public macro Options(_ change: RequestOptions.Override) =
    #externalMacro(module: "StrataAPIMacros", type: "MarkerMacro")

/// The call goes to an absolute target, given by the parameter with ``Url``, labelled `_` or named `url`.
///
///     @GET @URL func page(_ link: String) async throws -> Page
///
/// A relative one is resolved against the base URL (RFC 3986 §5). The fields of the type go there too: do not pass a
/// target that the user did not choose.
@attached(peer) public macro URL() = #externalMacro(module: "StrataAPIMacros", type: "MarkerMacro")
