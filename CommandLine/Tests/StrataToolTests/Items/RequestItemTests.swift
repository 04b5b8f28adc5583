// SPDX-License-Identifier: Apache-2.0

import StrataTool
import Testing

struct RequestItemTests {
    @Test(arguments: [
        ("name=Ada", RequestItem(.text, "name", "Ada")),
        ("name=", RequestItem(.text, "name", "")),
        ("a=b=c", RequestItem(.text, "a", "b=c")),
        ("q==a b", RequestItem(.query, "q", "a b")),
        ("q===", RequestItem(.query, "q", "=")),
        ("age:=36", RequestItem(.json, "age", "36")),
        ("tags:=[\"a\"]", RequestItem(.json, "tags", "[\"a\"]")),
        ("Accept:text/html", RequestItem(.field, "Accept", "text/html")),
        ("X:a:b=c", RequestItem(.field, "X", "a:b=c")),
        ("User-Agent:", RequestItem(.field, "User-Agent", "")),
        ("X-Empty;", RequestItem(.emptyField, "X-Empty", "")),
        ("photo@a.png", RequestItem(.file, "photo", "a.png")),
        ("@body.json", RequestItem(.file, "", "body.json")),
        ("@-", RequestItem(.file, "", "-")),
        ("text=@a.txt", RequestItem(.text, "text", "a.txt", isFromFile: true)),
        ("doc:=@a.json", RequestItem(.json, "doc", "a.json", isFromFile: true)),
        ("q==@a.txt", RequestItem(.query, "q", "a.txt", isFromFile: true)),
        ("Authorization:@token", RequestItem(.field, "Authorization", "token", isFromFile: true)),
        ("mail=a@b.example", RequestItem(.text, "mail", "a@b.example")),
        ("url=http://a:1/?x==y", RequestItem(.text, "url", "http://a:1/?x==y")),
        ("user[name]=Ada", RequestItem(.text, "user[name]", "Ada")),
        ("é=ü", RequestItem(.text, "é", "ü")),
    ])
    func theFirstAndLongestSeparatorCounts(text: String, item: RequestItem) throws {
        #expect(try RequestItem(text) == item)
    }

    @Test(arguments: [
        (#"a\:b=c"#, RequestItem(.text, "a:b", "c")),
        (#"a\=b=c"#, RequestItem(.text, "a=b", "c")),
        (#"a\@b:c"#, RequestItem(.field, "a@b", "c")),
        (#"a\==b"#, RequestItem(.text, "a=", "b")),
        (#"a\:=1"#, RequestItem(.text, "a:", "1")),
        (#"path=C:\dir\file"#, RequestItem(.text, "path", #"C:\dir\file"#)),
        (#"a\\=b"#, RequestItem(.text, #"a\\"#, "b")),
        (#"a[\1]=b"#, RequestItem(.text, #"a[\1]"#, "b")),
        (#"a=b\"#, RequestItem(.text, "a", #"b\"#)),
        (#"X\;;"#, RequestItem(.emptyField, "X;", "")),
    ])
    func aBackslashTakesTheMeaningOfASeparatorAway(text: String, item: RequestItem) throws {
        #expect(try RequestItem(text) == item)
    }

    @Test(arguments: ["", "s3cret", #"s3cret\=x"#, "=s3cret", ":s3cret", "==s3cret", ";", #"s3cret\;"#])
    func whatIsNoItemIsAnErrorThatDoesNotRepeatIt(text: String) throws {
        let error = try #require(throws: UsageError.self) { try RequestItem(text, place: 3) }
        #expect(error.description.hasPrefix("item 3"))
        #expect(!error.description.contains("s3cret"))
    }
}
