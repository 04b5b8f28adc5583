// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import Testing

/// How a model writes itself into a form or a query, through whatever containers it asks for.
struct ValueEncoderTests {
    private typealias Keyed = KeyedEncodingContainer<Letter>

    private func query(_ options: FormOptions = FormOptions(), _ write: @escaping (any Encoder) throws -> Void) throws
        -> String?
    {
        try QueryEncoder(options).string(from: Written(write)).removingPercentEncoding
    }

    /// For each type that a container has a method for.
    @Test func everyWidthHasItsText() throws {
        let rows:
            [(
                text: String, keyed: (inout Keyed) throws -> Void,
                list: (inout any UnkeyedEncodingContainer) throws -> Void,
                single: (inout any SingleValueEncodingContainer) throws -> Void
            )] = [
                ("true", { try $0.encode(true, forKey: .a) }, { try $0.encode(true) }, { try $0.encode(true) }),
                ("x", { try $0.encode("x", forKey: .a) }, { try $0.encode("x") }, { try $0.encode("x") }),
                ("1.5", { try $0.encode(1.5, forKey: .a) }, { try $0.encode(1.5) }, { try $0.encode(1.5) }),
                (
                    "0.1", { try $0.encode(Float(0.1), forKey: .a) }, { try $0.encode(Float(0.1)) },
                    { try $0.encode(Float(0.1)) }
                ),
                ("-7", { try $0.encode(-7, forKey: .a) }, { try $0.encode(-7) }, { try $0.encode(-7) }),
                (
                    "-128", { try $0.encode(Int8.min, forKey: .a) }, { try $0.encode(Int8.min) },
                    { try $0.encode(Int8.min) }
                ),
                (
                    "-32768", { try $0.encode(Int16.min, forKey: .a) }, { try $0.encode(Int16.min) },
                    { try $0.encode(Int16.min) }
                ),
                (
                    "-2147483648", { try $0.encode(Int32.min, forKey: .a) }, { try $0.encode(Int32.min) },
                    { try $0.encode(Int32.min) }
                ),
                (
                    "-9223372036854775808", { try $0.encode(Int64.min, forKey: .a) }, { try $0.encode(Int64.min) },
                    { try $0.encode(Int64.min) }
                ),
                (
                    "-170141183460469231731687303715884105728", { try $0.encode(Int128.min, forKey: .a) },
                    { try $0.encode(Int128.min) }, { try $0.encode(Int128.min) }
                ),
                ("7", { try $0.encode(UInt(7), forKey: .a) }, { try $0.encode(UInt(7)) }, { try $0.encode(UInt(7)) }),
                (
                    "255", { try $0.encode(UInt8.max, forKey: .a) }, { try $0.encode(UInt8.max) },
                    { try $0.encode(UInt8.max) }
                ),
                (
                    "65535", { try $0.encode(UInt16.max, forKey: .a) }, { try $0.encode(UInt16.max) },
                    { try $0.encode(UInt16.max) }
                ),
                (
                    "4294967295", { try $0.encode(UInt32.max, forKey: .a) }, { try $0.encode(UInt32.max) },
                    { try $0.encode(UInt32.max) }
                ),
                (
                    "18446744073709551615", { try $0.encode(UInt64.max, forKey: .a) }, { try $0.encode(UInt64.max) },
                    { try $0.encode(UInt64.max) }
                ),
                (
                    "340282366920938463463374607431768211455", { try $0.encode(UInt128.max, forKey: .a) },
                    { try $0.encode(UInt128.max) }, { try $0.encode(UInt128.max) }
                ),
            ]
        for row in rows {
            let keyed = try query {
                var container = $0.container(keyedBy: Letter.self)
                try row.keyed(&container)
            }
            #expect(keyed == "a=\(row.text)")
            let list = Written {
                var container = $0.unkeyedContainer()
                try row.list(&container)
                try row.list(&container)
                #expect(container.count == 2)
            }
            #expect(try QueryEncoder().string(from: ["a": list]) == "a=\(row.text)&a=\(row.text)")
            let single = Written {
                var container = $0.singleValueContainer()
                try row.single(&container)
            }
            #expect(try QueryEncoder().string(from: ["a": single]) == "a=\(row.text)")
            let twice = Written {
                var container = $0.singleValueContainer()
                try row.single(&container)
                try row.single(&container)
            }
            #expect(refusal { try QueryEncoder().string(from: ["a": twice]) } == "a: the value encodes itself twice")
            let again = Written {
                var container = $0.container(keyedBy: Letter.self)
                try row.keyed(&container)
                try row.keyed(&container)
            }
            #expect(refusal { try QueryEncoder().string(from: again) } == "a: two values for the key \"a\"")
        }
    }

