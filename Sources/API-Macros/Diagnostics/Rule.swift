// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics

/// A rule that a declaration broke, said in one sentence.
struct Rule: DiagnosticMessage {
    let message: String
    let diagnosticID: MessageID
    let severity: DiagnosticSeverity

    private init(_ id: String, _ message: String, severity: DiagnosticSeverity = .error) {
        self.message = message
        self.severity = severity
        diagnosticID = MessageID(domain: "StrataAPI", id: id)
    }
}

// MARK: The function

extension Rule {
    static let notAnInstanceFunction = Rule("notAnInstanceFunction", "an endpoint has to be an instance function")
    static let notAsyncThrows = Rule("notAsyncThrows", "an endpoint has to be 'async throws'")
    static let publisherWithEffects = Rule(
        "publisherWithEffects", "an endpoint that returns a publisher waits for nothing and throws nothing")
    static let hasBody = Rule("hasBody", "the body of an endpoint is written by the macro; remove this one")
    static func twoMethods(_ first: String, _ second: String) -> Rule {
        Rule("twoMethods", "the endpoint is '@\(first)' already; a function has one HTTP method, not '@\(second)' too")
    }
    static func missingAPI(_ method: String, inSubclass: Bool = false) -> Rule {
        Rule(
            "missingAPI",
            "'@\(method)' needs '@API' on the type around it"
                + (inSubclass ? "; if its superclass has it, put the endpoint into an extension" : ""))
    }
    static let conditionalAttribute = Rule(
        "conditionalAttribute",
        "an attribute inside of '#if' cannot be read; put the whole declaration into the '#if', once for each case")
    static let conditionalInitializer = Rule(
        "conditionalInitializer",
        "the condition cannot be read; give the type an 'init(_ provider: Provider)' of its own outside of the '#if'")
    static let propertiesInTuple = Rule(
        "propertiesInTuple",
        "the initialiser takes each property by its name: declare them one by one, or write the initialiser yourself")
    static func markerWithoutMethod(_ name: String) -> Rule {
        Rule("markerWithoutMethod", "'@\(name)' is about an endpoint, and this function has no HTTP method")
    }
    static func markerOnExtension(_ name: String) -> Rule {
        Rule(
            "markerOnExtension",
            "'@\(name)' on an extension is about nothing: put it on the type, or on each endpoint that it is about")
    }
    static func misplacedMarker(_ name: String) -> Rule {
        Rule("misplacedMarker", "'@\(name)' is about an endpoint or a type with '@API', and this is neither")
    }
    static let targetOfType = Rule(
        "targetOfType", "'@URL' is about one endpoint, whose parameter holds the target, and this is a type")
    static let tableOfType = Rule(
        "tableOfType", "a table makes the elements of one endpoint, and this is a type; put it on the endpoint")
    static func givenTwice(_ name: String) -> Rule {
        Rule("givenTwice", "'@\(name)' stands here already, and only one of them can count")
    }
    static func hiddenByMember(_ name: String) -> Rule {
        Rule(
            "hiddenByMember",
            "a member of the type hides the '\(name)' that the attribute names; rename it, or qualify the name, as in "
                + "'Module.\(name)'")
    }
    static let mockNotLiteral = Rule(
        "mockNotLiteral", "whether there is a mock is 'true' or 'false': the macro cannot compute it")
    static let unsupportedType = Rule("unsupportedType", "'@API' goes on a struct, class, actor or protocol")
    static func inheritedRequirements(_ name: String, isClassBound: Bool) -> Rule {
        Rule(
            "inheritedRequirements",
            "what '\(name)' asks for is out of the macro's sight: extensions of the client and the mock have to bring it"
                + (isClassBound ? "" : "; if it is for classes only, write 'AnyObject' here too"),
            severity: .remark)
    }
    static let actorProtocol = Rule(
        "actorProtocol", "the client and the mock of an '@API' protocol are not actors; put '@API' on the actor itself")
    static let requirementWithoutMethod = Rule(
        "requirementWithoutMethod",
        "a function of an '@API' protocol needs an HTTP method, for example '@GET(\"/path\")'")
    static let unsupportedRequirement = Rule(
        "unsupportedRequirement", "an '@API' protocol has functions only: the client cannot implement this requirement")
}

// MARK: Path and method

extension Rule {
    static let pathNotLiteral = Rule(
        "pathNotLiteral", "the path has to be a plain string literal: its placeholders are checked here")
    static let methodNotToken = Rule(
        "methodNotToken", "the HTTP method has to be a string literal of letters, digits and !#$%&'*+-.^_`|~")
    static let missingPath = Rule("missingPath", "the endpoint needs a path, or '@URL' for an absolute target")
    static let pathBesideURL = Rule("pathBesideURL", "'@URL' gives the whole target; remove the path")
    static let missingTarget = Rule(
        "missingTarget", "'@URL' needs a parameter that holds the target: name it 'url' or label it '_'")
    static let fragmentInPath = Rule("fragmentInPath", "a fragment ('#…') is never sent; remove it from the path")
    static func illegalPathCharacter(_ character: Character) -> Rule {
        Rule("illegalPathCharacter", "the path has a character that must be percent-encoded: '\(character)'")
    }
    static let unbalancedBrace = Rule("unbalancedBrace", "the path has a '{' or '}' without its partner")
    static func badPlaceholder(_ name: String) -> Rule {
        Rule("badPlaceholder", "'{\(name)}' is not a placeholder: its name has letters, digits, '_', '-' and '.' only")
    }
    static func unmatchedPlaceholder(_ name: String) -> Rule {
        Rule("unmatchedPlaceholder", "no parameter fills the placeholder '{\(name)}'")
    }
    static func colonPlaceholder(_ name: String) -> Rule {
        Rule("colonPlaceholder", "':\(name)' would be sent as it is; a placeholder is written '{\(name)}'")
    }
    static func pathWithoutPlaceholder(_ name: String) -> Rule {
        Rule("pathWithoutPlaceholder", "the path has no placeholder '{\(name)}'")
    }
}

