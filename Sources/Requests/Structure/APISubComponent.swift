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
    @_documentation(visibility: internal)
    public static var allProperties: Request.Properties { sharedProperties.inheriting(from: Parent.allProperties) }
    @_documentation(visibility: internal)
    public static var configuration: Request.Configuration { Parent.configuration }
    @_documentation(visibility: internal)
    public static var session: URLSession { Parent.session }
    @_documentation(visibility: internal)
    public static var client: Parent.ClientType { Parent.client }
    @_documentation(visibility: internal)
    public static var decoder: Parent.DecoderType { Parent.decoder }
}
