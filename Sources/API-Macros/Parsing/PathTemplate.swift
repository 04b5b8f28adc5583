// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax
import SwiftSyntaxBuilder

/// The path of an endpoint, `/users/{id}/photos?size=small`, and where its placeholders stand.
struct PathTemplate {
    struct Placeholder {
        let name: String
        let position: AbsolutePosition
    }

    let text: String
    private(set) var placeholders: [Placeholder] = []

    /// Reports what is wrong with the path, and keeps what is right.
    init?(_ expression: ExprSyntax, problems: inout Problems) {
        guard let literal = expression.as(StringLiteralExprSyntax.self), let text = expression.literalText else {
            problems.report(.pathNotLiteral, at: expression)
            return nil
        }
        self.text = text
        // Offsets in the text are offsets in the source when the literal has no escapes.
        let start = literal.segments.positionAfterSkippingLeadingTrivia
        let isPlain = literal.segments.trimmedDescription == text
        func position(_ index: String.Index) -> AbsolutePosition {
            isPlain ? start.advanced(by: text.utf8.distance(from: text.startIndex, to: index)) : start
        }

        var index = text.startIndex
        while index < text.endIndex {
            let character = text[index]
            switch character {
            case "{":
                let nameStart = text.index(after: index)
                guard let end = text[nameStart...].firstIndex(where: { $0 == "}" || $0 == "{" }), text[end] == "}"
                else {
                    problems.report(.unbalancedBrace, at: literal, position: position(index))
                    return nil
                }
                let name = String(text[nameStart..<end])
                if name.isEmpty || !name.unicodeScalars.allSatisfy(Self.mayStandInName) {
                    problems.report(.badPlaceholder(name), at: literal, position: position(index))
                } else {
                    placeholders.append(Placeholder(name: name, position: position(index)))
                }
                index = end
            case "}":
                problems.report(.unbalancedBrace, at: literal, position: position(index))
                return nil
            case "#":
                let fixed = String(text[..<index])
                problems.report(
                    .fragmentInPath, at: literal, position: position(index),
                    fixIts: [.replacing(literal, with: Self.literal(fixed, like: literal), "remove the fragment")])
                return nil
            case _ where !character.unicodeScalars.allSatisfy(Self.mayStandInPath):
                problems.report(
                    .illegalPathCharacter(character), at: literal, position: position(index),
                    fixIts: [
                        .replacing(
                            literal, with: Self.literal(Self.percentEncoded(text), like: literal),
                            "percent-encode the path")
                    ])
                return nil
            default: break
            }
            index = text.index(after: index)
        }
    }

    private static func literal(_ text: String, like old: StringLiteralExprSyntax) -> StringLiteralExprSyntax {
        StringLiteralExprSyntax(content: text).with(\.leadingTrivia, old.leadingTrivia).with(
            \.trailingTrivia, old.trailingTrivia)
    }

    private static func mayStandInName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar == "-" || scalar == "." || scalar.properties.isAlphabetic
            || scalar.properties.numericType != nil
    }

    /// RFC 3986 §3.3 and §3.4, and `%` of what is encoded already.
    private static func mayStandInPath(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: "-._~!$&'()*+,;=:@/?%{}".unicodeScalars.contains(scalar)
        }
    }

    private static func percentEncoded(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if mayStandInPath(scalar) || scalar == "#" {
                result.unicodeScalars.append(scalar)
            } else {
                for byte in String(scalar).utf8 {
                    result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
                }
            }
        }
        return result
    }
}
