// SPDX-License-Identifier: Apache-2.0

// Apple's Foundation holds what on Linux stands in FoundationNetworking, and Objective-C's.
@_exported public import Darwin
@_exported public import Foundation
@_exported public import FoundationNetworking

extension Stream {
    public class func getBoundStreams(
        withBufferSize size: Int, inputStream: UnsafeMutablePointer<InputStream?>?,
        outputStream: UnsafeMutablePointer<OutputStream?>?
    ) {}
}

extension URLRequest {
    public var allowsConstrainedNetworkAccess: Bool {
        get { true }
        set {}
    }
    public var allowsExpensiveNetworkAccess: Bool {
        get { true }
        set {}
    }
}

public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
