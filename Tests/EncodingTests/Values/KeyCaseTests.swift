// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding
import Testing

/// Names in the case style of a form.
struct KeyCaseTests {
    private struct Keyed: Codable {
        var name: String
        init(_ name: String) { self.name = name }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: StringKey.self)
            try container.encode(1, forKey: StringKey(name))
        }
        init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: StringKey.self).allKeys.first?.stringValue ?? ""
        }
    }

    @Test(arguments: [
        ("id", "id"), ("userId", "user_id"), ("userID", "user_id"), ("myURLValue", "my_url_value"),
        ("URLValue", "u_rl_value"), ("aB", "a_b"), ("aBC", "a_bc"), ("aBCd", "a_b_cd"), ("ABc", "a_bc"), ("X", "x"),
        ("xYz", "x_yz"), ("a1B", "a1_b"), ("HTTP2Server", "h_ttp2_server"), ("oneTwoThree", "one_two_three"),
        ("userId2Name", "user_id2_name"), ("éÉa", "é_éa"), ("already_snake", "already_snake"), ("_aB", "_a_b"),
        ("", ""),
    ])
    func aWordEndsBeforeAnUpperCaseLetter(_ name: String, _ snake: String) throws {
        #expect(try FormEncoder(.init(keys: .snakeCase)).items(from: Keyed(name)).map(\.name) == [snake])
    }

    @Test(arguments: [("userID", "user-id"), ("oneTwoThree", "one-two-three"), ("a_bC", "a_b-c"), ("", "")])
    func theWordsMayBeSeparatedByHyphens(_ name: String, _ kebab: String) throws {
        #expect(try FormEncoder(.init(keys: .kebabCase)).items(from: Keyed(name)).map(\.name) == [kebab])
    }

    @Test(arguments: [
        ("id", "id"), ("user_id", "userId"), ("one_two_three", "oneTwoThree"), ("user__id", "userId"), ("_", "_"),
        ("__", "__"), ("_user_id", "_userId"), ("__user_id__", "__userId__"), ("user_id_", "userId_"), ("_id", "_id"),
        ("userId", "userId"), ("User_ID", "userId"), ("a_2x", "a2X"), ("x_1a_é", "x1AÉ"), ("a_b-c", "aB-C"),
        ("a_it’s", "aIt’s"), ("a_b.c", "aB.c"), ("", ""),
    ])
    func theWordsOfANameAreReadAsOneOfModels(_ snake: String, _ name: String) throws {
        #expect(try FormDecoder(.init(keys: .snakeCase)).decode(Keyed.self, from: "\(snake)=1").name == name)
    }
}
