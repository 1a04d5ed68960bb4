import BackendFixtures
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("Lookups in a directory", .serialized) struct LDAPLookupTests {
    private func lookUp(_ directory: DirectoryHarness, _ identifier: String) async throws -> ReaderLookup {
        let credentials = try #require(Credentials(finding: identifier, field: "email"))
        return try await directory.backend.resolved.lookUp(credentials, context: CallContext()).value
    }

    @Test("Bind: the entry is read under the name that a sign-in would bind with")
    func bind() async throws {
        let ada = Slapd.person(uid: "ada", mail: "ada@example.com", password: "right")
        try await Slapd.run(entries: ada) { slapd in
            let directory = try DirectoryHarness(
                slapd.reach + "people: {base: \"\(Slapd.people)\"}\n"
                    + "authenticate: {by: bind, name: \"uid={identifier},\(Slapd.people)\"}\n" + Slapd.plainSubscription
            )
            #expect(try await lookUp(directory, "ADA").subscribers.map(\.key) == [Slapd.name(of: "ada")])
            for identifier in ["nobody", "ada,ou=people", "*"] {
                #expect(try await lookUp(directory, identifier) == ReaderLookup(), "\(identifier)")
            }
        }
    }

    @Test("Two entries with one identifier are both found, although a sign-in rejects both")
    func twins() async throws {
        let ada = Slapd.person(uid: "ada", mail: "ada@example.com", password: "right")
        let twin = Slapd.person(uid: "twin", mail: "ada@example.com", password: "right")
        try await Slapd.run(entries: ada + twin) { slapd in
            let directory = try DirectoryHarness(slapd.reach + Slapd.byMail + Slapd.plainSubscription)
            let found = try await lookUp(directory, "ada@example.com")
            #expect(Set(found.subscribers.map(\.key)) == [Slapd.name(of: "ada"), Slapd.name(of: "twin")])
            #expect(found.ambiguous == [directory.backend.resolved.name])
        }
    }

    @Test("A filter with another field than the identifier cannot be searched without it")
    func furtherFields() throws {
        let directory = try DirectoryHarness(
            """
            servers: ["ldap://127.0.0.1:1"]
            starttls: false
            anonymous: true
            people: {base: "ou=people,dc=example", filter: "(&(mail={identifier})(postalCode={postcode}))"}
            """)
        #expect(!directory.backend.resolved.supportsLookup)
    }
}
