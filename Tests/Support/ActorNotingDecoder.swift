// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import Foundation
public import HTTPTypes
public import StrataCore
import Synchronization

/// Reads JSON, and notes for each body whether it was read on the main actor.
public final class ActorNotingDecoder: ResponseBodyDecoder {
    /// Marks what runs on the main actor. On Linux that need not be the main thread.
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private let notes = Mutex<[Bool]>([])
    public var wereOnMainActor: [Bool] { notes.withLock { $0 } }
    public var acceptedContentTypes: [String] { ["application/json"] }

    public init() {}

    public func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
        notes.withLock { $0.append(DispatchQueue.getSpecific(key: Self.mark) == true) }
        return try JSONDecoder().decode(type, from: data)
    }
}
