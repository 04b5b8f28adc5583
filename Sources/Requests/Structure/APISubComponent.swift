// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// A part of an API below another.
public protocol APISubComponent<Parent>: APIComponent {
    associatedtype Parent: APIComponent
}

extension APISubComponent {
    public static var allProperties: Request.Properties { sharedProperties.inheriting(from: Parent.allProperties) }
    public static var configuration: Request.Configuration { Parent.configuration }
    public static var session: URLSession { Parent.session }
    public static var client: Parent.ClientType { Parent.client }
    public static var decoder: Parent.DecoderType { Parent.decoder }
}
