// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import StrataCore
import StrataCurl
import StrataNative
import StrataURLSession

/// The guided tour: what a client is used for, over each transport, against the echo server in this process.
@main
struct Demo {
    static func main() async {
        do {
            let server = try await EchoServer.start()
            print("The echo server listens on \(server.url).")
            var results: [Table.Row] = []
            let transports: [(String, any NetworkTransport)] = [
                ("libcurl", CurlTransport()), ("native", NativeTransport()), ("URLSession", URLSessionTransport()),
            ]
            for (name, transport) in transports {
                print("\n== Over \(name) (\(transport.capabilities.name))")
                results += await Tour(server: server.url, transport: transport, transportName: name).run()
                await transport.shutdown()
            }
            await server.stop()
            print("\n" + Table(rows: results).text)
            exit(results.allSatisfy(\.hasPassed) ? 0 : 1)
        } catch {
            print("The tour could not begin: \(error)")
            exit(1)
        }
    }
}
