// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How values become the pairs of a form or a query, for which no standard exists.
///
///     var options = FormOptions()
///     options.arrays = .brackets            // tags[]=a&tags[]=b
///     options.keys = .snakeCase             // first_name=Ada
///
/// ``FormDecoder`` with the same options reads back what ``FormEncoder`` has written.
public struct FormOptions: Sendable {
    /// Default: `+`, as browsers write it. A query always has `%20`.
    public var spaces: Spaces = .plus
    /// Default: the key repeats.
    public var arrays: Arrays = .repeated
    /// Default: brackets.
    public var nesting: Nesting = .brackets
    /// Default: the key is left out.
    public var nils: Nils = .omit
    /// Default: `true` and `false`.
    public var bools: Bools = .words
    /// Default: ISO 8601 in UTC.
    public var dates: Dates = .iso8601
    /// Default: base64.
    public var data: Binary = .base64
    /// Default: as the type names them. The keys of dictionaries are data and never converted.
    public var keys: Keys = .asWritten
    /// Default: as encoded; the keys of dictionaries, which have no order, by their bytes.
    public var order: Order = .asEncoded

    public init(
        spaces: Spaces = .plus, arrays: Arrays = .repeated, nesting: Nesting = .brackets, nils: Nils = .omit,
        bools: Bools = .words, dates: Dates = .iso8601, data: Binary = .base64, keys: Keys = .asWritten,
        order: Order = .asEncoded
    ) {
        self.spaces = spaces
        self.arrays = arrays
        self.nesting = nesting
        self.nils = nils
        self.bools = bools
        self.dates = dates
        self.data = data
        self.keys = keys
        self.order = order
    }

    /// How deep values may stand in one another: 64. Deeper ones are an error in both directions.
    package static let maximumDepth = 64
}

extension FormOptions {
    public struct Spaces: Hashable, Sendable {
        enum Value { case plus, percent }
        let value: Value
        /// `+`.
        public static let plus = Spaces(value: .plus)
        /// `%20`: read as a space by every parser, of forms and of URLs.
        public static let percent = Spaces(value: .percent)
    }

    /// How the elements of an array are named, or joined. Elements that are objects or arrays themselves always get
    /// indices, because nothing else tells where one ends.
    ///
    /// In a list with separators, which OpenAPI calls `explode: false`, an element that has the separator in it is an
    /// error: the server could not tell it from two.
    public struct Arrays: Hashable, Sendable {
        enum Value { case repeated, brackets, indices, commas, spaces, pipes }
        let value: Value
        /// `a=1&a=2`.
        public static let repeated = Arrays(value: .repeated)
        /// `a[]=1&a[]=2`.
        public static let brackets = Arrays(value: .brackets)
        /// `a[0]=1&a[1]=2`.
        public static let indices = Arrays(value: .indices)
        /// `a=1,2`; in a form the comma is percent-encoded.
        public static let commas = Arrays(value: .commas)
        /// `a=1%202`, or `a=1+2` in a form.
        public static let spaces = Arrays(value: .spaces)
        /// `a=1%7C2`.
        public static let pipes = Arrays(value: .pipes)

        /// The name of an element that has an entry or a part of its own. The name of the array may have brackets
        /// already: `case tags = "tags[]"`.
        func name(ofElement index: Int, in name: String) -> String {
            let base = name.hasSuffix("[]") ? String(name.dropLast(2)) : name
            return switch value {
            case .brackets: "\(base)[]"
            case .indices: "\(base)[\(index)]"
            case .repeated, .commas, .spaces, .pipes: name
            }
        }

        /// What stands between the elements; `nil` when each has an entry of its own.
        var separator: Unicode.Scalar? {
            switch value {
            case .repeated, .brackets, .indices: nil
            case .commas: ","
            case .spaces: " "
            case .pipes: "|"
            }
        }
    }

    public struct Nesting: Hashable, Sendable {
        enum Value { case brackets, dots }
        let value: Value
        /// `a[b]=1`.
        public static let brackets = Nesting(value: .brackets)
        /// `a.b=1`.
        public static let dots = Nesting(value: .dots)
    }

    /// What is written for `nil`. In an array nothing can be left out, so that there `nil` is an error with ``omit``.
    /// Only the array of a query without indices gets shorter.
    public struct Nils: Hashable, Sendable {
        enum Value: Hashable { case omit, text(String) }
        let value: Value
        /// Nothing is written.
        public static let omit = Nils(value: .omit)
        /// `a=`. An empty text is read back as `nil`, too.
        public static let empty = Nils(value: .text(""))
        /// `a=null`, say. The text itself is read back as `nil`, too.
        public static func text(_ text: String) -> Nils { Nils(value: .text(text)) }
    }

