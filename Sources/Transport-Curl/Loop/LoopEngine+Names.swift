// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import StrataCore
import StrataTransportSupport

/// Looking names up in the threads of the transport's ``NameResolver``, and not in one of libcurl's for each.
///
/// libcurl says when it needs an address that it has not in its cache. Its exchange is stopped then, and begins again when the
/// addresses have been found and put into that cache.
extension LoopEngine {
    /// libcurl is about to look a name up, or to read an address.
    func mayLookUp(_ transfer: Transfer) -> Bool {
        // It has been told the addresses of all names that are known to be needed: this is another, or none.
        // Over HTTPS it asks by itself, without a thread.
        if options.configuration.dnsOverHTTPS != nil { return true }
        guard transfer.naming == nil, let exchange = transfer.exchange else { return true }
        transfer.naming = Naming(
            of: exchange.request.head, through: transfer.settings.proxy, except: options.addressOverrides)
        return transfer.naming == nil
    }

    /// The exchange has been stopped for its names.
    func lookUpNames(_ transfer: Transfer) {
        guard let exchange = transfer.exchange, let names = transfer.naming?.names else { return }
        leaveConnection(transfer)
        transfer.startOver()
        for name in names {
            let ticket = options.resolver.look(up: name) { result in
                exchange.loop.post(.named(exchange, name, result))
            }
            transfer.naming?.wait(for: ticket)
        }
    }

    /// A name has been looked up.
    func named(_ transfer: Transfer, _ name: String, _ result: Result<[String], NameResolver.LookupFailure>) {
        guard let naming = transfer.naming, naming.isUnderWay else { return }
        switch result {
        case .success(let addresses):
            transfer.naming?.note(addresses, of: name)
            guard let naming = transfer.naming, !naming.isUnderWay else { return }
            transfer.useAddresses(naming.lines)
            add(transfer)
        case .failure(let failure):
            let isOfProxy = naming.isOfProxy(name)
            var error = NetworkClientError(
                isOfProxy ? .proxyFailed : .dnsFailed,
                "could not resolve the \(isOfProxy ? "proxy" : "host") \(name): \(failure.reason)",
                cause: CurlError(isOfProxy ? CURLE_COULDNT_RESOLVE_PROXY : CURLE_COULDNT_RESOLVE_HOST))
            error.isUnprocessed = true
            complete(transfer, error)
        }
    }
}
