// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataAPI
import StrataEncoding
import StrataRequests

enum Color: String, Codable { case red }
enum Level: Int, Codable { case low = 1 }
enum Plain: String { case up }
enum Described: String, CustomStringConvertible {
    case on
    var description: String { "the one that is on" }
}
enum Named: String, Codable, CodingKeyRepresentable { case one }

struct Version: CustomStringConvertible {
    var major: Int
    var description: String { "v\(major)" }
}

struct Filter: Codable { var status = "open" }
struct Search: Codable { var filter = Filter() }
struct Counts: Codable { var byColor = [Color.red: 1] }
struct Job: Codable { var limit = Duration.seconds(5) }
struct Link: Codable { var file = URL(fileURLWithPath: "/tmp/a.txt") }

/// What every place of a request sends for every kind of value. The page `Values` of the documentation is made of it.
enum ValueTable {
    static let file = FileManager.default.temporaryDirectory.appendingPathComponent("strata-values.txt")

    static let rows: [ValueRow] =
        texts + numbers + foundation + enumerations + optionals + lists + dictionaries + models + open

    private static let texts: [ValueRow] = [
        ValueRow(
            "`String`", "a b", text: "a b", json: #""a b""#, body: "a b",
            except: .jsonBodies(#""a b""#, in: [.requests, .rest])),
        ValueRow(
            "`Substring`",
            [
                .api: Sender.api { .init("a b".prefix(3)) },
                .requests: Sender.requests(
                    path: { PathComponents { "a b".prefix(3) } }, query: { QueryItems { ("v", "a b".prefix(3)) } },
                    form: { Form { ("v", "a b".prefix(3)) } },
                    json: { BodyProperty(["v": "a b".prefix(3)] as [String: Any]) }),
                .rest: Sender.rest { "a b".prefix(3) },
            ], path: "a b", query: "v=a b", header: "a b", form: "v=a b", json: #"{"v":"a b"}"#, part: "a b",
            body: "a b"),
        ValueRow("`Bool`", true, text: "true", json: "true"),
    ]

    private static let numbers: [ValueRow] = [
        ValueRow("`Int`", -1, text: "-1", json: "-1"),
        ValueRow("`Int8`", Int8(1), text: "1", json: "1"),
        ValueRow("`UInt64`", UInt64.max, text: "18446744073709551615", json: "18446744073709551615"),
        ValueRow(
            "`UInt128`", UInt128.max, text: "340282366920938463463374607431768211455",
            json: "340282366920938463463374607431768211455"),
        ValueRow("`Double`", 5.0, text: "5", json: "5"),
        ValueRow("`Double` 1e21", 1e21, text: "1e+21", json: "1e+21"),
        ValueRow("`Double` -0", -0.0, text: "-0", json: "-0"),
        ValueRow(
            "`Double` infinite", Double.infinity, path: "inf", query: "v=inf", header: "inf", form: "v=inf",
            json: .error(""), part: "inf", body: .error("")),
        ValueRow("`Float`", Float(0.1), text: "0.1", json: "0.1"),
        ValueRow(
            "`Decimal`", Decimal(string: "1.10") ?? 0, text: "1.1", json: "1.1"),
    ]

    private static let foundation: [ValueRow] = [
        ValueRow(
            "`Date`", Date(timeIntervalSinceReferenceDate: 0.25), text: "2001-01-01T00:00:00.25Z", json: "0.25"),
        ValueRow(
            "`Data`", Data("+/8=".utf8), text: "Ky84PQ==", json: #""Ky84PQ==""#, part: "+/8=", body: "+/8=",
            except: .jsonBodies(#""Ky84PQ==""#, in: [.rest])),
        ValueRow(
            "`URL`", URL(string: "https://h.example/a"), text: "https://h.example/a", json: #""https://h.example/a""#),
        ValueRow("`URL` relative", URL(string: "a?b"), text: "a?b", json: #""a?b""#),
        ValueRow(
            "`URL` of a file", file, refused: .isFile, part: "(text/plain, strata-values.txt) the file's",
            body: "the file's", except: .jsonBodies(.isFile, in: [.rest])),
        ValueRow(
            "`UUID`", UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
            text: "01020304-0506-0708-090A-0B0C0D0E0F10", json: #""01020304-0506-0708-090A-0B0C0D0E0F10""#),
        ValueRow("`Duration`", Duration.milliseconds(5250), text: "5.25", json: "5.25"),
        ValueRow("`TimeZone`", TimeZone(identifier: "Europe/Berlin"), text: "Europe/Berlin", json: #""Europe/Berlin""#),
        ValueRow("`Locale`", Locale(identifier: "de_DE"), text: "de_DE", json: #""de_DE""#),
        ValueRow("`Range`", 1..<5, refused: .isRange),
        ValueRow("`ClosedRange`", 1...5, refused: .isRange),
    ]

    private static let enumerations: [ValueRow] = [
        ValueRow("`enum` of `String`, `Codable`", Color.red, text: "red", json: #""red""#),
        ValueRow("`enum` of `Int`, `Codable`", Level.low, text: "1", json: "1"),
        ValueRow(
            "`enum` of `String`, not `Codable`",
            [
                .api: Sender.api { .init(Plain.up) },
                .requests: Sender.requests(
                    path: { PathComponents { Plain.up } }, query: { QueryItems { ("v", Plain.up) } },
                    form: { Form { ("v", Plain.up) } }),
            ], path: "up", query: "v=up", header: "up", form: "v=up", json: #"{"v":"up"}"#, part: "up", body: #""up""#),
        ValueRow(
            "`enum` of `String` with a description",
            [
                .api: Sender.api { .init(Described.on) },
                .requests: Sender.requests(
                    path: { PathComponents { Described.on } }, query: { QueryItems { ("v", Described.on) } },
                    form: { Form { ("v", Described.on) } }),
                .rest: Sender.rest { Described.on },
            ], path: "on", query: "v=on", header: "on", form: "v=on", json: #"{"v":"on"}"#, part: "on", body: #""on""#),
        ValueRow(
            "a type with a description, not `Codable`",
            [
                .api: Sender.api { .init(Version(major: 2)) },
                .requests: Sender.requests(
                    path: { PathComponents { Version(major: 2) } }, query: { QueryItems { ("v", Version(major: 2)) } },
                    form: { Form { ("v", Version(major: 2)) } }),
                .rest: Sender.rest { Version(major: 2) },
            ], path: "v2", query: "v=v2", header: "v2", form: "v=v2", json: #"{"v":"v2"}"#, part: "v2", body: #""v2""#),
    ]

    private static let optionals: [ValueRow] = [
        ValueRow("`Int?` with a value", Int?(1), text: "1", json: "1"),
        ValueRow(
            "`nil`", Int?.none, path: .isNil, query: .nothing, header: .nothing, form: .nothing, json: "{}",
            part: .nothing, body: .nothing,
            except: .template("") + .name("v") + .dictionaryOfNil(#"{"v":null}"#) + .jsonBodies("null", in: [.rest])
                + [.init(frontEnd: .core, place: .header, cell: .isNotText, reason: "`nil` has no text")]),
        ValueRow(
            "`.some(nil)`", Int??.some(nil), path: .isNil, query: .nothing, header: .nothing, form: .nothing,
            json: #"{"v":null}"#, part: .nothing, body: "null",
            except: .template("") + .name("v")
                + [
                    .init(frontEnd: .core, place: .header, cell: .isNotText, reason: "`nil` has no text"),
                    .init(
                        frontEnd: .core, place: .body, cell: .nothing, reason: "`JSONValue.null` is the null of a body"),
                    .init(
                        frontEnd: .requests, place: .body, cell: .nothing,
                        reason: "`JSONValue.null` is the null of a body"),
                ]),
        ValueRow(
            "`JSONValue.null`", JSONValue.null, path: .isNil, query: .nothing, header: .nothing, form: .nothing,
            json: #"{"v":null}"#, part: .nothing, body: "null",
            except: .template("")
                + [.init(frontEnd: .core, place: .header, cell: .isNotText, reason: "`nil` has no text")]),
    ]

    private static let lists: [ValueRow] = [
        ValueRow(
            "`[Int]`", [1, 2], path: .isList, query: "v=1&v=2", header: .isNotText, form: "v=1&v=2",
            json: #"{"v":[1,2]}"#, part: "1 | 2", body: "[1,2]",
            except: .template("1,2") + .segments("1/2") + .fields("1, 2")),
        ValueRow(
            "`[Int]` empty", [Int](), path: .isList, query: .nothing, header: .isNotText, form: .nothing,
            json: #"{"v":[]}"#, part: .nothing, body: "[]",
            except: .template("") + .segments("") + .fields(.nothing)
                + [
                    .init(
                        frontEnd: .requests, place: .part, cell: "(application/json) []",
                        reason: "the model is a dictionary that has the key")
                ]),
        ValueRow(
            "`[Int?]` with `nil`", [1, nil], path: .isList, query: "v=1", header: .isNotText,
            form: .error("nil in an array cannot be left out"), json: #"{"v":[1,null]}"#,
            part: "(application/json) [1,null]", body: "[1,null]",
            except: .template("1") + .segments("1") + .fields("1")
                + [.init(frontEnd: .requests, place: .form, cell: "v=1", reason: "items are made as for a query")]),
        ValueRow(
            "`[[Int]]`", [[1], [2, 3]], path: .isList, query: "v[0]=1&v[1]=2&v[1]=3", header: .isNotText,
            form: "v[0]=1&v[1]=2&v[1]=3", json: #"{"v":[[1],[2,3]]}"#, part: "(application/json) [[1],[2,3]]",
            body: "[[1],[2,3]]",
            except: .template(.error("a template takes scalars")) + .segments(.isObject) + .fields(.isObject)),
        ValueRow(
            "`Set`", Set([1]), path: .isList, query: "v=1", header: .isNotText, form: "v=1", json: #"{"v":[1]}"#,
            part: "1", body: "[1]", except: .template("1") + .segments("1") + .fields("1")),
        ValueRow(
            "`[Duration]`", [Duration.seconds(1), .seconds(2)], path: .isList, query: "v=1&v=2", header: .isNotText,
            form: "v=1&v=2", json: #"{"v":[1,2]}"#, part: "1 | 2", body: "[1,2]",
            except: .template("1,2") + .segments("1/2") + .fields("1, 2")),
        ValueRow(
            "`[Data]`", [Data([65]), Data([66])], path: .isList, query: "v=QQ==&v=Qg==", header: .isNotText,
            form: "v=QQ==&v=Qg==", json: #"{"v":["QQ==","Qg=="]}"#, part: "A | B", body: #"["QQ==","Qg=="]"#,
            except: .template("QQ==,Qg==") + .segments("QQ==/Qg==") + .fields("QQ==, Qg==")),
        ValueRow(
            "`[URL]` of files", [file], path: .isFile, query: .isFile, header: .isFile, form: .isFile, json: .isFile,
            part: "(text/plain, strata-values.txt) the file's", body: .isFile),
        ValueRow(
            "a list of models", [Filter()], path: .isList, query: "v[0][status]=open", header: .isNotText,
            form: "v[0][status]=open", json: #"{"v":[{"status":"open"}]}"#,
            part: #"(application/json) [{"status":"open"}]"#, body: #"[{"status":"open"}]"#,
            except: .template(.error("a template takes scalars")) + .segments(.isObject) + .fields(.isObject)),
        ValueRow(
            "a list of `enum`s, not `Codable`",
            [
                .api: Sender.api { .init([Plain.up]) },
                .requests: Sender.requests(
                    path: { PathComponents { [Plain.up] } }, query: { QueryItems { ("v", [Plain.up]) } },
                    form: { Form { ("v", [Plain.up]) } }),
            ], path: .isList, query: "v=up", header: "up", form: "v=up", json: #"{"v":["up"]}"#, part: "up",
            body: #"["up"]"#, except: .segments("up")),
    ]

    private static func dictionary<Value: Codable & Sendable>(
        _ name: String, _ value: Value, key: String, element: String = "1"
    ) -> ValueRow {
        let json = #"{"\#(key)":\#(element)}"#
        return ValueRow(
            name, value, path: .isObject, query: .sent("v[\(key)]=\(element)"), header: .isNotText,
            form: .sent("v[\(key)]=\(element)"), json: .sent(#"{"v":\#(json)}"#),
            part: .sent("(application/json) \(json)"), body: .sent(json),
            except: .template(.sent("\(key),\(element)")) + .fields(.isObject))
    }

    private static let dictionaries: [ValueRow] = [
        dictionary("`[String: Int]`", ["a": 1], key: "a"),
        dictionary("`[Int: Int]`", [7: 1], key: "7"),
        dictionary("a dictionary by an `enum`, `Codable`", [Color.red: 1], key: "red"),
        dictionary("a dictionary by a `CodingKeyRepresentable`", [Named.one: 1], key: "one"),
        dictionary(
            "a dictionary by `UUID`", [UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)): 1],
            key: "00000000-0000-0000-0000-000000000001"),
        dictionary("a dictionary of `Duration`", ["a": Duration.seconds(1)], key: "a"),
        ValueRow(
            "dictionaries by an `enum` in a list", [[Color.red: 1]], path: .isList, query: "v[0][red]=1",
            header: .isNotText, form: "v[0][red]=1", json: #"{"v":[{"red":1}]}"#,
            part: #"(application/json) [{"red":1}]"#, body: #"[{"red":1}]"#,
            except: .template(.error("a template takes scalars")) + .segments(.isObject) + .fields(.isObject)),
        ValueRow(
            "a dictionary by an `enum`, not `Codable`",
            [
                .api: Sender.api { .init([Plain.up: 1]) },
                .requests: Sender.requests(
                    query: { QueryItems { ("v", [Plain.up: 1]) } }, form: { Form { ("v", [Plain.up: 1]) } }),
            ], path: .isObject, query: "v[up]=1", header: .isObject, form: "v[up]=1", json: #"{"v":{"up":1}}"#,
            part: #"(application/json) {"up":1}"#, body: #"{"up":1}"#),
    ]

    private static let models: [ValueRow] = [
        ValueRow(
            "a model", Filter(), path: .isObject, query: "v[status]=open", header: .isNotText, form: "v[status]=open",
            json: #"{"v":{"status":"open"}}"#, part: #"(application/json) {"status":"open"}"#,
            body: #"{"status":"open"}"#, except: .template("status,open") + .fields(.isObject)),
        ValueRow(
            "a model in a model", Search(), path: .isObject, query: "v[filter][status]=open", header: .isNotText,
            form: "v[filter][status]=open", json: #"{"v":{"filter":{"status":"open"}}}"#,
            part: #"(application/json) {"filter":{"status":"open"}}"#, body: #"{"filter":{"status":"open"}}"#,
            except: .template(.error("a template takes scalars")) + .fields(.isObject)),
        ValueRow(
            "a model with a dictionary by an `enum`", Counts(), path: .isObject, query: "v[byColor][red]=1",
            header: .isNotText, form: "v[byColor][red]=1", json: #"{"v":{"byColor":["red",1]}}"#,
            part: #"(application/json) {"byColor":["red",1]}"#, body: #"{"byColor":["red",1]}"#,
            except: .template(.error("a template takes scalars")) + .fields(.isObject)),
        ValueRow(
            "a model with a `Duration`", Job(), path: .isObject, query: "v[limit]=5", header: .isNotText,
            form: "v[limit]=5", json: #"{"v":{"limit":[0,5000000000000000000]}}"#,
            part: #"(application/json) {"limit":[0,5000000000000000000]}"#,
            body: #"{"limit":[0,5000000000000000000]}"#, except: .template("limit,5") + .fields(.isObject)),
        ValueRow("a model with a file's `URL`", Link(), refused: .isFile),
    ]

    /// Values whose type is not known to the encoder beforehand.
    private static let open: [ValueRow] = [
        ValueRow(
            "`JSONValue` number",
            JSONValue.number(JSONNumber("0.1000000000000000000000000000000000000000000010") ?? .init(0)),
            text: "0.1000000000000000000000000000000000000000000010",
            json: "0.1000000000000000000000000000000000000000000010"),
        ValueRow(
            "`JSONValue` object", ["a": 1] as JSONValue, path: .isObject, query: "v[a]=1", header: .isNotText,
            form: "v[a]=1", json: #"{"v":{"a":1}}"#, part: #"(application/json) {"a":1}"#, body: #"{"a":1}"#,
            except: .template("a,1") + .fields(.isObject)),
        ValueRow(
            "`any Encodable`",
            [.api: Sender.api { .init(Date(timeIntervalSinceReferenceDate: 0) as any Encodable) }],
            path: "2001-01-01T00:00:00Z", query: "v=2001-01-01T00:00:00Z", header: "2001-01-01T00:00:00Z",
            form: "v=2001-01-01T00:00:00Z", json: #"{"v":0}"#, part: "2001-01-01T00:00:00Z", body: "0"),
        ValueRow(
            "`[String: Any]`",
            [
                .api: Sender.api { .init(["a": 1] as [String: Any]) },
                .requests: Sender.requests(
                    json: { BodyProperty(["v": ["a": 1] as [String: Any]] as [String: Any]) },
                    body: { BodyProperty(["a": 1] as [String: Any]) }),
            ], path: .isObject, query: "v[a]=1", header: .isObject, form: "v[a]=1", json: #"{"v":{"a":1}}"#,
            part: #"(application/json) {"a":1}"#, body: #"{"a":1}"#),
    ]
}