// MARK: Parameters

extension Rule {
    static func twoRoles(_ first: String, _ second: String) -> Rule {
        Rule("twoRoles", "the parameter is '@\(first)' already; it cannot be '@\(second)' too")
    }
    static func unknownAttribute(_ name: String) -> Rule {
        Rule(
            "unknownAttribute",
            "'@\(name)' is not known to the macro; write the attribute by its own name, such as '@StrataAPI.Header', "
                + "or add one of its own beside it")
    }
    static let twoBodies = Rule("twoBodies", "a request has one body, and another parameter is it already")
    static func bodyBesideFields(_ name: String) -> Rule {
        Rule(
            "bodyBesideFields",
            "'\(name)' would be a field of the body, but another parameter is the whole body already")
    }
    static let contentOfGet = Rule(
        "contentOfGet",
        "the content of a GET has no meaning of its own (RFC 9110 §9.3.1): servers may ignore it, and URLSession refuses it",
        severity: .remark)
    static let partOutsideMultipart = Rule(
        "partOutsideMultipart", "'@Part' needs '@Multipart' on the function or its type")
    static let unnamedPart = Rule("unnamedPart", "a part needs a name: give the parameter a label or '@Part(name:)'")
    static func duplicateField(_ name: String) -> Rule {
        Rule("duplicateField", "another parameter is the field '\(name)' already")
    }
    static func duplicateHeader(_ name: String) -> Rule {
        Rule("duplicateHeader", "another parameter is the header field '\(name)' already")
    }
    static func duplicateTag(_ key: String) -> Rule {
        Rule("duplicateTag", "another parameter has the key '\(key)' already")
    }
    static func duplicatePlaceholder(_ name: String) -> Rule {
        Rule("duplicatePlaceholder", "another parameter fills the placeholder '{\(name)}' already")
    }
    static let targetWithoutURL = Rule("targetWithoutURL", "'@Url' needs '@URL' on the function, in place of a path")
    static let twoTargets = Rule("twoTargets", "a request has one target, and another parameter is it already")
    static let inoutParameter = Rule("inoutParameter", "an endpoint cannot write to a parameter; remove 'inout'")
    static let packParameter = Rule(
        "packParameter", "a pack of values has no names to go by on the wire; take an array, or a parameter for each")
    static let closureParameter = Rule(
        "closureParameter", "a closure cannot be sent; take its value, or hand it to the middleware by '@Tag'")
    static let unnamedParameter = Rule(
        "unnamedParameter", "the value of a parameter is handed on by its name, and this one has none")
    static let nameNotLiteral = Rule("nameNotLiteral", "the placeholder's name has to be a plain string literal")
    static func hiddenMember(_ name: String) -> Rule {
        Rule("hiddenMember", "beside a parameter named 'self', '\(name)' hides what the macro calls; rename it")
    }
    static func hiddenByParameter(_ name: String) -> Rule {
        Rule("hiddenByParameter", "the parameter '\(name)' hides what an attribute of the endpoint names; rename it")
    }
    static func staticMember(_ name: String) -> Rule {
        Rule("staticMember", "an instance makes the call, and has to name a static member as 'Self.\(name)'")
    }
    static let missingTagKey = Rule("missingTagKey", "'@Tag' needs the key of the attribute: '@Tag(TenantKey.self)'")
}

// MARK: Formats, fields and replies

extension Rule {
    static func formatWithoutBody(_ format: String, _ method: String) -> Rule {
        Rule("formatWithoutBody", "'@\(format)' is the format of a body, and this '\(method)' sends none")
    }
    static func twoFormats(_ first: String, _ second: String) -> Rule {
        Rule("twoFormats", "the body is '@\(first)' already; it cannot be '@\(second)' too")
    }
    static func illegalFieldName(_ name: String) -> Rule {
        Rule("illegalFieldName", "'\(name)' is not the name of a field (RFC 9110 §5.1)")
    }
    static func illegalFieldValue(_ name: String) -> Rule {
        Rule("illegalFieldValue", "the value of the field '\(name)' has a control character in it")
    }
    static let unlabelledElement = Rule(
        "unlabelledElement", "a tuple's elements are found by their labels; this one has none")
    static let misplacedTuple = Rule(
        "misplacedTuple",
        "a tuple stands alone, in an optional, an array or a dictionary; in anything else use a 'Decodable' type")
    static let tupleKey = Rule("tupleKey", "a dictionary with a tuple in it has keys of type 'String'")
    static let streamExpected = Rule(
        "streamExpected", "an '@EventStreaming' endpoint returns 'APIStream', 'AsyncThrowingStream' or 'AsyncStream'")
    static let opaqueReply = Rule(
        "opaqueReply", "an endpoint returns a concrete type: 'some' and 'any' cannot be decoded")
    static let headReply = Rule(
        "headReply", "the response to HEAD has no body: return nothing, 'HTTPHeaders' or 'HTTPResponse'")
    static let unusedErrorModel = Rule(
        "unusedErrorModel", "no model takes the place of a 'NetworkClientError', which is what this endpoint throws")
    static let emptyKeyPath = Rule("emptyKeyPath", "the key path is empty")
}
