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

    /// How a parser begins whose name says nothing: by what it is given, which is part of a request. Private ones count.
    private static func ofParts() throws -> [Regex<Substring>] {
        let parts = "path|target|accept|header|query|uri|cookie|origin"
        let texts = oneOf([#"String\??"#, "StringProtocol", #"Substring\??"#])
        return try regexes([
            #"func (?!write|get|post)\w+\#(generic)\((?:\w+ )?(?:\#(parts)): \#(texts)"#,
            #"func \w+\(\#(label)Request\b[^{]*-> (?!Response|some )"#,
            #"func \w+\((?:\w+ )?fields: \[String: String\]"#,
        ])
    }

    /// What takes a text apart, in whatever function or value.
    private static let cuts = [
        ".split(separator:", ".split(whereSeparator:", ".split {", ".firstRange(of:", ".wholeMatch(of:",
        ".prefixMatch(of:", ".firstMatch(of:", #"Index(of: ""#, "Index(of: UInt8(", #".dropFirst(""#, ".drop(while:",
        ".drop {", ".prefix(while:", ".prefix {", ".flatMap { Int($0)", ".flatMap({ Int($0)",
    ]

    private static func isCut(in source: String) -> Bool {
        source.withCString { source in cuts.contains { strstr(source, $0) != nil } }
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
        "CloudSoftphone+Settings", "ContentLayout+Settings", "DirectoryGroups", "DrillFault", "EdgeTemplate",
        "Endpoint", "EnvironmentOverrides", "FeedSchedule", "GatefoldConfiguration", "GoogleSigningKey",
        "GoogleStoreSettings", "InPlayerBackendKind", "InPlayerConfiguration", "InPlayerEnvironment",
        "MQTTBroker+Address", "MailSender", "MailServer", "NoticeSettings", "ODBCConnectionString",
        "PostgreSQLSettings", "PublicURL", "PugpigCalls", "PushCredentials", "PushSettings", "ReadExpression", "Rule",
        "SecretQuality", "SettingsSection+Secrets", "SocketAddress", "SubscriptionProduct", "TransferRequest",
        "WebhookSettings",
    ]

    /// Files and databases of our own.
    private static let ours: Set<String> = [
        "AppliedImport", "CatalogueMemory", "DatabaseFiles", "DatabaseUse", "DenialCache+Sharing", "DeniedEditions",
        "DurableFolder", "FeedDatabase",
        "FeedFileStamp", "FeedLock", "FeedStatus", "FeedStore", "FeedWriter", "GenerationFile", "HerdReport",
        "PrivateFile", "SQLiteChanges", "SQLiteStateStore", "SQLiteStateStore+Acquaintances", "SharedFact",
        "SQLiteStateStore+ItemNumbers", "StateBackup", "StateRestore", "SubscriberDatabase",
        "SubscriberDatabase+Applying", "WriteAheadLog",
    ]

    /// Protocols, what is made of values that were read already, and what is hashed, compared or looked up, whatever it
    /// is.
    private static let values: Set<String> = [
        "AcceptFailureHandler", "AccountBook", "AdoptedReader", "CatalogueColumns", "CollationEquivalents",
        "ConstantTime", "ContentType", "CredentialFacts", "CredentialsForm", "CryptFunction", "Decided", "Decoys",
        "DigestFunction", "ExactText", "FeedItem",
        "GuessAttempt", "HTTPMessages", "InPlayerSettings", "InPlayerTransport", "KeptAnswer", "LaneMemory",
        "MQTTPacket", "NewerSchema", "PBKDF2Hash", "PINCodeStore", "PasswordHasher", "PasswordVerifier",
        "PublicationProxy", "PushToken",
        "QuestionKey", "RecalledSignIns", "ReceiptVerifier", "RevocationMemory", "SQLChange", "SQLDatabase",
        "SQLValues", "SQLiteStateStore+PINCodes", "Secret",
        "SendWindow", "SessionKeeper", "SessionStore", "ShadowWatch", "StoredPassword", "TokenCodec",
    ]

    /// What we say ourselves.
    private static let written: Set<String> = [
        "AWSSignature", "AccessDocument", "CacheableDocument", "CampaignCommand", "CheckReport+Table",
        "Checkup+Malformed", "CitedSource", "DrillReader", "FeedDocument", "InPlayerAnswer", "JSONWriter",
        "LDAPConnection+Operations", "LoopTurns", "MailMessage", "MemoryTrimmer", "MicroPieces", "NoCacheHeaders",
        "PathTricks", "Probe",
        "PugpigResponse", "WholeAnswer", "XMLText",
    ]

    /// What hands bytes on as they came, to a parser in a target or to a library. Of an answer these look at the status,
    /// its type, at how long to wait, and at a text that they ask about next; of a file or a request at where it is, how
    /// long, and which headers and fields there are.
    private static let handed: Set<String> = [
        "AmazonService", "AppStoreNotifications", "AppStoreServerClient", "AppStoreServerClient+Questions",
        "AppleSignedData", "AppleStore", "AppleStore+Unified", "AuthRequestAnswer", "BakerSettings",
        "BasispressQuestion+Receipt", "DigestAuthorization", "DocumentPlace", "DocumentRules", "FileServer",
        "FlushRequest", "GateRules", "ImportFile", "InPlayerDirectory", "LastRequestHandler", "NoticeAuthRequest",
        "ODBCHandle", "ODBCStatement", "OpenFile", "PairedStreams", "ProbeTransport", "PublicationFeed",
        "PugpigFrontDoor", "PurchaseDesk+Confirmation", "PurchaseDesk+Following", "RequestArrivalHandler",
        "RevocationRequester",
        "SignedAppStoreData", "StoreKind+Form", "StoreNotificationsFrontDoor", "SubscriberImport", "TLSProbe",
        "VerifyReceiptClient", "WebhookCarrier",
    ]

    @Test("are all in a target")
    func complete() throws {
        let covered = Set(FuzzTarget.all.flatMap(\.parsers))
        var names: Set<String> = []
        var found: Set<String> = []
        let (ofAll, ofTexts) = (try Self.ofBytes() + Self.ofParts(), try Self.ofTexts())
        let files = try #require(FileManager.default.enumerator(at: Self.sources, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let name = file.deletingPathExtension().lastPathComponent
            names.insert(name)
            let source = try String(contentsOf: file, encoding: .utf8)
            let begins = { (line: String) in
                let beginnings = line.contains("private") ? ofAll : ofAll + ofTexts
                return beginnings.contains { line.firstMatch(of: $0) != nil }
            }
            guard Self.isCut(in: source) || Self.declarations(source).contains(where: begins) else { continue }
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
