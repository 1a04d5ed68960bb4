import Foundation
import Testing

@Suite("The parsers of outside bytes")
struct ParserListTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources").standardizedFileURL

    /// How a parser of bytes begins, or of what was made of bytes and says nothing yet. Private ones count, for a file may
    /// have no other.
    private static func ofBytes() throws -> [Regex<Substring>] {
        let types = [
            #"\[UInt8\]\??"#, #"\[String\]"#, "ArraySlice<UInt8>", "(?:Bidirectional)?Collection<UInt8>",
            "Sequence<UInt8>", #"Data\??"#, "ByteBuffer", "Unsafe(?:Raw)?BufferPointer(?:<UInt8>)?",
            #"(?:String|Substring)\.UTF8View"#, "JSONValue", "HTTPAnswer", "RawAnswer", "HTTPFields", "HTTPRequest",
            "WebSocketFrame", "XMLElement", "XMLRecord",
        ]
        let bytes = oneOf(types)
        // What has another of these names gives bytes away, or another form.
        let name = #"(?:init\??|func (?!write|encode|publish|hash|sign|append|add|send)\w+)\#(generic)"#
        return try regexes([
            #"\#(name)\(\#(label)\#(bytes)"#,
            #"(?:init\??|func \w+)\#(generic)\([^()]*, (?:\w+ )?(?:body|bytes|answer|data|lines?): \#(bytes)"#,
            // The bytes of a file, of an answer, of a connection.
            #"init\(path: String"#, #"http\.send\("#, "typealias InboundIn = (?:ByteBuffer|WebSocketFrame)",
        ])
    }

    /// How a parser of a text begins.
    private static func ofTexts() throws -> [Regex<Substring>] {
        let types = [#"String\??"#, "StringProtocol", #"Substring\??"#]
        let names = [
            "parse", "read", "decoded?", "date", "open", "readings", "unescape", "value", "matches", "of",
            #"is[A-Z]\w*"#, #"has(?!Row)[A-Z]\w*"#, "fault", "digest", "token", "split", "words?",
        ].joined(separator: "|")
        return try regexes([
            #"init\?\#(generic)\(\#(label)\#(oneOf(types))"#,
            #"init\#(generic)\((?:_|parsing|encoded|line|target|of|from|in) \w+: \#(oneOf(types + ["Answer"]))"#,
            #"func (?:\#(names))\#(generic)\(\#(label)\#(oneOf(types))"#,
        ])
    }

    private static let generic = "(?:<[^>(]*>)?"
    private static let label = #"(?:\w+ )?\w+: "#

    private static func oneOf(_ types: [String]) -> String {
        #"(?:some |any |inout )?(?:\#(types.joined(separator: "|")))\s*[,)=]"#
    }

    private static func regexes(_ beginnings: [String]) throws -> [Regex<Substring>] {
        try beginnings.map { try Regex(#"(?:^|\s)\#($0)"#, as: Substring.self) }
    }

    /// Files that look like parsers and read nothing that comes from outside, or hand it on to one that is in a target.
    private static let others: Set<String> = operators.union(ours).union(values).union(written).union(handed)

    /// What an operator wrote or is named by, read once at the start.
    private static let operators: Set<String> = [
        "AppleRoots", "BackendRegistry", "BodyTemplate", "CampaignLock", "CheckCases", "CheckReader", "CloudSoftphone",
        "DirectoryGroups", "DrillFault", "EdgeTemplate", "Endpoint", "GatefoldConfiguration", "GoogleSigningKey",
        "InPlayerBackendKind", "InPlayerEnvironment", "MQTTBroker+Address", "MailSender", "ODBCConnectionString",
        "PushSettings", "ReadExpression", "Rule", "SecretQuality", "SettingsSection+Secrets", "SubscriptionProduct",
    ]

    /// Files and databases of our own.
    private static let ours: Set<String> = [
        "FeedDatabase", "FeedFileStamp", "FeedLock", "FeedStatus", "FeedWriter", "SQLiteChanges", "SQLiteStateStore",
        "SQLiteStateStore+Acquaintances", "SQLiteStateStore+ItemNumbers", "SubscriberDatabase",
    ]

    /// Protocols, what is made of values that were read already, and what is hashed, compared or looked up, whatever it
    /// is.
    private static let values: Set<String> = [
        "AccountBook", "AdoptedReader", "CatalogueColumns", "ConnectionBudget", "ConstantTime", "ContentType",
        "Decided", "Decoys", "DigestFunction", "ExactText", "FeedItem", "GuessAttempt", "HTTPMessages",
        "InPlayerSettings", "InPlayerTransport", "KeptAnswer", "LaneMemory", "MQTTPacket", "PBKDF2Hash",
        "PasswordHasher", "PasswordVerifier", "PublicationProxy", "PushToken", "QuestionKey", "ReceiptVerifier",
        "RevocationMemory", "SQLChange", "SQLDatabase", "SQLValues", "Secret", "SessionKeeper", "SessionStore",
        "ShadowWatch", "StoredPassword", "TokenCodec",
    ]

    /// What we say ourselves.
    private static let written: Set<String> = [
        "AWSSignature", "AccessDocument", "CacheableDocument", "Checkup+Malformed", "FeedDocument", "InPlayerAnswer",
        "JSONWriter", "LDAPConnection+Operations", "MailMessage", "NoCacheHeaders", "PugpigResponse", "ResumptionRule",
        "WholeAnswer", "XMLText",
    ]

    /// What hands bytes on as they came, to a parser in a target or to a library. Of an answer these look at the status, at
    /// how long to wait, and at a text that they ask about next; of a file or a request at where it is.
    private static let handed: Set<String> = [
        "AmazonService", "AppStoreNotifications", "AppStoreServerClient", "AppleSignedData", "AppleStore",
        "AppleStore+Unified", "AuthRequestAnswer", "DigestAuthorization", "DocumentPlace", "FastLaneHandler",
        "GateRules", "ImportFile", "LaneAnswers", "LastRequestHandler", "OpenFile", "ProbeTransport", "PublicationFeed",
        "PurchaseDesk+Following", "RequestArrivalHandler", "RevocationRequester", "SignedAppStoreData", "TLSProbe",
        "VerifyReceiptClient", "WebhookCarrier",
    ]

    @Test("are all in a target")
    func complete() throws {
        let covered = Set(FuzzTarget.all.flatMap(\.parsers))
        var names: Set<String> = []
        var found: Set<String> = []
        let (ofBytes, ofTexts) = (try Self.ofBytes(), try Self.ofTexts())
        let files = try #require(FileManager.default.enumerator(at: Self.sources, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let name = file.deletingPathExtension().lastPathComponent
            names.insert(name)
            let isParser = Self.declarations(try String(contentsOf: file, encoding: .utf8)).contains { line in
                let beginnings = line.contains("private") ? ofBytes : ofBytes + ofTexts
                return beginnings.contains { line.firstMatch(of: $0) != nil }
            }
            guard isParser else { continue }
            found.insert(name)
            #expect(covered.contains(name) || Self.others.contains(name), "expected a fuzz target for \(file.path)")
        }
        #expect(covered.subtracting(names) == [], "expected names of source files")
        #expect(Self.others.subtracting(found) == [], "expected names of source files that look like parsers")
        #expect(Self.others.intersection(covered) == [], "expected nothing to be excused that is in a target")
    }

    /// The lines that may begin a parser, with the next one where they end with a parenthesis. The expressions are slow:
    /// most lines need not be given to them.
    private static func declarations(_ source: String) -> [String] {
        var lines: [String] = []
        var begun = ""
        let words = ["init", "func ", "http.send(", "InboundIn ="]
        for line in source.split(separator: "\n") {
            let own = line.drop { $0 == " " }
            guard !own.hasPrefix("//") else { continue }
            let text = begun + String(own)
            begun = text.hasSuffix("(") ? text : ""
            guard begun.isEmpty else { continue }
            if words.contains(where: { text.contains($0) }) { lines.append(text) }
        }
        return lines
    }
}