    private struct Optionals: Encodable {
        var bool: Bool?
        var string: String?
        var double: Double?
        var float: Float?
        var int: Int?
        var int8: Int8?
        var int16: Int16?
        var int32: Int32?
        var int64: Int64?
        var int128: Int128?
        var uint: UInt?
        var uint8: UInt8?
        var uint16: UInt16?
        var uint32: UInt32?
        var uint64: UInt64?
        var uint128: UInt128?
        var date: Date?
    }

    @Test func nilOfEveryWidthIsWrittenWhenTheOptionsWantIt() throws {
        let names = [
            "bool", "string", "double", "float", "int", "int8", "int16", "int32", "int64", "int128", "uint", "uint8",
            "uint16", "uint32", "uint64", "uint128", "date",
        ]
        let none = try QueryEncoder(.init(nils: .text("nil"))).string(from: Optionals())
        #expect(none.split(separator: "&").map { $0.prefix { $0 != "=" } } == names.map { $0[...] })
        #expect(none.split(separator: "&").allSatisfy { $0.hasSuffix("=nil") })
        #expect(try QueryEncoder().string(from: Optionals()) == "")
        let some = Optionals(
            bool: false, string: "s", double: 0.5, float: 0.1, int: 1, int8: 2, int16: 3, int32: 4, int64: 5, int128: 6,
            uint: 7, uint8: 8, uint16: 9, uint32: 10, uint64: 11, uint128: 12, date: Date(timeIntervalSince1970: 0))
        for nils in [FormOptions.Nils.omit, .empty] {
            let items = try QueryEncoder(.init(nils: nils)).items(from: some)
            #expect(items.map(\.name) == names)
            #expect(
                items.map(\.value) == [
                    "false", "s", "0.5", "0.1", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12",
                    "1970-01-01T00:00:00Z",
                ])
        }
    }

    @Test func containersInContainersHaveTheirPlaces() throws {
        let rows: [(String, (any Encoder) throws -> Void)] = [
            (
                "a[b]=1",
                {
                    var outer = $0.container(keyedBy: Letter.self)
                    var inner = outer.nestedContainer(keyedBy: Letter.self, forKey: .a)
                    try inner.encode(1, forKey: .b)
                }
            ),
            // What was asked for is written, though nothing is in it.
            (
                "a=",
                {
                    var outer = $0.container(keyedBy: Letter.self)
                    _ = outer.nestedContainer(keyedBy: Letter.self, forKey: .a)
                }
            ),
            (
                "a[b]=1&a[c]=2",
                {
                    var outer = $0.container(keyedBy: Letter.self)
                    for key in [Letter.b, .c] {
                        var inner = outer.nestedContainer(keyedBy: Letter.self, forKey: .a)
                        try inner.encode(key == .b ? 1 : 2, forKey: key)
                    }
                }
            ),
            (
                "a=1&a=2&b=3",
                {
                    var outer = $0.container(keyedBy: Letter.self)
                    var inner = outer.nestedUnkeyedContainer(forKey: .a)
                    try inner.encode(1)
                    try inner.encode(2)
                    #expect(inner.count == 2)
                    try outer.encode(3, forKey: .b)
                }
            ),
            (
                "super=1",
                {
                    var outer = $0.container(keyedBy: Letter.self)
                    var inner = outer.superEncoder().singleValueContainer()
                    try inner.encode(1)
                }
            ),
            (
                "b[c]=1",
                {
                    var outer = $0.container(keyedBy: Letter.self)
                    var inner = outer.superEncoder(forKey: .b).container(keyedBy: Letter.self)
                    try inner.encode(1, forKey: .c)
                }
            ),
            (
                "a[0][b]=1&a[1]=2&a[2]=3&a[3]=null&a[4]=4",
                {
                    var outer = $0.container(keyedBy: Letter.self)
                    var list = outer.nestedUnkeyedContainer(forKey: .a)
                    var keyed = list.nestedContainer(keyedBy: Letter.self)
                    try keyed.encode(1, forKey: .b)
                    var inner = list.nestedUnkeyedContainer()
                    try inner.encode(2)
                    var single = list.superEncoder().singleValueContainer()
                    try single.encode(3)
                    try list.encodeNil()
                    try list.encode(4)
                }
            ),
        ]
        for (text, write) in rows {
            let sent = try query(.init(nils: .text("null")), write)
            #expect(sent == text)
        }
    }

    @Test func nilIsWrittenByOption() throws {
        func write(_ encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Letter.self)
            try container.encodeNil(forKey: .a)
            var inner = container.superEncoder(forKey: .b).singleValueContainer()
            try inner.encodeNil()
            try container.encode(1, forKey: .c)
        }
        #expect(try query(FormOptions(), write) == "c=1")
        #expect(try query(.init(nils: .empty), write) == "a=&b=&c=1")
    }

    @Test func keysAreConvertedAndPathsAreNot() throws {
        func write(_ value: Double) -> (any Encoder) throws -> Void {
            {
                var container = $0.container(keyedBy: Letter.self)
                var inner = container.nestedContainer(keyedBy: Letter.self, forKey: .firstName)
                try inner.encode(["aB": value], forKey: .firstName)
            }
        }
        #expect(try query(.init(keys: .snakeCase), write(1)) == "first_name[first_name][aB]=1")
    }

    private enum File { static let url = URL(fileURLWithPath: "/secret") }

    /// What has no text is refused where it stands.
    @Test func anErrorHasThePathThroughEveryContainer() {
        let reason = "a file is sent as a whole body or in a multipart form, and its URL nowhere"
        let rows: [(String, (any Encoder) throws -> Void)] = [
            (
                "a.b",
                {
                    var outer = $0.container(keyedBy: Letter.self)
                    var inner = outer.nestedContainer(keyedBy: Letter.self, forKey: .a)
                    #expect(inner.codingPath.place.hasSuffix("a"))
                    try inner.encode(File.url, forKey: .b)
                }
            ),
            (
                "a[1]",
                {
                    var outer = $0.container(keyedBy: Letter.self)
                    var inner = outer.nestedUnkeyedContainer(forKey: .a)
                    #expect(inner.codingPath.place.hasSuffix("a"))
                    try inner.encode(1)
                    try inner.encode(File.url)
                }
            ),
            (
                "super",
                {
                    var outer = $0.container(keyedBy: Letter.self)
                    var inner = outer.superEncoder().singleValueContainer()
                    #expect(inner.codingPath.place.hasSuffix("super"))
                    try inner.encode(File.url)
                }
            ),
            (
                "a[0][0].b",
                {
                    var outer = $0.container(keyedBy: Letter.self)
                    var list = outer.nestedUnkeyedContainer(forKey: .a)
                    var inner = list.nestedUnkeyedContainer()
                    var keyed = inner.nestedContainer(keyedBy: Letter.self)
                    try keyed.encode(File.url, forKey: .b)
                }
            ),
            (
                "a[1]",
                {
                    var outer = $0.container(keyedBy: Letter.self)
                    var list = outer.nestedUnkeyedContainer(forKey: .a)
                    try list.encode(1)
                    var single = list.superEncoder().singleValueContainer()
                    #expect(single.codingPath.place.hasSuffix("a[1]"))
                    try single.encode(File.url)
                }
            ),
        ]
        for (place, write) in rows {
            let url = Written(write)
            #expect(refusal { try QueryEncoder().string(from: url) } == "\(place): \(reason)")
            #expect(refusal { try QueryEncoder().string(from: url, named: "n") } == "n.\(place): \(reason)")
        }
    }

    @Test func aModelHasOneShape() throws {
        let reason = "the value encodes itself in two different shapes"
        let rows: [(any Encoder) throws -> Void] = [
            {
                var keyed = $0.container(keyedBy: Letter.self)
                try keyed.encode(1, forKey: .a)
                _ = $0.unkeyedContainer()
            },
            {
                var list = $0.unkeyedContainer()
                try list.encode(1)
                _ = $0.container(keyedBy: Letter.self)
            },
            {
                var single = $0.singleValueContainer()
                try single.encode(1)
                _ = $0.container(keyedBy: Letter.self)
            },
        ]
        for write in rows {
            #expect(refusal { try QueryEncoder().string(from: Written(write)) } == reason)
            #expect(refusal { try QueryEncoder().string(from: ["b": [Written(write)]]) } == "b[0]: \(reason)")
        }
        // More than one container of a kind is one.
        let list = Written {
            for number in 1...2 {
                var list = $0.unkeyedContainer()
                try list.encode(number)
            }
        }
        #expect(try QueryEncoder().string(from: ["a": list]) == "a=1&a=2")
        let keyed = try query {
            for key in [Letter.a, .b] {
                var container = $0.container(keyedBy: Letter.self)
                try container.encode(1, forKey: key)
            }
        }
        #expect(keyed == "a=1&b=1")
    }

    @Test func theCallersInformationReachesTheModel() throws {
        let key = try #require(CodingUserInfoKey(rawValue: "unit"))
        let model = Written {
            var container = $0.container(keyedBy: Letter.self)
            try container.encode($0.userInfo[key] as? String, forKey: .a)
        }
        var (query, form) = (QueryEncoder(), FormEncoder())
        query.userInfo[key] = "metre"
        form.userInfo[key] = "foot"
        #expect(try query.string(from: model) == "a=metre")
        #expect(try form.string(from: model) == "a=foot")
        #expect(try QueryEncoder().string(from: model) == "")
    }
}
