import Settings
import TestSupport
import Testing

@testable import Conformance

@Suite("Cases file")
struct CheckCasesTests {
    private func read(_ text: String) throws -> CheckCases {
        try CheckCases(
            try YAMLSettings.read(
                text: text, name: "cases.yaml", folder: "/",
                environment: ["ADA": "analytical engine", "SECRET": "s3cret"]))
    }

    @Test("names readers, their expected results and the addresses")
    func whole() throws {
        let cases = try read(
            """
            readers:
              ada:
                sign_in: {email: ada@example.com, password: {env: ADA}}
                state: active
                issues: [a.1, a.2]
                holds: [a.1]
                lacks: [a.3]
                feed_password: true
              late:
                token: {env: ADA}
                state: stale
                renew: rejected
                issues: nothing
              down:
                sign_in: {email: down@example.com, password: x}
                failing: verification
                issues: everything
            wrong_proof: ada
            calls: {sign_in: "https://example.com/sign_in.php?x=1"}
            secret: {env: SECRET}
            content: https://example.com/a.1.zip
            """)
        let ada = try #require(cases.readers.first)
        #expect(ada.name == "ada" && ada.state == .active && ada.issues == .listed(["a.1", "a.2"]))
        #expect(ada.signIn == [Field("email", "ada@example.com"), Field("password", "analytical engine")])
        #expect(ada.holds == ["a.1"] && ada.lacks == ["a.3"] && ada.hasOwnFeed == true)
        #expect(cases.readers.map(\.triesWrongProof) == [true, false, false])
        #expect(cases.readers[1].token == "analytical engine" && cases.readers[1].signIn == nil)
        #expect(cases.readers[1].renewal == .rejected && cases.readers[1].issues == .nothing)
        #expect(cases.readers[2].failing == [.verification] && cases.readers[2].issues == .everything)
        #expect(cases.calls[.signIn]?.target == "/sign_in.php?x=1")
        #expect(cases.secret != nil && cases.content?.path == "/a.1.zip")
    }

    @Test("may select a field other than the password as the proof to falsify")
    func proof() throws {
        let cases = try read("readers: {ada: {sign_in: {urn: a, surname: b}}}\nproof: surname\nwrong_proof: ada")
        #expect(cases.proofName == "surname" && cases.hasWrongProof)
        #expect(try !read("readers: {ada: {sign_in: {urn: a, surname: b}}}").hasWrongProof)
    }

    @Test("may select several readers for the wrong proof")
    func proofs() throws {
        let readers = ["ada", "alan", "grace"].map { "\($0): {sign_in: {password: a}}" }.joined(separator: ", ")
        let cases = try read("readers: {\(readers)}\nwrong_proof: [grace, ada]")
        #expect(cases.triedWithWrongProof.map(\.name) == ["ada", "grace"])
        #expect(try !read("users: test\nwrong_proof: []").hasWrongProof)
    }

    @Test("may declare readers for whom calls fail")
    func failing() throws {
        let cases = try read(
            """
            readers:
              down:
                sign_in: {email: down@example.com, password: x}
                token: {env: ADA}
                holds: [a.1]
                failing: [sign_in, verification, renewal, credentials]
              up: {token: a, renew: stale, failing: []}
            """)
        #expect(cases.readers.map(\.failing) == [Set(CheckReader.FailingCall.allCases), []])
        #expect(cases.readers.map(\.renewal) == [nil, .stale])
    }

    @Test("may include the test users")
    func testUsers() throws {
        #expect(try read("users: test").readers.map(\.name) == CheckCases.testUsers.map(\.name))
    }

    @Test(
        "with an error is rejected with line and key",
        arguments: [
            ("readers: {ada: {state: active}}", "readers.ada.sign_in"),
            ("readers: {ada: {token: a, state: asleep}}", "expected one of unknown, active"),
            ("readers: {ada: {token: a, issues: some}}", "expected everything, nothing or a list"),
            ("readers: {ada: {token: a, hold: [b]}}", "did you mean `holds`"),
            ("readers: {ada: {token: a, renew: maybe}}", "expected one of token, stale, rejected"),
            ("readers: {ada: {token: a, failing: always}}", "expected one of sign_in, verification"),
            ("readers: {ada: {token: a, failing: [verification, always]}}", "expected one of sign_in, verification"),
            ("readers: {ada: {token: a, failing: credentials}}", "expected holds or lacks"),
            ("readers: {ada: {sign_in: {urn: a}, failing: [sign_in, verification]}}", "expected a token"),
            ("readers: {ada: {token: a}}\nwrong_proof: ada", "cases.yaml:2"),
            ("readers: {ada: {sign_in: {urn: a, surname: b}}}\nwrong_proof: ada", "whose sign_in has password"),
            ("readers: {ada: {sign_in: {urn: a}}}\nproof: surname\nwrong_proof: ada", "whose sign_in has surname"),
            (
                "readers: {ada: {sign_in: {password: a}, failing: sign_in}}\nwrong_proof: ada",
                "whose sign-in does not fail"
            ),
            ("readers: {ada: {sign_in: {password: a}}}\nwrong_proof: [ada, alan]", "a reader with sign_in"),
            ("calls: {sign_in: nowhere}", "calls.sign_in"), ("content: nowhere", "content"),
            ("users: all", "expected test"), ("users: test\nreaders: {peter: {token: a}}", "other names"),
        ])
    func rejected(text: String, message: String) {
        #expect {
            _ = try read(text)
        } throws: { error in
            "\(error)".contains(message)
        }
    }

    @Test("with a token but no sign-in runs all checks that need no sign-in")
    func tokenOnly() async throws {
        let report = try await check(
            FakePublisherServer(),
            cases: { _ in
                var cases = CheckCases()
                var reader = CheckReader("ada")
                reader.token = FakePublisherServer.token("activesome")
                reader.holds = [FakePublisherServer.first]
                cases.readers = [reader]
                return cases
            })
        #expect(report.broken.isEmpty)
        #expect(report["credentials-held"] == .passed(1))
        #expect(report["state-sign-in"] == .skipped("no such reader is known, or no response was received"))
    }

    @Test("is optional")
    func nothingKnown() async throws {
        let report = try await check(FakePublisherServer(), cases: { _ in CheckCases() })
        #expect(report.broken.isEmpty)
        #expect(report["malformed-nul"] == .passed(4))
    }

    @Test("may give calls their own addresses")
    func ownAddresses() async throws {
        try await FakePublisherServer().serve { port in
            let root = try #require(Address("http://127.0.0.1:\(port)/test"))
            let own = Call.allCases.map { ($0, Address("http://127.0.0.1:\(port)/other/\($0.rawValue)?site=1")) }
            let addresses = Dictionary(
                uniqueKeysWithValues: own.compactMap { call, address in address.map { (call, $0) } })
            var options = CheckOptions()
            options.requestsPerSecond = .infinity
            let report = try await CheckRun(
                endpoint: Endpoint(root: root, own: addresses), cases: fakeServerCases(port), options: options
            ).run()
            #expect(report.broken.isEmpty)
            #expect(report["path-slash"]?.kind == .skipped)
        }
    }
}
