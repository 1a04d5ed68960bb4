import BackendFixtures
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LDAP

@Suite("LDAP connection to slapd", .serialized) struct LDAPConnectionTests {
    static func connection(
        _ slapd: Slapd, to url: String? = nil, _ options: LDAPOptions = plain
    ) throws -> LDAPConnection {
        let url = try #require(DirectoryURL(url ?? "ldap://127.0.0.1:\(slapd.port)"))
        return LDAPConnection(library: try LDAPLibrary(), url: url, options: options)
    }

    static var plain: LDAPOptions {
        var options = LDAPOptions()
        options.startsTLS = false
        return options
    }

    private static func everybody(_ filter: String, limit: Int = 10) -> DirectorySearch {
        DirectorySearch(
            base: Slapd.people, scope: .subtree, filter: filter, attributes: ["uid", "jpegPhoto"], limit: limit)
    }

    @Test("Binds, searches and compares over TCP and over a Unix socket")
    func operations() async throws {
        try await Slapd.run(entries: Slapd.person(uid: "ada", mail: "ada@example.com", password: "p")) { slapd in
            for url in [nil, slapd.socketURL] {
                let connection = try Self.connection(slapd, to: url)
                try connection.connect()
                defer { connection.close() }
                let password = Array(Slapd.servicePassword.utf8)
                #expect(try connection.bind(name: Slapd.service, password: password) == .success)
                #expect(try connection.bind(name: Slapd.service, password: password + [0]) == .invalidCredentials)
                #expect(try connection.bind(name: "uid=nobody,\(Slapd.people)", password: [1]) == .invalidCredentials)
                #expect(try connection.bind(name: "no name", password: [1]) == .invalidDNSyntax)
                let found = try #require(try connection.search(Self.everybody("(uid=ada)")))
                #expect(found.entries.map(\.name) == [Slapd.name(of: "ada")])
                #expect(found.entries.first?.texts("UID") == ["ada"] && found.entries.first?.values("sn") == [])
                var missing = Self.everybody("(uid=ada)")
                missing.base = "ou=nowhere,\(Slapd.suffix)"
                #expect(try connection.search(missing) == nil)
                let name = Slapd.name(of: "ada")
                #expect(
                    try connection.compare(name: name, attribute: "sn", value: Array("reader".utf8)) == .compareTrue)
                #expect(try connection.compare(name: name, attribute: "sn", value: Array("x".utf8)) == .compareFalse)
                #expect(try connection.compare(name: name, attribute: "title", value: [1]) == .noSuchAttribute)
                #expect(connection.isUsable)
            }
        }
    }

    @Test("Pitfall 14: a bind without a name or a password is never sent, nor is a name with a NUL")
    func unauthenticated() async throws {
        try await Slapd.run(entries: "") { slapd in
            let connection = try Self.connection(slapd)
            try connection.connect()
            defer { connection.close() }
            #expect(throws: LDAPError.unauthenticatedBind) { try connection.bind(name: Slapd.service, password: []) }
            #expect(throws: LDAPError.unauthenticatedBind) { try connection.bind(name: "", password: [1]) }
            #expect(throws: LDAPError.unacceptableText) { try connection.bind(name: "cn=a\u{0}", password: [1]) }
            #expect(await slapd.log("BIND").isEmpty)
            // The server itself would have accepted it as anonymous.
            let anonymous = try await CommandRun.of(
                "ldapwhoami", ["-x", "-H", slapd.socketURL, "-D", Slapd.service, "-w", ""], in: slapd.folder)
            #expect(anonymous.status == 0 && anonymous.output.contains("anonymous"))
        }
    }

    @Test("Pitfall 13: each of many hostile names finds exactly its own entry")
    func hostileNames() async throws {
        var names = [
            "*", "a*", "*)(uid=*", "(", ")", "\\", "\\2a", "a,ou=people", "a+b", "#a", " a", "a\"b", "<>;=", "ä", "a/b",
            "{x}",
            "a=b", "ou=people,dc=example,dc=com", "\u{1F600}", "!", "&", "|", "a;b",
        ]
        var random = SeededRandom(seed: 90)
        for index in 0..<40 {
            let text = (0..<6).map { _ in "*()\\,+\"<>;=#&|! x".randomElement(using: &random).map(String.init) ?? "" }
            names.append("n\(index)" + text.joined())
        }
        let entries = names.enumerated().map {
            Slapd.person(uid: $1, mail: "m\($0)@example.com", password: "p", surname: "number-\($0)")
        }
        try await Slapd.run(entries: entries.joined()) { slapd in
            let connection = try Self.connection(slapd)
            try connection.connect()
            defer { connection.close() }
            for (index, name) in names.enumerated() {
                var search = Self.everybody("(uid=\(FilterValue.escape(name)))", limit: 100)
                search.attributes = ["mail"]
                let found = try #require(try connection.search(search))
                #expect(found.entries.map { $0.texts("mail") } == [["m\(index)@example.com"]], "\(name)")
                search = Self.everybody("(objectClass=*)")
                search.base = "uid=\(NameValue.escape(name)),\(Slapd.people)"
                search.scope = .base
                search.attributes = ["mail"]
                #expect(
                    try connection.search(search)?.entries.map { $0.texts("mail") } == [["m\(index)@example.com"]],
                    "\(name)")
                #expect(try connection.bind(name: search.base, password: Array("p".utf8)) == .success, "\(name)")
            }
        }
    }

    @Test("Binary values arrive whole and are text only if valid")
    func bytes() async throws {
        let photo = "jpegPhoto:: " + Data([0xFF, 0xD8, 0x00, 0x01]).base64EncodedString() + "\n\n"
        let entry = Slapd.person(uid: "ada", mail: "a@example.com", password: "p").dropLast() + photo
        try await Slapd.run(entries: String(entry)) { slapd in
            let connection = try Self.connection(slapd)
            try connection.connect()
            defer { connection.close() }
            let found = try #require(try connection.search(Self.everybody("(uid=ada)"))?.entries.first)
            #expect(found.values("jpegphoto") == [[0xFF, 0xD8, 0x00, 0x01]])
            #expect(found.texts("jpegPhoto") == nil)
        }
    }

    @Test("The limit of entries is enforced, and truncation is reported")
    func limits() async throws {
        let entries = (0..<5).map { Slapd.person(uid: "u\($0)", mail: "u\($0)@example.com", password: "p") }.joined()
        try await Slapd.run(entries: entries) { slapd in
            let connection = try Self.connection(slapd)
            try connection.connect()
            defer { connection.close() }
            let cut = try #require(try connection.search(Self.everybody("(uid=*)", limit: 2)))
            #expect(cut.entries.count == 2 && cut.isTruncated)
            let whole = try #require(try connection.search(Self.everybody("(uid=*)", limit: 5)))
            #expect(whole.entries.count == 5 && !whole.isTruncated)
        }
    }

    @Test(
        "Referrals are reported and never followed, because the referred server is unchecked and may lack TLS")
    func referrals() async throws {
        let far = Slapd.person(uid: "far", mail: "far@example.com", password: "p")
        try await Slapd.run(entries: far) { other in
            let pointer = """
                dn: ou=far,\(Slapd.people)
                objectClass: referral
                objectClass: extensibleObject
                ou: far
                ref: ldap://127.0.0.1:\(other.port)/\(Slapd.people)


                """
            try await Slapd.run(entries: pointer) { slapd in
                let connection = try Self.connection(slapd)
                try connection.connect()
                defer { connection.close() }
                let password = Array(Slapd.servicePassword.utf8)
                #expect(try connection.bind(name: Slapd.service, password: password) == .success)
                let response = try #require(try connection.search(Self.everybody("(uid=far)")))
                #expect(response.entries.isEmpty && response.references == 1)
                #expect(try connection.bind(name: "uid=far,ou=far,\(Slapd.people)", password: [1]) != .success)
                #expect(await other.log("BIND").isEmpty)
                #expect(await other.log("SRCH").isEmpty)
            }
        }
    }

    /// The sockets that were passed to libldap, by their kernel names.
    private static let given = Mutex<[String]>([])

    private static func socket(of descriptor: some CustomStringConvertible) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
    }

    @Test("A connection that libldap rejects leaves no open descriptor")
    func notAccepted() async throws {
        try await Slapd.run(entries: "") { slapd in
            var functions = try LDAPLibrary().functions
            functions.initialiseDescriptor = { descriptor, _, _, _ in
                let socket = LDAPConnectionTests.socket(of: descriptor)
                LDAPConnectionTests.given.withLock { $0.append(socket ?? "none") }
                return -10
            }
            let url = try #require(DirectoryURL("ldap://127.0.0.1:\(slapd.port)"))
            let connection = LDAPConnection(library: LDAPLibrary(functions: functions), url: url, options: Self.plain)
            #expect(throws: LDAPError.notSent(-10)) { try connection.connect() }
            connection.close()
            let folder = "/proc/self/fd"
            let open = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            }
            let socket = try #require(Self.given.withLock { $0.first })
            #expect(socket.hasPrefix("socket:") && !open.contains(socket))
        }
    }

    @Test("A stalled server times out as configured, and another thread can interrupt the wait")
    func waiting() async throws {
        try await Slapd.run(entries: "") { slapd in
            var options = Self.plain
            options.timeout = .milliseconds(300)
            let short = try Self.connection(slapd, options)
            try short.connect()
            options.timeout = .seconds(3600)
            let long = try Self.connection(slapd, options)
            try long.connect()
            await slapd.server.pause()
            #expect(throws: LDAPError.timedOut) { try short.search(Self.everybody("(uid=a)")) }
            #expect(!short.isUsable)
            #expect(throws: LDAPError.connectionLost) { try short.search(Self.everybody("(uid=a)")) }
            let failed = Task {
                await onOwnThread { () -> LDAPError? in
                    do {
                        _ = try long.search(Self.everybody("(uid=a)"))
                        return nil
                    } catch { return error as? LDAPError }
                }
            }
            try await Task.sleep(for: .milliseconds(100))
            long.interrupt()
            #expect(await failed.value == .connectionLost)
            #expect(!long.isUsable)
            short.close()
            long.close()
            await slapd.server.resume()
        }
    }

    @Test("Garbage, a partial response, a reset and a rejected connection are errors and end the connection")
    func losses() async throws {
        try await Slapd.run(entries: "") { slapd in
            for fault in [FaultProxy.Fault.garbage, .partialResponse, .reset, .reject] {
                try await withFaultProxy(to: slapd.port) { proxy in
                    let url = "ldap://127.0.0.1:\(proxy.port)"
                    let connection = try Self.connection(slapd, to: url)
                    try connection.connect()
                    #expect(try connection.search(Self.everybody("(uid=a)"))?.entries == [])
                    try await proxy.set(fault)
                    #expect(throws: LDAPError.connectionLost, "\(fault)") {
                        try connection.search(Self.everybody("(uid=a)"))
                    }
                    #expect(!connection.isUsable)
                    connection.close()
                    while try await proxy.connections() > 0 { try await Task.sleep(for: .milliseconds(10)) }
                    if fault == .reject {
                        let next = try Self.connection(slapd, to: url)
                        #expect(throws: LDAPError.unreachable) { try next.connect() }
                    }
                }
            }
        }
    }
}
