import BackendBenches
import Foundation
import Gatefold
import LDAP
import TestSupport
import Testing

@testable import Backends

@Suite("The readers of a directory", .serialized) struct LDAPBackendTests {
    private static let ada = Slapd.person(
        uid: "ada", mail: "ada@example.com", password: "right", surname: "O'Née",
        more: [("employeeType", "active"), ("employeeNumber", "7")])
    private static let bob = Slapd.person(uid: "bob", mail: "bob@example.com", password: "secret of bob")

    @Test("bound by a name made of what they typed")
    func bound() async throws {
        try await Slapd.run(entries: Self.ada) { slapd in
            let directory = try DirectoryUnderTest(
                slapd.reach + "people: {base: \"\(Slapd.people)\"}\n"
                    + "recognise: {by: bind, name: \"uid={identifier},\(Slapd.people)\"}\n" + Slapd.plainSubscription)
            let subscriber = try await directory.subscriber("ADA", "right")
            #expect(subscriber.key == Slapd.name(of: "ada"))
            #expect(try await directory.subscription(subscriber).state == .active)
            for (identifier, password) in [
                ("ada", "wrong"), ("nobody", "right"), ("ada,ou=people", "right"), ("*", "right"),
                ("ada)(uid=*", "right"),
            ] {
                #expect(
                    try await directory.recognise(identifier, password) == DirectoryUnderTest.refused, "\(identifier)")
            }
            try await slapd.modify("dn: \(Slapd.name(of: "ada"))\nchangetype: delete\n")
            #expect(try await directory.subscription(subscriber).state == .unknown)
            #expect(try await directory.backend.renew(subscriber, inquiry: Inquiry()) == DirectoryUnderTest.refused)
        }
    }

    @Test("a name that can bind and has no entry among the readers is nobody's")
    func administrator() async throws {
        try await Slapd.run(entries: Self.ada) { slapd in
            let directory = try DirectoryUnderTest(
                slapd.reach + "people: {base: \"\(Slapd.people)\", only: \"(objectClass=inetOrgPerson)\"}\n"
                    + "recognise: {by: bind, name: \"cn={identifier},\(Slapd.suffix)\"}\n")
            #expect(
                try await directory.recognise("admin", Slapd.administratorPassword) == DirectoryUnderTest.refused)
            #expect(directory.reported == ["bound_without_entry"])
        }
    }

    @Test("found and bound; Pitfall 14: of two that match, neither")
    func searched() async throws {
        let twin = Slapd.person(uid: "twin", mail: "ada@example.com", password: "right")
        try await Slapd.run(entries: Self.ada + Self.bob) { slapd in
            let directory = try DirectoryUnderTest(
                slapd.reach + Slapd.byMail + "key: entryUUID\n" + Slapd.plainSubscription)
            let subscriber = try await directory.subscriber("ada@example.com", "right")
            #expect(subscriber.key.count == 36)
            #expect(try await directory.recognise("ada@example.com", "secret of bob") == DirectoryUnderTest.refused)
            // The key outlives a new name.
            try await slapd.modify(
                "dn: \(Slapd.name(of: "ada"))\nchangetype: modrdn\nnewrdn: uid=lovelace\ndeleteoldrdn: 1\n")
            #expect(try await directory.subscription(subscriber).state == .active)
            try await slapd.modify(twin.replacing("\nobjectClass", with: "\nchangetype: add\nobjectClass"))
            #expect(try await directory.recognise("ada@example.com", "right") == DirectoryUnderTest.refused)
            #expect(directory.reported == ["several_matches"])
        }
    }

    @Test("an unknown reader costs the directory the steps of a known one: a search and a bind")
    func sameSteps() async throws {
        try await Slapd.run(entries: Self.ada) { slapd in
            let directory = try DirectoryUnderTest(slapd.reach + Slapd.byMail)
            var steps: [[String]] = []
            // The log comes a moment after the answers: it is whole when the refused bind and every step have a result.
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
            // The first question connects.
            _ = try await directory.recognise("ada@example.com", "wrong")
            var before = try await settled(from: 0).count
            for identifier in ["ada@example.com", "nobody@example.com"] {
                #expect(try await directory.recognise(identifier, "wrong") == DirectoryUnderTest.refused)
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

    /// Lines of slapd's log by connection and operation: a result may be written down after what was asked next.
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

    @Test("compared by an attribute, such as the surname, as the directory compares")
    func compared() async throws {
        let settings = """
            people: {base: "\(Slapd.people)", filter: \"(employeeNumber={identifier})\"}
            recognise: {by: compare, attribute: sn, field: surname}

            """
        try await Slapd.run(entries: Self.ada + Self.bob) { slapd in
            let directory = try DirectoryUnderTest(slapd.reach + settings + Slapd.plainSubscription)
            let known = try await directory.recognise("7", nil, more: ["surname": "o'née"])
            #expect(known == .recognised(Subscriber(backend: "directory", key: Slapd.name(of: "ada"))))
            for (number, surname) in [
                ("7", "Reader"), ("8", "O'Née"), ("*", "O'Née"), ("7", "*"), ("7", " "), ("7", ""),
            ] {
                let answer = try await directory.recognise(number, nil, more: ["surname": surname])
                #expect(answer == DirectoryUnderTest.refused, "\(number) \(surname)")
            }
            #expect(await slapd.log("BIND dn=\"uid=").isEmpty)
        }
    }

    @Test(
        "Pitfall 14: empty, missing, blank and NUL-led passwords are refused without any bind",
        arguments: ["bind", "search_bind"])
    func emptyPasswords(way: String) async throws {
        try await Slapd.run(entries: Self.ada) { slapd in
            let name = way == "bind" ? ", name: \"uid={identifier},\(Slapd.people)\"" : ""
            let people = way == "bind" ? "people: {base: \"\(Slapd.people)\"}\n" : Slapd.byMail
            let directory = try DirectoryUnderTest(slapd.reach + people + "recognise: {by: \(way)\(name)}\n")
            for password in [nil, "", " ", "\t\u{A0}", "\u{0}", "\u{0}right", "right\u{0}"] {
                for identifier in ["ada", "ada@example.com"] {
                    #expect(
                        try await directory.recognise(identifier, password) == DirectoryUnderTest.refused,
                        "\(password.debugDescription)")
                }
            }
            for identifier in ["", " ", "\u{0}ada", "ada@example.com\u{0}"] {
                #expect(try await directory.recognise(identifier, "right") == DirectoryUnderTest.refused)
            }
            #expect(await slapd.log("BIND").isEmpty)
            #expect(await slapd.log("SRCH").isEmpty)
        }
    }

    @Test("Pitfall 13: hostile texts reach the directory as values, and the log shows it")
    func injections() async throws {
        try await Slapd.run(entries: Self.ada) { slapd in
            let people = "people: {base: \"\(Slapd.people)\", filter: \"(uid={identifier})\"}\n"
            let directory = try DirectoryUnderTest(slapd.reach + people)
            for text in ["*", "*)(uid=*", "a)(|(uid=*", "ad*", "\\61da", "ada)(objectClass=*"] {
                #expect(try await directory.recognise(text, "right") == DirectoryUnderTest.refused, "\(text)")
            }
            let filters = await slapd.log("filter=").filter { $0.contains("uid=") }
            #expect(filters.count == 6)
            for line in filters {
                // Nothing but the two parts that were written, the value without a bare asterisk or parenthesis.
                #expect(
                    line.contains("(&(objectClass=*)(uid=") && line.count { $0 == "(" } == 3
                        && line.count { $0 == "*" } == 1, "\(line)")
            }
        }
    }

    @Test("Pitfall 9: a wrong password of the service, a missing base and a referral are outages, never refusals")
    func outages() async throws {
        let elsewhere = """
            dn: ou=far,\(Slapd.people)
            objectClass: referral
            objectClass: extensibleObject
            ou: far
            ref: ldap://127.0.0.1:1/ou=far


            """
        try await Slapd.run(entries: Self.ada + elsewhere) { slapd in
            let wrong = slapd.reach.replacing("LDAP_SERVICE_PASSWORD", with: "WRONG")
            await expect(
                DirectoryFailure.serviceBind(.invalidCredentials), of: try DirectoryUnderTest(wrong + Slapd.byMail))
            let nowhere = Slapd.byMail.replacing("ou=people", with: "ou=nowhere")
            await expect(DirectoryFailure.baseMissing, of: try DirectoryUnderTest(slapd.reach + nowhere))
            // Somebody may be in the part that is elsewhere: only who is found here is sure.
            let directory = try DirectoryUnderTest(slapd.reach + Slapd.byMail)
            await expect(DirectoryFailure.elsewhere, of: directory, "nobody@example.com")
            #expect(try await directory.subscriber("ada@example.com", "right").key == Slapd.name(of: "ada"))
            let ignoring = try DirectoryUnderTest(slapd.reach + Slapd.byMail + "referrals: ignore\n")
            #expect(try await ignoring.recognise("nobody@example.com", "right") == DirectoryUnderTest.refused)
            // A tree that is gone does not make its readers unknown.
            let subscriber = Subscriber(backend: "directory", key: "uid=ada,ou=gone,\(Slapd.suffix)")
            let gone = try DirectoryUnderTest(slapd.reach + nowhere)
            await #expect(throws: DirectoryFailure.baseMissing) { try await gone.subscription(subscriber) }
            await #expect(throws: DirectoryFailure.baseMissing) { try await gone.backend.health() }
        }
    }

    private func expect(
        _ failure: DirectoryFailure, of directory: DirectoryUnderTest, _ identifier: String = "ada@example.com",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: failure, sourceLocation: sourceLocation) {
            try await directory.recognise(identifier, "right")
        }
    }

    @Test("the second server answers when the first is gone, or stands still")
    func severalServers() async throws {
        try await Slapd.run(entries: Self.ada) { first in
            try await Slapd.run(entries: Self.ada) { second in
                let both = first.reach.replacing(
                    "127.0.0.1:\(first.port)\"", with: "127.0.0.1:\(first.port)\", \"ldap://127.0.0.1:\(second.port)\"")
                let directory = try DirectoryUnderTest(both + "timeout: 3s\n" + Slapd.byMail)
                _ = try await directory.subscriber("ada@example.com", "right")
                #expect(await second.log("BIND").isEmpty)
                await first.server.stop()
                _ = try await directory.subscriber("ada@example.com", "right")
                try await first.server.start()
                await second.server.pause()
                // What was under way on the second one fails; the next question finds the first one.
                _ = try? await directory.subscriber("ada@example.com", "right")
                _ = try await directory.subscriber("ada@example.com", "right")
                await second.server.resume()
            }
        }
    }

    @Test("anonymous, where it is said so, and over the socket")
    func anonymous() async throws {
        try await Slapd.run(entries: Self.ada) { slapd in
            let directory = try DirectoryUnderTest(
                "servers: [\"\(slapd.socketURL)\"]\nanonymous: true\n" + Slapd.byMail + Slapd.plainSubscription)
            let subscriber = try await directory.subscriber("ada@example.com", "right")
            #expect(try await directory.subscription(subscriber).state == .active)
            try await directory.backend.health()
        }
    }
}
