import BackendFixtures
import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@testable import Backends

@Suite("Look-alike spellings of one identifier", .serialized, .timeLimit(.minutes(10)))
struct LookAlikeSpellingsTests {
    private static let letters: [Character: [String]] = [
        "a": ["A", "á", "Â", "ä", "ą", "ａ"], "d": ["D", "ď", "ｄ"], "e": ["é", "Ê", "ę"], "x": ["X", "ẋ"],
        "m": ["M", "ṃ"], "p": ["P", "ṕ"], "l": ["L", "ľ"], "c": ["C", "ç", "ć"], "o": ["ó", "Ö", "ő"],
    ]

    @Test(
        "Pitfall 22: MariaDB: 200 spellings share the login attempts of one spelling",
        arguments: ["", "utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_uca1400_ai_ci"])
    func mariaDB(collation: String) async throws {
        try await ODBCMariaDBFixture.run { fixture in
            if !collation.isEmpty {
                try await fixture.instance.execute(
                    "ALTER TABLE reader CONVERT TO CHARACTER SET utf8mb4 COLLATE \(collation)")
            }
            let email = StandardReaders.ada.email
            try await Self.check(
                email, try ODBCTesting.backend(fixture),
                candidates: LookAlikeSpellings.candidates(of: email, Self.letters))
        }
    }

    @Test(
        "Pitfall 22: MariaDB: texts that a number column treats as one number share their login attempts"
    )
    func numbers() async throws {
        try await ODBCMariaDBFixture.run { fixture in
            let id = try await fixture.instance.execute("SELECT id FROM reader WHERE email = 'ada@example.com'")
            let backend = try ODBCTesting.backend(fixture, [("WHERE email = :identifier", "WHERE id = :identifier")])
            let limiter = LoginThrottle()
            let pseudonymKey = PseudonymKey(Secret("Ms9yP4xT0vAz6oBr-pseudonyms"))
            let publication = try #require(PublicationID("daily"))
            let timestamp = ManualClock().wall.elapsed
            /// Returns whether a sign-in succeeds, or nil if it was throttled or the backend rejected it.
            func signIn(_ identifier: String, _ password: String) async throws -> Bool? {
                let typed = try LookAlikeSpellings.credentials(identifier, password)
                let attempt = pseudonymKey.attempt(typed, publication: publication, device: nil, client: nil)
                guard case .proceed(let permit) = await limiter.admit(attempt, at: timestamp, isKnownDevice: { false })
                else { return nil }
                switch try await backend.authenticate(typed, context: CallContext()).value {
                case .authenticated(let subscriber):
                    return limiter.settle(
                        permit, as: .right, of: [pseudonymKey.reference(to: subscriber)], at: timestamp) == .final
                case .rejected(_, let found):
                    #expect(found.all.count == 1)
                    limiter.settle(
                        permit, as: .wrong, of: found.all.map { pseudonymKey.reference(to: $0) }, at: timestamp)
                    return nil
                }
            }
            let password = StandardReaders.ada.password
            #expect(try await signIn("\(id)z", password) == true)
            for number in 0..<10 {
                let letters = String(repeating: "x", count: number + 1)
                #expect(try await signIn("\(id)\(letters)", "guess \(number)") == nil)
            }
            for spelling in ["\(id)q", id, "00\(id)", "\(id).0", "\(id)00e-2x"] {
                #expect(try await signIn(spelling, password) == nil, "\(spelling)")
            }
        }
    }

    @Test("Pitfall 22: OpenLDAP by caseIgnoreMatch: 200 spellings share the login attempts of one spelling")
    func openLDAP() async throws {
        let entry = Slapd.person(uid: "ada king lovelace", mail: "ada@example.com", password: "right")
        try await Slapd.run(entries: entry) { slapd in
            let directory = try DirectoryHarness(
                slapd.reach
                    + "people: {base: \"\(Slapd.people)\", filter: \"(uid={identifier})\"}\n"
                    + Slapd.plainSubscription)
            var letters = Self.letters.mapValues { $0.filter { $0.allSatisfy(\.isASCII) } }
            letters[" "] = (2...9).map { String(repeating: " ", count: $0) }
            let identifier = "ada king lovelace"
            try await Self.check(
                identifier, directory.backend, password: "right",
                candidates: LookAlikeSpellings.candidates(of: identifier, letters))
        }
    }

    @Test("Pitfall 22: SQLite by NOCASE: 200 spellings share the login attempts of one spelling")
    func sqlite() async throws {
        try await ODBCSQLiteFixture.run { fixture in
            let backend = try ODBCTesting.backend(
                fixture, [("WHERE email = :identifier", "WHERE email = rtrim(:identifier, ''. '') COLLATE NOCASE")])
            let email = StandardReaders.ada.email
            try await Self.check(
                email, backend, candidates: (0..<200).map { email.uppercased() + String(repeating: ".", count: $0) })
        }
    }

    private static func check(
        _ identifier: String, _ backend: any SubscriberBackend, password: String = StandardReaders.ada.password,
        candidates: [String]
    ) async throws {
        let right = try LookAlikeSpellings.credentials(identifier, password)
        guard case .authenticated(let subscriber) = try await backend.authenticate(right, context: CallContext()).value
        else {
            Issue.record("the reader was rejected")
            return
        }
        let admitted = try await LookAlikeSpellings.loginThrottle(
            at: subscriber, password: password, spelled: candidates, of: backend)
        #expect(admitted == 10)
    }
}
