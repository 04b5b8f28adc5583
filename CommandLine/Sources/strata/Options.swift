// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StrataTool

extension Plan.Transport: ExpressibleByArgument {}

enum AuthenticationKind: String, CaseIterable, ExpressibleByArgument { case basic, digest }

enum Pretty: String, CaseIterable, ExpressibleByArgument { case all, colors, format, none }

enum HTTPVersionChoice: String, CaseIterable, ExpressibleByArgument {
    case automatic = "auto"
    case http1 = "1.1"
    case http2PriorKnowledge = "2"
    case http3 = "3"
}

struct ContentOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Send the data items as a form, with files as multipart.")
    var form = false

    @Flag(help: "Send the data items as a multipart form in any case.")
    var multipart = false

    @Option(help: ArgumentHelp("Send this text as the body.", valueName: "text"))
    var raw: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Credentials; without a password it is asked for.", valueName: "user[:password]"))
    var auth: String?

    @Option(help: "How --auth goes.")
    var authType = AuthenticationKind.basic

    @Option(help: ArgumentHelp("A bearer token.", valueName: "token"))
    var bearer: String?

    @Flag(help: "Open a WebSocket: send the lines of standard input, print messages.")
    var ws = false

    @Option(help: ArgumentHelp("Keep cookies under a name, or in a file.", valueName: "name|path"))
    var session: String?

    @Option(help: ArgumentHelp("The scheme of a URL without one.", valueName: "scheme"))
    var defaultScheme = "http"
}

struct OutputOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "What to print: H and B, head and body of the request; h and b, of the response; m, the time taken.",
            valueName: "HBhbm"))
    var print: String?

    @Flag(name: .shortAndLong, help: "As --print HBhb, for every exchange.")
    var verbose = false

    @Flag(help: "As --print h.")
    var headers = false

    @Flag(name: .shortAndLong, help: "As --print b.")
    var body = false

    @Flag(help: "Print every exchange, not the last alone.")
    var all = false

    @Option(help: "Default: all on a terminal, else none.")
    var pretty: Pretty?

    @Flag(name: [.customShort("S"), .long], help: "Print events, lines and pieces as they come.")
    var stream = false

    @Flag(help: "Show each attempt and its times, on standard error.")
    var explain = false

    @Flag(help: "Show passwords and tokens, which are *** otherwise.")
    var showSecrets = false

    @Flag(help: "Exit with 3, 4 or 5 after a status of 3xx, 4xx or 5xx.")
    var checkStatus = false
}

struct FileOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Save the body to a file, with progress.")
    var download = false

    @Option(name: .shortAndLong, help: ArgumentHelp("Save the body to this file.", valueName: "path"))
    var output: String?

    @Flag(name: [.customShort("c"), .customLong("continue")], help: "Keep what has come, and go on from there.")
    var continues = false

    @Option(help: ArgumentHelp("Add the exchanges to a HAR file, without secrets.", valueName: "out.har"))
    var har: String?

    @Option(help: ArgumentHelp("Answer from a HAR file, without a network.", valueName: "in.har"))
    var replay: String?

    @Flag(help: "Print the call as a command of curl; send nothing.")
    var curl = false

    @Option(help: ArgumentHelp("Make the call of a command of curl.", valueName: "command"))
    var fromCurl: String?

    @Flag(help: "Print the call as Swift; send nothing.")
    var swift = false
}

struct ConnectionOptions: ParsableArguments {
    @Option(help: "What carries the call. Default: curl, and native for --ws.")
    var transport: Plan.Transport?

    @Flag(name: [.customShort("F"), .long], help: "Follow redirects.")
    var follow = false

    @Option(help: ArgumentHelp("How many redirects are followed.", valueName: "count"))
    var maxRedirects = 20

    @Option(help: ArgumentHelp("Seconds for the whole call. Default: no limit.", valueName: "seconds"))
    var timeout: Double?

    @Option(help: ArgumentHelp("Seconds for the connection.", valueName: "seconds"))
    var connectTimeout: Double = 30

    @Option(help: ArgumentHelp("Seconds without a byte, 0 for no limit.", valueName: "seconds"))
    var idleTimeout: Double = 60

    @Option(help: ArgumentHelp("Try again so often after what may pass.", valueName: "count"))
    var retry = 0

    @Option(
        help: ArgumentHelp("Check certificates, do not, or trust the authorities in a file.", valueName: "yes|no|path"))
    var verify = "yes"

    @Option(help: ArgumentHelp("Certificate of the client, PEM.", valueName: "path"))
    var cert: String?

    @Option(help: ArgumentHelp("Its key, where that is another file.", valueName: "path"))
    var certKey: String?

    @Option(help: ArgumentHelp("Proxy: http, https, socks5 or socks5h.", valueName: "url|none"))
    var proxy: String?

    @Option(help: "Version of HTTP.")
    var http = HTTPVersionChoice.automatic

    @Option(help: ArgumentHelp("Connect to a Unix domain socket.", valueName: "path"))
    var unixSocket: String?
}