    public struct Bools: Hashable, Sendable {
        enum Value { case words, numbers }
        let value: Value
        /// `true` and `false`.
        public static let words = Bools(value: .words)
        /// `1` and `0`.
        public static let numbers = Bools(value: .numbers)
    }

    public struct Dates: Sendable {
        enum Value: Sendable {
            case iso8601, secondsSince1970, millisecondsSince1970
            case custom(write: @Sendable (Date) throws -> String, read: @Sendable (String) throws -> Date)
        }
        let value: Value
        /// `2024-02-29T12:00:00Z`, with as many digits of the second as the date has.
        public static let iso8601 = Dates(value: .iso8601)
        /// `1709208000.25`, to the microsecond: a `Date`, which counts from 2001, may be finer.
        public static let secondsSince1970 = Dates(value: .secondsSince1970)
        /// `1709208000250`, to the microsecond.
        public static let millisecondsSince1970 = Dates(value: .millisecondsSince1970)
        public static func custom(
            write: @escaping @Sendable (Date) throws -> String, read: @escaping @Sendable (String) throws -> Date
        ) -> Dates {
            Dates(value: .custom(write: write, read: read))
        }
    }

    public struct Binary: Sendable {
        enum Value: Sendable {
            case base64, base64URL, hexadecimal
        }
        let value: Value
        public static let base64 = Binary(value: .base64)
        /// `-` and `_` for `+` and `/`, without padding (RFC 4648 §5).
        public static let base64URL = Binary(value: .base64URL)
        public static let hexadecimal = Binary(value: .hexadecimal)
    }

    public struct Keys: Sendable {
        enum Value: Sendable {
            case asWritten, snakeCase, kebabCase
            case custom(@Sendable (String) -> String, back: @Sendable (String) -> String)
        }
        let value: Value
        public static let asWritten = Keys(value: .asWritten)
        /// `firstName` becomes `first_name`, as with `JSONEncoder`; `first_name` is read as `firstName`, and so is
        /// `first__name`.
        public static let snakeCase = Keys(value: .snakeCase)
        /// `firstName` becomes `first-name`.
        public static let kebabCase = Keys(value: .kebabCase)
        /// A decoder asks `convert`, too, for the name of each key that it looks up. It needs `back` only for the cases
        /// of an `enum` with associated values, to find out which of them is there.
        public static func custom(
            _ convert: @escaping @Sendable (String) -> String, back: @escaping @Sendable (String) -> String = { $0 }
        ) -> Keys {
            Keys(value: .custom(convert, back: back))
        }

        /// As the encoder names the properties of models.
        package init(_ strategy: JSONEncoder.KeyEncodingStrategy) {
            self =
                switch strategy {
                case .useDefaultKeys: .asWritten
                case .convertToSnakeCase: .snakeCase
                case .custom(let convert): .custom { convert([StringKey($0)]).stringValue }
                @unknown default: .asWritten
                }
        }

        init(value: Value) { self.value = value }

        package var isAsWritten: Bool { if case .asWritten = value { true } else { false } }

        func name(of key: String) -> String {
            switch value {
            case .asWritten: key
            case .snakeCase: KeyCase.separated(key, by: "_")
            case .kebabCase: KeyCase.separated(key, by: "-")
            case .custom(let convert, _): convert(key)
            }
        }

        /// Whether ``key(named:)`` makes one key of `user_id` and `user__id`.
        var areMadeOfSeveralNames: Bool {
            switch value {
            case .snakeCase, .kebabCase: true
            case .asWritten, .custom: false
            }
        }

        /// For each key the first of the names that stand for it; empty when no key is made of several names.
        func namesByKey(_ names: [String]) -> [String: String] {
            areMadeOfSeveralNames ? Dictionary(names.map { (key(named: $0), $0) }) { first, _ in first } : [:]
        }

        func key(named name: String) -> String {
            switch value {
            case .asWritten: name
            case .snakeCase: KeyCase.camel(name, separatedBy: "_")
            case .kebabCase: KeyCase.camel(name, separatedBy: "-")
            case .custom(_, let back): back(name)
            }
        }
    }

    public struct Order: Hashable, Sendable {
        enum Value { case asEncoded, sorted }
        let value: Value
        public static let asEncoded = Order(value: .asEncoded)
        /// By the bytes of the names, for signatures and caches; repeated names keep their order.
        public static let sorted = Order(value: .sorted)
    }
}
