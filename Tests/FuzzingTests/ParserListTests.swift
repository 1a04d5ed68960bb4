import Foundation
import Testing

@Suite("Parsers of outside bytes")
struct ParserListTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources").standardizedFileURL

    /// Returns expressions for the start of a parser of bytes or of unparsed values made of them. Private parsers
    /// count, because a file may have no other.
    private static func ofBytes() throws -> [Regex<Substring>] {
        let types = [
            #"\[UInt8\]\??"#, #"\[String\]"#, "ArraySlice<UInt8>", "(?:Bidirectional)?Collection<UInt8>",
            "Sequence<UInt8>", #"Data\??"#, "ByteBuffer", "Unsafe(?:Raw)?BufferPointer(?:<UInt8>)?",
            #"(?:String|Substring)\.UTF8View"#, "JSONValue", "OutboundResponse", "ReceivedResponse", "HTTPFields",
            "HTTPRequest",
            "WebSocketFrame", "XMLElement", "XMLRecord",
        ]
        let bytes = oneOf(types)
        // Functions with any of these names write bytes or convert them.
        let name = #"(?:init\??|func (?!write|encode|publish|hash|sign|append|add|send)\w+)\#(generic)"#
        return try regexes([
            #"\#(name)\(\#(label)\#(bytes)"#,
            #"(?:init\??|func \w+)\#(generic)\([^()]*, (?:\w+ )?(?:body|bytes|response|data|lines?): \#(bytes)"#,
            // The bytes of a file, a response or a connection.
            #"init\(path: String"#, #"http\.send\("#, "typealias InboundIn = (?:ByteBuffer|WebSocketFrame)",
        ])
    }

    /// Returns expressions for the start of a parser of a text.
    private static func ofTexts() throws -> [Regex<Substring>] {
        let types = [#"String\??"#, "StringProtocol", #"Substring\??"#]
        let names = [
            "parse", "read", "decoded?", "date", "open", "readings", "unescape", "value", "matches", "of",
            #"is[A-Z]\w*"#, #"has(?!Row)[A-Z]\w*"#, "fault", "digest", "token", "split", "words?",
        ].joined(separator: "|")
        return try regexes([
            #"init\?\#(generic)\(\#(label)\#(oneOf(types))"#,
            #"init\#(generic)\((?:_|parsing|encoded|line|target|of|from|in) \w+: \#(oneOf(types + ["ResponseValue"]))"#,
            #"func (?:\#(names))\#(generic)\(\#(label)\#(oneOf(types))"#,
        ])
    }

    /// Returns expressions for the start of a parser whose name is not specific, by its parameter, which is part of a
    /// request. Private parsers count.
    private static func ofParts() throws -> [Regex<Substring>] {
        let parts = "path|target|accept|header|query|uri|cookie|origin"
        let texts = oneOf([#"String\??"#, "StringProtocol", #"Substring\??"#])
        return try regexes([
            #"func (?!write|get|post)\w+\#(generic)\((?:\w+ )?(?:\#(parts)): \#(texts)"#,
            #"func \w+\(\#(label)Request\b[^{]*-> (?!Response|some )"#,
            #"func \w+\((?:\w+ )?fields: \[String: String\]"#,
        ])
    }

    /// Expressions for calls that split a text in any function or value.
    private static let cuts = [
        ".split(separator:", ".split(whereSeparator:", ".split {", ".firstRange(of:", ".wholeMatch(of:",
        ".prefixMatch(of:", ".firstMatch(of:", #"Index(of: ""#, "Index(of: UInt8(", #".dropFirst(""#, ".drop(while:",
        ".drop {", ".prefix(while:", ".prefix {", ".flatMap { Int($0)", ".flatMap({ Int($0)",
    ]

    private static func splitsText(in source: String) -> Bool {
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

    /// Files that resemble parsers but read nothing from outside, or pass it on to a parser that is in a target.
    private static let others: Set<String> = operators.union(ours).union(values).union(written).union(passed)

    /// Files that read an operator's input once at the start.
    private static let operators: Set<String> = [
        "AppleRoots", "AuditHead", "AuditListCommand", "AuditReason", "AuditVerifyCommand", "BackendRegistry",
        "BackendTest", "BodyTemplate", "CheckCases", "CheckReader", "CloudSoftphone", "CloudSoftphone+Settings",
        "ContentLayout+EditionFile", "ContentLayout+Settings", "DirectoryGroups", "DrillFault", "EdgeTemplate",
        "AdminClient", "AdminLoginLinkCommand",
        "Endpoint", "EnvironmentOverrides", "FrontDoor", "FeedSchedule", "GatefoldConfiguration", "GoogleSigningKey",
        "GoogleStoreSettings", "InPlayerBackendKind", "InPlayerConfiguration", "InPlayerEnvironment",
        "MQTTBroker+Address", "MailSender", "MailServer", "NotificationBrokerSettings", "ODBCConnectionString",
        "PostgreSQLSettings", "PublicURL", "PugpigCalls", "PushCredentials", "PushSettings", "ReadExpression", "Rule",
        "ReaderTimeline", "SecretQuality", "SettingsSection+Secrets", "SocketAddress", "SubscriptionProduct",
        "TransferRequest", "UnixSocketFile",
        "WebhookSettings",
    ]

    /// Files that read our own files and databases.
    private static let ours: Set<String> = [
        "ChangeReceipts",
        "ActiveImport", "AdminOperations+Deliveries", "AuditDetails", "AuditLine", "BackupCopy", "BackupFile",
        "CatalogueCache",
        "DatabaseFiles", "DatabaseUsageCheck", "DenialCache+Sharing", "DeniedEditions",
        "FeedDatabase", "FeedLock", "FeedStatus", "FeedStore", "FeedWriter",
        "FileSync", "FileVersion", "GenerationFile", "HerdReport", "JournalDisk", "JournalFile", "NodeIdentityFile",
        "PrivateFile", "PrivateOutput",
        "RevocationJournal", "RevocationSnapshot", "SealedMail", "SealedReader", "SQLiteCommandExecutor",
        "SQLiteSubscriberStore",
        "PostgreSQLStateDatabase", "PostgreSQLStatement", "PostgreSQLTransaction",
        "PostgreSQLTransactionStart", "TimelineLine", "TimelineSubject",
        "SQLiteStateDatabase", "SharedFactBatch", "SQLStateStore+ItemNumbers",
        "SQLStateStore+AdminOutcomes", "SQLStateStore+AdminTokens",
        "SQLStateStore+Documents", "SQLStateStore+SQLite", "SQLStateStore+SQLitePlan", "SQLStateStore+KnownDevices",
        "SharedFact+Merging",
        "StateBackup", "StateRestore", "StateSchema", "SubscriberDatabase", "SubscriberDatabase+Applying",
        "StatementPart", "TableChange", "WriteAheadLog",
    ]

    /// Files with protocols, values made of parsed values, and code that hashes, compares or looks up its input.
    private static let values: Set<String> = [
        "AdminAuthenticator", "AdminOperation", "AdminOutcomeStore", "AdminProblem", "AdminSchema", "AdminTokenStore",
        "AcceptFailureHandler", "ConsoleProblem", "ExplanationSentence", "InProcessCall", "ReaderPage", "StartPage",
        "SubscriptionFacts", "AuditEncoding", "AuditText", "ItemNumberStore", "MigratedReader", "CatalogueColumns",
        "CollationEquivalents",
        "ConstantTime", "ContentType", "CredentialFacts", "CryptFunction",
        "DummyHashes",
        "DigestFunction", "ByteExactString", "Explanation", "FeedItem",
        "FileOrigin", "JournaledSessionStore", "LoginAttempt", "NodeStore", "SharedCounterStore", "SharedLoginThrottle",
        "SharedRateLimit",
        "StateDatabase", "StateHistory", "StateIsolation", "StateTable", "HTTPMessages", "InPlayerSettings",
        "InPlayerTransport",
        "MQTTPacket", "NewerSchema", "PBKDF2Hash", "PINCodeStore", "PasswordHasher", "PasswordVerifier",
        "AuthorizationService", "PushToken", "QueryTrace",
        "BackendQueryKey", "CachedSignIn", "ReceiptVerifier", "OCSPStatusCache", "SQLChange", "SQLDatabase",
        "SQLValues", "SQLStateStore+PINCodes", "Secret", "PseudonymKey+Sealing",
        "SendWindow", "SessionManager", "SharedDocument", "SharedDocuments", "KnownDeviceStore", "ShadowMonitor",
        "StoredPassword", "TokenCodec",
    ]

    /// Files that write our own messages.
    private static let written: Set<String> = [
        "AWSSignature", "AccessDocument", "BackendEvent+Protection", "CacheableDocument", "CampaignCommand",
        "CheckReport+Table", "ConsoleResponse", "Form", "Table",
        "CheckRun+Malformed", "DrillReader", "FeedDocument", "InPlayerResponse", "JSONWriter",
        "LibLDAPConnection+Operations", "EventLoopYield", "MailMessage", "MemoryTrimmer", "MicrobenchmarkFixture",
        "NoCacheHeaders",
        "PathConfusionCases", "Probe",
        "PugpigResponse", "SourceCitation", "XMLText",
    ]

    /// Files that pass bytes unchanged to a parser in a target or to a library. Of a response they read the status, the
    /// type, the retry delay and a text for the next request. Of a file or a request they read the location, the length
    /// and the names of headers and fields.
    private static let passed: Set<String> = [
        "AmazonService", "AppStoreNotifications", "AppStoreServerClient", "AppStoreServerClient+Requests",
        "AppleSignedData", "AppleStore", "AppleStore+Unified", "AuthRequestResponse", "BakerFrontDoor", "BakerRoutes",
        "BakerSettings",
        "BasispressRequestHandler+Receipt", "DigestAuthorization", "DocumentLocation", "DocumentRules", "FileServer",
        "ReaderLookup", "GateRules", "HTTP2Fields", "HTTP2IncomingRequest",
        "HTTP2RequestBody", "AdminAPI", "AdminOperations+Backends",
        "HTTP2Stream", "KeyedDigest",
        "ImportFile", "InPlayerDirectory", "ConnectionCloseHandler", "LinkingFrontDoor",
        "NotificationAuthRequest",
        "NodeState", "ODBCHandle", "ODBCStatement", "OpenFile", "PairedStreams", "ProbeTransport", "PublicationFeed",
        "PugpigFrontDoor", "PurchaseService+Confirmation", "PurchaseService+Following", "IncomingRequestHandler",
        "RequestResponder",
        "RevocationPeers", "RevocationRequester",
        "SignedAppStoreData", "StoreKind+Kind", "StoreNotificationsFrontDoor", "SubscriberImport", "TLSProbe",
        "VerifyReceiptClient", "WebhookDeliveryTransport",
    ]

    @Test("Are each covered by a target")
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
            guard Self.splitsText(in: source) || Self.declarations(source).contains(where: begins) else { continue }
            found.insert(name)
            #expect(covered.contains(name) || Self.others.contains(name), "expected a fuzz target for \(file.path)")
        }
        #expect(covered.subtracting(names) == [], "expected names of source files")
        #expect(Self.others.subtracting(found) == [], "expected names of source files that look like parsers")
        #expect(Self.others.intersection(covered) == [], "expected nothing to be excused that is in a target")
    }

    /// Returns the lines that may start a parser, joined with the next line if they end with a parenthesis. This
    /// filters most lines before the slow expressions run.
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
