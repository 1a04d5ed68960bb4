import BackendFixtures
import Foundation
import Gatefold
import LDAP
import Settings
import TestSupport
import Testing

@testable import Backends

@Suite("Directory mapping", .serialized) struct DirectoryMappingTests {
    private static func group(_ name: String, _ members: [String]) -> String {
        "dn: cn=\(name),ou=groups,\(Slapd.suffix)\nobjectClass: groupOfNames\ncn: \(name)\n"
            + members.map { "member: \(Slapd.name(of: $0))\n" }.joined() + "\n"
    }

    private static let people = ["ada", "bob", "cleo", "dan", "eve"].map {
        Slapd.person(
            uid: $0, mail: "\($0)@example.com", password: "pass of \($0)", more: [("departmentNumber", "d-\($0)")])
    }.joined()
    private static let groups =
        group("readers", ["ada", "dan"]) + group("suspended", ["dan"]) + group("all_editions", ["eve"])
        + group("archive", ["ada", "cleo"]) + group("others", ["ada", "bob"])

    private static let first = EditionID("com.example.daily.2026-11-20")

    private func expectHeld(_ directory: DirectoryHarness) async throws {
        for (reader, state, entitlement) in [
            ("ada", .active, .editions([try #require(Self.first)])), ("bob", .inactive, .editions([])),
            ("cleo", .inactive, .editions([try #require(Self.first)])), ("dan", .suspended, .editions([])),
            ("eve", .active, .allEditions),
        ] as [(String, SubscriptionState, Entitlement)] {
            let subscriber = try await directory.subscriber("\(reader)@example.com", "pass of \(reader)")
            let reported = try await directory.subscription(subscriber)
            #expect(reported.state == state && reported.entitlement == entitlement, "\(reader): \(reported)")
        }
    }

    @Test("The guide's example is read and maps each reader's groups")
    func example() async throws {
        let dummyName = """
            dn: cn=decoy,ou=services,\(Slapd.suffix)
            objectClass: organizationalRole
            objectClass: simpleSecurityObject
            cn: decoy
            userPassword: nobody knows


            """
        try await withTemporaryFolder { folder in
            let authority = try await TestAuthority("authority", in: folder)
            let issued = try await authority.issue("server", names: "IP:127.0.0.1")
            let certificates = Slapd.Certificates(
                authority: authority.certificate, certificate: issued.certificate, key: issued.key)
            try await Slapd.run(entries: dummyName + Self.people + Self.groups, certificates: certificates) { slapd in
                let text = try String(
                    contentsOf: URL(fileURLWithPath: "Fixtures/Configurations/ldap.yaml"), encoding: .utf8
                )
                .replacing("ldap://ldap1.example.com", with: "ldap://127.0.0.1:\(slapd.port)")
                .replacing("authority.pem", with: authority.certificate)
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                let start = try #require(lines.firstIndex { $0 == "    kind: ldap" })
                let settings = lines[(start + 1)...].map { $0.dropFirst(4) }.joined(separator: "\n")
                let directory = try DirectoryHarness(settings)
                try await expectHeld(directory)
                let ada = try await directory.subscriber("ada@example.com", "pass of ada")
                #expect(
                    try await directory.subscription(ada).userInfo == [
                        UserInfoCategory(
                            scheme: "http://schema.pugpig.com/custom_analytics/department", value: "d-ada")
                    ])
                #expect(await slapd.log("BIND dn=\"cn=decoy").isEmpty)
                #expect(
                    try await directory.authenticate("nobody@example.com", "nobody knows") == DirectoryHarness.rejected)
                #expect(await !slapd.log("BIND dn=\"cn=decoy").isEmpty)
            }
        }
    }

    @Test("Groups listed by an entry match by their name below `base` or by their full name")
    func memberOf() async throws {
        let settings = """
            groups:
              attribute: memberOf
              base: "OU=Groups, \(Slapd.suffix)"
              table:
                Suspended: {state: suspended}
                "cn=Readers, ou=groups,\(Slapd.suffix)": {state: active}
                all_editions: {state: active, all_editions: true}
                archive: {editions: [com.example.daily.2026-11-20]}
            subscription:
              state: {from: group.state, empty: inactive}
              editions: {from: group.editions}
              all_editions: {from: group.all_editions}

            """
        try await Slapd.run(entries: Self.people, more: "overlay memberof\n") { slapd in
            // The overlay records only members that are added while it runs.
            try await slapd.modify(Self.groups.replacing("\nobjectClass", with: "\nchangetype: add\nobjectClass"))
            try await expectHeld(try DirectoryHarness(slapd.reach + Slapd.byMail + settings))
        }
    }

    @Test("A group of the same name in another branch, where readers may create groups, opens nothing")
    func otherBranch() async throws {
        let own = """
            dn: ou=clubs,\(Slapd.suffix)
            changetype: add
            objectClass: organizationalUnit
            ou: clubs

            dn: cn=all_editions,ou=clubs,\(Slapd.suffix)
            changetype: add
            objectClass: groupOfNames
            cn: all_editions
            member: \(Slapd.name(of: "bob"))


            """
        let settings = """
            groups:
              attribute: memberOf
              base: ou=groups,\(Slapd.suffix)
              table: {all_editions: {state: active, all_editions: true}}
            subscription:
              state: {from: group.state, empty: inactive}
              all_editions: {from: group.all_editions}
              user_info: [{scheme: group, from: group.name}]

            """
        try await Slapd.run(entries: Self.people, more: "overlay memberof\n") { slapd in
            try await slapd.modify(Self.groups.replacing("\nobjectClass", with: "\nchangetype: add\nobjectClass") + own)
            let directory = try DirectoryHarness(slapd.reach + Slapd.byMail + settings)
            let bob = try await directory.subscription(try await directory.subscriber("bob@example.com", "pass of bob"))
            #expect(bob.state == .inactive && bob.entitlement != .allEditions)
            // Such a group is not reported by its short name either.
            #expect(Set(bob.userInfo.map(\.value)) == ["others", "cn=all_editions,ou=clubs,\(Slapd.suffix)"])
            let eve = try await directory.subscription(try await directory.subscriber("eve@example.com", "pass of eve"))
            #expect(eve.state == .active && eve.entitlement == .allEditions)
        }
    }

    @Test("Pitfall 1: a missing attribute grants nothing, and a value that is not text is an error")
    func attributes() async throws {
        let settings = """
            subscription:
              state: {from: employeeType, empty: inactive}
              editions: {from: businessCategory}
              all_editions: {from: departmentNumber, when: [everything]}
              user_info: [{scheme: x, from: jpegPhoto}]

            """
        let photo = Slapd.person(uid: "eve", mail: "eve@example.com", password: "p").dropLast()
        try await Slapd.run(
            entries: Slapd.person(
                uid: "ada", mail: "ada@example.com", password: "p",
                more: [("businessCategory", "a.1"), ("businessCategory", "a.2, a.3")])
                + Slapd.person(uid: "bob", mail: "bob@example.com", password: "p") + photo + "jpegPhoto:: /9g=\n\n"
        ) { slapd in
            let directory = try DirectoryHarness(slapd.reach + Slapd.byMail + settings)
            let ada = try await directory.subscription(try await directory.subscriber("ada@example.com", "p"))
            #expect(ada.entitlement == .editions(Set(["a.1", "a.2", "a.3"].compactMap { EditionID($0) })))
            #expect(ada.state == .inactive)
            let bob = try await directory.subscription(try await directory.subscriber("bob@example.com", "p"))
            #expect(bob.entitlement == .editions([]))
            let eve = try await directory.subscriber("eve@example.com", "p")
            await #expect(throws: DirectoryFailure.unreadableValue("jpegPhoto")) {
                try await directory.subscription(eve)
            }
        }
    }

    @Test("Binary keys are preserved, and 10,000 random keys survive the round trip")
    func keys() {
        var random = SeededRandom(seed: 4530)
        for _ in 0..<10_000 {
            let value = random.hostileBytes(upTo: 20, specialCharacters: "{base64}AQ==\u{0}\n")
            guard DirectoryKey.value(DirectoryKey.text(value)) == value else {
                Issue.record("\(value)")
                return
            }
        }
        #expect(DirectoryKey.text(Array("4711".utf8)) == "4711")
        #expect(DirectoryKey.text([0xFF]) == "{base64}/w==")
        #expect(DirectoryKey.value("{base64}?") == nil)
    }

    @Test(
        "Invalid settings are rejected with their key",
        arguments: [
            ("servers: []", "servers"), ("servers: [\"http://a\"]", "servers"), ("anonymous: false", "service"),
            ("tls: {certificate: a.pem}", "tls.certificate"),
            ("people: {base: here, filter: \"(a={b})\"}", "people.base"),
            ("people: {base: dc=a}", "people.filter"), ("people: {base: dc=a, filter: \"(a=b)\"}", "people.filter"),
            ("people: {base: dc=a, filter: \"a={identifier}\"}", "people.filter"),
            ("people: {base: dc=a, filter: \"({identifier}=a)\"}", "people.filter"),
            ("people: {base: dc=a, filter: \"(a={b}\"}", "people.filter"),
            ("people: {base: dc=a, filter: \"(a={b c})\"}", "people.filter"),
            ("people: {base: dc=a, filter: \"(a={b})\", only: \"(c={d})\"}", "people.only"),
            ("people: {base: dc=a, filter: \"(a={b})\", scope: all}", "people.scope"),
            ("authenticate: {by: guess}", "authenticate.by"),
            ("people: {base: dc=a}\nauthenticate: {by: bind, name: cn=fixed}", "authenticate.name"),
            ("authenticate: {by: compare}", "authenticate.attribute"),
            ("authenticate: {by: compare, attribute: \"a b\"}", "authenticate.attribute"), ("key: \"a)(b\"", "key"),
            ("groups: {attribute: memberOf}", "groups.table"), ("groups: {table: {}}", "groups.base"),
            ("subscription: {state: {from: group.state}}", "subscription"), ("referrals: maybe", "referrals"),
            ("referrals: follow", "referrals"), ("most_hops: 3", "most_hops"),
            ("groups: {attribute: memberOf, table: {readers: {state: active}}}", "groups.base"),
            ("groups: {attribute: memberOf, base: here, table: {readers: {state: active}}}", "groups.base"),
            ("starttls: perhaps", "starttls"), ("timeout: 0s", "timeout"), ("server: x", "server"),
        ])
    func badSettings(change: String, key: String) throws {
        let name = String(change.prefix { $0 != ":" })
        var lines = [
            "servers: [\"ldap://a\"]", "anonymous: true", "people: {base: dc=a, filter: \"(mail={identifier})\"}",
        ]
        lines.removeAll { $0.hasPrefix(name + ":") }
        let error = #expect(throws: SettingsError.self) {
            try DirectoryHarness.kind((lines + [change]).joined(separator: "\n"))
        }
        #expect(error?.key == key, "\(String(describing: error))")
    }

    @Test("A publication requires the fields that the directory's filter uses")
    func proofs() throws {
        let reach = "servers: [\"ldaps://a\"]\nanonymous: true\n"
        let plain = try DirectoryHarness.kind(reach + "people: {base: dc=a, filter: \"(mail={identifier})\"}")
        #expect(plain.checkedProofs == ["password"])
        let several = try DirectoryHarness.kind(
            reach + "people: {base: dc=a, filter: \"(&(uid={identifier})(l={town}))\"}\n"
                + "authenticate: {by: compare, attribute: sn, field: surname}")
        #expect(several.checkedProofs == ["town", "surname"])
    }
}
