import BackendFixtures
import Foundation
import Gatefold
import LDAP
import TestSupport
import Testing

@testable import Backends

@Suite("LDAP backend", .serialized) struct LDAPBackendTests {
    private static let ada = Slapd.person(
        uid: "ada", mail: "ada@example.com", password: "right", surname: "O'Née",
        more: [("employeeType", "active"), ("employeeNumber", "7")])
    private static let bob = Slapd.person(uid: "bob", mail: "bob@example.com", password: "secret of bob")

    @Test("Bind: the reader's name is built from the typed identifier")
    func bound() async throws {
        try await Slapd.run(entries: Self.ada) { slapd in
            let directory = try DirectoryHarness(
                slapd.reach + "people: {base: \"\(Slapd.people)\"}\n"
                    + "authenticate: {by: bind, name: \"uid={identifier},\(Slapd.people)\"}\n" + Slapd.plainSubscription
            )
            let subscriber = try await directory.subscriber("ADA", "right")
            #expect(subscriber.key == Slapd.name(of: "ada"))
            #expect(try await directory.subscription(subscriber).state == .active)
            for (identifier, password) in [
                ("ada", "wrong"), ("nobody", "right"), ("ada,ou=people", "right"), ("*", "right"),
                ("ada)(uid=*", "right"),
            ] {
                #expect(
                    try await directory.authenticate(identifier, password) == DirectoryHarness.rejected, "\(identifier)"
                )
            }
            try await slapd.modify("dn: \(Slapd.name(of: "ada"))\nchangetype: delete\n")
            #expect(try await directory.subscription(subscriber).state == .unknown)
            #expect(
                try await directory.backend.resolved.renew(subscriber, context: CallContext())
                    == DirectoryHarness.rejected)
        }
    }

    @Test("Bind: a name outside the readers' entries is rejected")
    func administrator() async throws {
        try await Slapd.run(entries: Self.ada) { slapd in
            let directory = try DirectoryHarness(
                slapd.reach + "people: {base: \"\(Slapd.people)\", only: \"(objectClass=inetOrgPerson)\"}\n"
                    + "authenticate: {by: bind, name: \"cn={identifier},\(Slapd.suffix)\"}\n")
            #expect(
                try await directory.authenticate("admin", Slapd.administratorPassword) == DirectoryHarness.rejected)
            #expect(directory.reported == ["bound_without_entry"])
        }
    }

    @Test("Search and bind; Pitfall 14: two matching entries are both rejected")
    func searched() async throws {
        let twin = Slapd.person(uid: "twin", mail: "ada@example.com", password: "right")
        try await Slapd.run(entries: Self.ada + Self.bob) { slapd in
            let directory = try DirectoryHarness(
                slapd.reach + Slapd.byMail + "key: entryUUID\n" + Slapd.plainSubscription)
            let subscriber = try await directory.subscriber("ada@example.com", "right")
            #expect(subscriber.key.count == 36)
            #expect(try await directory.authenticate("ada@example.com", "secret of bob") == DirectoryHarness.rejected)
            // The key stays valid after a rename.
            try await slapd.modify(
                "dn: \(Slapd.name(of: "ada"))\nchangetype: modrdn\nnewrdn: uid=lovelace\ndeleteoldrdn: 1\n")
            #expect(try await directory.subscription(subscriber).state == .active)
            try await slapd.modify(twin.replacing("\nobjectClass", with: "\nchangetype: add\nobjectClass"))
            #expect(try await directory.authenticate("ada@example.com", "right") == DirectoryHarness.rejected)
            #expect(directory.reported == ["several_matches"])
        }
    }

    @Test("An unknown reader costs the directory the same steps as a known one: a search and a bind")
    func sameSteps() async throws {
        try await Slapd.run(entries: Self.ada) { slapd in
            let directory = try DirectoryHarness(slapd.reach + Slapd.byMail)
            var steps: [[String]] = []
            // The log follows the results with a delay; it is complete once the rejected bind and every step have a
            // result.
            func settled(from before: Int) async throws -> [String] {
                var lines: [String] = []
                try await eventually("the log is whole") {
                    lines = await slapd.log(" op=")
                    let results = lines.count { $0.contains(" RESULT ") }
                    let operations = lines.count { line in
                        ["SRCH base", " method=", " CMP "].contains { line.contains($0) }
                    }
                    return lines.dropFirst(before).contains { $0.contains("err=49") } && results >= operations
                }
                return lines
            }
            // The first query opens the connection.
            _ = try await directory.authenticate("ada@example.com", "wrong")
            var before = try await settled(from: 0).count
            for identifier in ["ada@example.com", "nobody@example.com"] {
                #expect(try await directory.authenticate(identifier, "wrong") == DirectoryHarness.rejected)
                let lines = try await settled(from: before)
                steps.append(
                    Self.inOrder(lines.dropFirst(before)).compactMap { line in
                        ["SRCH base", "BIND dn", "CMP", "err=49", "err=0"].first { line.contains($0) }
                    })
                before = lines.count
            }
            #expect(steps[0] == steps[1] && steps[0].contains("BIND dn"), "\(steps)")
        }
    }

    /// Sorts lines of slapd's log by connection and operation, because a result may be logged after the next request.
    private static func inOrder(_ lines: some Sequence<String>) -> [String] {
        func place(_ line: String) -> (Int, Int) {
            let numbers = line.firstMatch(of: /conn=([0-9]+) op=([0-9]+)/)
            return (numbers.flatMap { Int($0.1) } ?? 0, numbers.flatMap { Int($0.2) } ?? 0)
        }
        return lines.enumerated().sorted { one, other in
            let (first, second) = (place(one.element), place(other.element))
            return (first.0, first.1, one.offset) < (second.0, second.1, other.offset)
        }
        .map(\.element)
    }

    @Test("Compare: the directory compares an attribute such as the surname")
    func compared() async throws {
        let settings = """
            people: {base: "\(Slapd.people)", filter: \"(employeeNumber={identifier})\"}
            authenticate: {by: compare, attribute: sn, field: surname}

            """
        try await Slapd.run(entries: Self.ada + Self.bob) { slapd in
            let directory = try DirectoryHarness(slapd.reach + settings + Slapd.plainSubscription)
            let known = try await directory.authenticate("7", nil, more: ["surname": "o'née"])
            #expect(known == .authenticated(Subscriber(backend: "directory", key: Slapd.name(of: "ada"))))
            for (number, surname) in [
                ("7", "Reader"), ("8", "O'Née"), ("*", "O'Née"), ("7", "*"), ("7", " "), ("7", ""),
            ] {
                let response = try await directory.authenticate(number, nil, more: ["surname": surname])
                #expect(response == DirectoryHarness.rejected, "\(number) \(surname)")
            }
            #expect(await slapd.log("BIND dn=\"uid=").isEmpty)
        }
    }

    @Test(
        "Pitfall 14: empty, missing, blank and NUL-led passwords are rejected without any bind",
        arguments: ["bind", "search_bind"])
    func emptyPasswords(way: String) async throws {
        try await Slapd.run(entries: Self.ada) { slapd in
            let name = way == "bind" ? ", name: \"uid={identifier},\(Slapd.people)\"" : ""
            let people = way == "bind" ? "people: {base: \"\(Slapd.people)\"}\n" : Slapd.byMail
            let directory = try DirectoryHarness(slapd.reach + people + "authenticate: {by: \(way)\(name)}\n")
            for password in [nil, "", " ", "\t\u{A0}", "\u{0}", "\u{0}right", "right\u{0}"] {
                for identifier in ["ada", "ada@example.com"] {
                    #expect(
                        try await directory.authenticate(identifier, password) == DirectoryHarness.rejected,
                        "\(password.debugDescription)")
                }
            }
            for identifier in ["", " ", "\u{0}ada", "ada@example.com\u{0}"] {
                #expect(try await directory.authenticate(identifier, "right") == DirectoryHarness.rejected)
            }
            #expect(await slapd.log("BIND").isEmpty)
            #expect(await slapd.log("SRCH").isEmpty)
        }
    }

    @Test("Pitfall 13: hostile texts reach the directory as values, as its log shows")
    func injections() async throws {
        try await Slapd.run(entries: Self.ada) { slapd in
            let people = "people: {base: \"\(Slapd.people)\", filter: \"(uid={identifier})\"}\n"
            let directory = try DirectoryHarness(slapd.reach + people)
            for text in ["*", "*)(uid=*", "a)(|(uid=*", "ad*", "\\61da", "ada)(objectClass=*"] {
                #expect(try await directory.authenticate(text, "right") == DirectoryHarness.rejected, "\(text)")
            }
            let filters = await slapd.log("filter=").filter { $0.contains("uid=") }
            #expect(filters.count == 6)
            for line in filters {
                // Only the two configured parts, with a value free of bare asterisks and parentheses.
                #expect(
                    line.contains("(&(objectClass=*)(uid=") && line.count { $0 == "(" } == 3
                        && line.count { $0 == "*" } == 1, "\(line)")
            }
        }
    }

    @Test("Pitfall 9: a rejected service password, a missing base and a referral are outages, not rejections")
    func outages() async throws {
        let referralReceived = """
            dn: ou=far,\(Slapd.people)
            objectClass: referral
            objectClass: extensibleObject
            ou: far
            ref: ldap://127.0.0.1:1/ou=far


            """
        try await Slapd.run(entries: Self.ada + referralReceived) { slapd in
            let wrong = slapd.reach.replacing("LDAP_SERVICE_PASSWORD", with: "WRONG")
            await expect(
                DirectoryFailure.serviceBind(.invalidCredentials), of: try DirectoryHarness(wrong + Slapd.byMail))
            let nowhere = Slapd.byMail.replacing("ou=people", with: "ou=nowhere")
            await expect(DirectoryFailure.baseMissing, of: try DirectoryHarness(slapd.reach + nowhere))
            // The reader may exist in the referred part, so only a reader found here is certain.
            let directory = try DirectoryHarness(slapd.reach + Slapd.byMail)
            await expect(DirectoryFailure.referralReceived, of: directory, "nobody@example.com")
            #expect(try await directory.subscriber("ada@example.com", "right").key == Slapd.name(of: "ada"))
            let ignoring = try DirectoryHarness(slapd.reach + Slapd.byMail + "referrals: ignore\n")
            #expect(try await ignoring.authenticate("nobody@example.com", "right") == DirectoryHarness.rejected)
            // A missing tree does not make its readers unknown.
            let subscriber = Subscriber(backend: "directory", key: "uid=ada,ou=gone,\(Slapd.suffix)")
            let gone = try DirectoryHarness(slapd.reach + nowhere)
            await #expect(throws: DirectoryFailure.baseMissing) { try await gone.subscription(subscriber) }
            await #expect(throws: DirectoryFailure.baseMissing) { try await gone.backend.health() }
        }
    }

    private func expect(
        _ failure: DirectoryFailure, of directory: DirectoryHarness, _ identifier: String = "ada@example.com",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: failure, sourceLocation: sourceLocation) {
            try await directory.authenticate(identifier, "right")
        }
    }

    @Test("The second server takes over when the first is gone or stalls")
    func severalServers() async throws {
        try await Slapd.run(entries: Self.ada) { first in
            try await Slapd.run(entries: Self.ada) { second in
                let both = first.reach.replacing(
                    "127.0.0.1:\(first.port)\"", with: "127.0.0.1:\(first.port)\", \"ldap://127.0.0.1:\(second.port)\"")
                let directory = try DirectoryHarness(both + "timeout: 3s\n" + Slapd.byMail)
                _ = try await directory.subscriber("ada@example.com", "right")
                #expect(await second.log("BIND").isEmpty)
                await first.server.stop()
                _ = try await directory.subscriber("ada@example.com", "right")
                try await first.server.start()
                await second.server.pause()
                // A query in flight on the second server fails; the next query reaches the first one.
                _ = try? await directory.subscriber("ada@example.com", "right")
                _ = try await directory.subscriber("ada@example.com", "right")
                await second.server.resume()
            }
        }
    }

    @Test("Anonymous access works when configured, over a Unix socket too")
    func anonymous() async throws {
        try await Slapd.run(entries: Self.ada) { slapd in
            let directory = try DirectoryHarness(
                "servers: [\"\(slapd.socketURL)\"]\nanonymous: true\n" + Slapd.byMail + Slapd.plainSubscription)
            let subscriber = try await directory.subscriber("ada@example.com", "right")
            #expect(try await directory.subscription(subscriber).state == .active)
            try await directory.backend.health()
        }
    }
}
