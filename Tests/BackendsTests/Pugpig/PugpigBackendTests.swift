import BackendFixtures
import Foundation
import Gatefold
import OutgoingRequests
import Primitives
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing

@Suite("Pugpig backend", .serialized) struct PugpigBackendTests {
    private static func services() throws -> BackendServices {
        BackendServices(
            clock: .system, random: .system,
            passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
            pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8))))
    }

    private static func kind(_ settings: String) throws -> any BackendKind {
        let section = try YAMLSettings.read(
            text: "kind: pugpig\n" + settings, name: "gatefold.yaml", folder: "/nowhere")
        let kind = try BackendRegistry.read(name: "before", settings: section)
        try section.finish()
        return kind
    }

    private static func open(_ settings: String) throws -> any SubscriberBackend {
        try kind(settings).open(try services())
    }

    private func credentials(_ user: String, _ password: String? = nil) -> Credentials {
        var fields = ["username": user]
        fields["password"] = password
        return Credentials(identifier: CredentialFields.fold(user), fields: fields)
    }

    private func signIn(_ backend: any SubscriberBackend, _ user: String, _ password: String? = nil) async throws
        -> Subscriber
    {
        guard
            case .authenticated(let subscriber) = try await backend.authenticate(
                credentials(user, password), context: CallContext()
            ).value
        else {
            throw NotAuthenticated()
        }
        return subscriber
    }

    private struct NotAuthenticated: Error {}

    private static let test = "test: true\nfeed_password: true\nedition_credentials: {salt: plain}"

    @Test("The test users' results pass through, with GET and with POST", arguments: ["get", "post"])
    func rows(method: String) async throws {
        try await UpstreamGatefold.run(backend: "kind: test", publication: Self.test) { upstream in
            let backend = try Self.open("endpoint: \"http://127.0.0.1:\(upstream.port)\"\nmethod: \(method)\n")
            let odd = try #require(EditionID("com.pugpig.edition0001"))
            let even = try #require(EditionID("com.pugpig.edition0002"))
            for (user, state, list, opensOdd, opensEven) in [
                ("activeall", .active, nil, true, true), ("activenone", .active, 0, false, false),
                ("activesome", .active, 50, true, false), ("lapsedall", .inactive, 0, false, false),
                ("lapsednone", .inactive, 0, false, false), ("lapsedsome", .inactive, 50, true, false),
                ("yesbyproxy", .active, nil, false, false), ("credserror", .active, nil, false, false),
                ("longjson", .active, nil, true, true), ("expiredtoken", .stale, 0, false, false),
            ] as [(String, SubscriptionState, Int?, Bool, Bool)] {
                let subscriber = try await signIn(backend, user)
                #expect(subscriber.key == user)
                let reported = try await backend.subscription(of: subscriber, context: CallContext()).value
                #expect(reported.state == state, "\(user)")
                switch reported.entitlement {
                case .allEditions: #expect(list == nil, "\(user)")
                case .editions(let editions): #expect(editions.count == list, "\(user)")
                }
                for (edition, opens) in [(odd, opensOdd), (even, opensEven)] {
                    let verdict = try await backend.resolved.verdict(
                        on: edition, for: subscriber, context: CallContext()
                    ).value
                    #expect((verdict == .granted) == opens, "\(user) \(edition) \(String(describing: verdict))")
                }
            }
            let broken = try await signIn(backend, "credserror")
            #expect(
                try await backend.resolved.verdict(on: odd, for: broken, context: CallContext()).value
                    == .rejected(nil, message: "something bad happened"))
            let feeding = try await signIn(backend, "activeglobal")
            #expect(backend.resolved.grantsFeed(to: feeding))
            let plain = try await signIn(backend, "activeall")
            #expect(!backend.resolved.grantsFeed(to: plain))
            #expect(
                try await backend.authenticate(credentials("peter", "hook"), context: CallContext()).value
                    == .rejected(message: nil))
            _ = try await signIn(backend, "peter", "pan")
            try await backend.health()
        }
    }

    @Test("Stale leads to a renewal: a fresh token, a rejection, or a token that is stale again")
    func renewals() async throws {
        try await UpstreamGatefold.run(backend: "kind: test", publication: Self.test) { upstream in
            let backend = try Self.open("endpoint: \"http://127.0.0.1:\(upstream.port)/\"\n")
            let expired = try await signIn(backend, "expiredtoken")
            guard case .authenticated(let renewed) = try await backend.resolved.renew(expired, context: CallContext())
            else {
                throw NotAuthenticated()
            }
            #expect(renewed.key == expired.key && renewed.upstreamSession != expired.upstreamSession)
            #expect(try await backend.subscription(of: renewed, context: CallContext()).value.state == .active)
            let blocked = try await signIn(backend, "blockedtoken")
            guard case .rejected = try await backend.resolved.renew(blocked, context: CallContext()) else {
                throw NotAuthenticated()
            }
            let again = try await signIn(backend, "alwaysstaletoken")
            guard case .authenticated(let same) = try await backend.resolved.renew(again, context: CallContext()) else {
                throw NotAuthenticated()
            }
            #expect(same.upstreamSession != again.upstreamSession)
            #expect(try await backend.subscription(of: same, context: CallContext()).value.state == .stale)
        }
    }

    @Test("Pitfall 9: an error status or a text that is no XML is an outage of that call only")
    func statuses() async throws {
        try await UpstreamGatefold.run(backend: "kind: test", publication: Self.test) { upstream in
            let backend = try Self.open("endpoint: \"http://127.0.0.1:\(upstream.port)\"\n")
            let edition = try #require(EditionID("com.pugpig.edition0001"))
            for (user, failure) in [
                ("500-500-500", PugpigFailure.status(500)), ("500-200-200", .status(500)), ("000-200-200", .notXML),
            ] {
                await #expect(throws: failure) { try await signIn(backend, user) }
            }
            for (user, failure) in [("200-500-500", PugpigFailure.status(500)), ("200-000-000", .notXML)] {
                let subscriber = try await signIn(backend, user)
                await #expect(throws: failure) {
                    try await backend.subscription(of: subscriber, context: CallContext()).value
                }
                await #expect(throws: failure) {
                    try await backend.resolved.verdict(on: edition, for: subscriber, context: CallContext()).value
                }
            }
            let late = try await signIn(backend, "200-200-500")
            #expect(try await backend.subscription(of: late, context: CallContext()).value.state == .active)
            await #expect(throws: PugpigFailure.status(500)) {
                try await backend.resolved.verdict(on: edition, for: late, context: CallContext()).value
            }
        }
    }

    @Test("Sign-out is forwarded if configured")
    func signOut() async throws {
        try await SQLiteFixture.run { readers in
            try await UpstreamGatefold.run(
                backend: readers.settings, publication: "credentials: {identifier: email, proofs: [password]}"
            ) { upstream in
                let ada = StandardReaders.ada
                let typed = Credentials(
                    identifier: ada.email, fields: ["email": ada.email, "password": ada.password])
                for (passesOn, state) in [(false, SubscriptionState.active), (true, .unknown)] {
                    let backend = try Self.open(
                        "endpoint: \"http://127.0.0.1:\(upstream.port)\"\nsign_out: \(passesOn)\n"
                            + "fields: {email: identifier, password: password}\n")
                    guard
                        case .authenticated(let subscriber) = try await backend.authenticate(
                            typed, context: CallContext()
                        ).value
                    else {
                        throw NotAuthenticated()
                    }
                    try await backend.resolved.signOut(subscriber, context: CallContext())
                    #expect(try await backend.subscription(of: subscriber, context: CallContext()).value.state == state)
                }
            }
        }
    }

    @Test("Full URLs have placeholders with escaped values, or get the parameters appended")
    func urls() throws {
        let section = try YAMLSettings.read(
            text: """
                method: get
                urls:
                  sign_in: https://a.example/in.php?u={username}&p={password}
                  verify_subscription: https://a.example/verify.php?issue_prefix=x
                  edition_credentials: "https://a.example/creds/{token}?p={product_id}"
                """, name: "a", folder: "/")
        let calls = try PugpigCalls(section, fields: ["username", "password"])
        #expect(
            try calls.request(.signIn, [("username", "a&b=c d/é"), ("password", "{username}")])?.url.text
                == "https://a.example/in.php?u=a%26b%3Dc%20d%2F%C3%A9&p=%7Busername%7D")
        #expect(
            try calls.request(.verify, [("token", "a+b")])?.url.text
                == "https://a.example/verify.php?issue_prefix=x&token=a%2Bb")
        #expect(
            try calls.request(.credentials, [("token", "a/b"), ("product_id", "p")])?.url.text
                == "https://a.example/creds/a%2Fb?p=p")
        #expect(throws: UnsendableValue.self) {
            try calls.request(.credentials, [("token", ".."), ("product_id", "p")])
        }
        #expect(try calls.request(.renew, []) == nil && !calls.has(.renew))
    }

    @Test("A value that the URL cannot carry is a rejection without a request")
    func unsendable() async throws {
        let backend = try Self.open(
            """
            fields: {username: identifier, password: password}
            urls:
              sign_in: http://127.0.0.1:1/in/{username}?p={password}
              verify_subscription: http://127.0.0.1:1/verify/{token}
              edition_credentials: http://127.0.0.1:1/creds

            """)
        #expect(
            try await backend.authenticate(credentials("..", "x"), context: CallContext()).value
                == .rejected(message: nil))
        // A value that the URL can carry is requested, although no server listens.
        await #expect(throws: (any Error).self) {
            try await backend.authenticate(credentials("a", "x"), context: CallContext()).value
        }
    }

    private static let proved = "fields: {username: identifier, password: password}\n"

    /// Returns settings with these URLs, and valid ones for the others.
    private static func withURLs(_ settings: String, _ changed: [String: String]) -> String {
        let urls = [
            "sign_in": "https://a/in?u={username}&p={password}", "verify_subscription": "https://a/verify/{token}",
            "edition_credentials": "https://a/creds",
        ].merging(changed) { $1 }
        return settings + "urls:\n" + urls.map { "  \($0): \"\($1)\"\n" }.sorted().joined()
    }

    @Test("Pitfall 14: a sign-in URL that omits a proof or names an unknown one is rejected at startup")
    func provedURLs() throws {
        _ = try Self.kind(Self.withURLs(Self.proved, [:]))
        _ = try Self.kind(Self.withURLs(Self.proved + "method: get\n", ["sign_in": "https://a/in"]))
        _ = try Self.kind(Self.withURLs("", ["sign_in": "https://a/in?site=daily"]))
        for (settings, call, url) in [
            (Self.proved, "sign_in", "https://a/in?u={username}"),
            (Self.proved, "sign_in", "https://a/in?p={password}"),
            (Self.proved, "sign_in", "https://a/in?u={username}&p={pasword}"),
            (Self.proved, "sign_in", "https://a/in?u={username}&p={password}&q={token}"),
            (Self.proved, "sign_in", "https://{username}.a/in?p={password}"),
            (Self.proved, "sign_in", "https://a:{username}/in?p={password}"),
            (Self.proved, "sign_in", "{username}://a/in?p={password}"),
            (Self.proved, "sign_in", "https://a/in?{username}={password}"),
            (Self.proved, "sign_in", "https://a/in?u={username}&p={password"),
            (Self.proved, "sign_in", "https://a/in?password=fixed"),
            // The fields are known only if they are named.
            ("", "sign_in", "https://a/in?u={username}&p={password}"),
            (Self.proved, "verify_subscription", "https://a/verify?t={tokn}"),
            (Self.proved, "verify_subscription", "https://a/verify?t={token}&p={product_id}"),
            (Self.proved, "verify_subscription", "https://a/verify?token=fixed"),
            (Self.proved, "renew_token", "https://a/renew/{username}"),
            (Self.proved, "sign_out", "https://a/out?t={x}"),
            (Self.proved, "edition_credentials", "https://a/creds?t={token}"),
            (Self.proved, "edition_credentials", "https://a/creds?p={product_id}"),
        ] {
            let error = #expect(throws: SettingsError.self, "\(url)") {
                try Self.kind(Self.withURLs(settings, [call: url]))
            }
            #expect(error?.key == "urls.\(call)", "\(url): \(String(describing: error))")
        }
        let anonymous = #expect(throws: SettingsError.self) {
            try Self.kind("endpoint: https://a\nfields: {password: password}\n")
        }
        #expect(anonymous?.key == "fields")
    }

    @Test(
        "Invalid settings are rejected with their key",
        arguments: [
            ("", "endpoint"), ("endpoint: ftp://a", "endpoint"), ("endpoint: https://a?b=c", "endpoint"),
            ("endpoint: https://a\nurls: {}", "endpoint"), ("urls: {sign_in: https://a}", "urls.verify_subscription"),
            ("endpoint: https://a\nmethod: put", "method"), ("endpoint: https://a\nfields: {a: ''}", "fields.a"),
            ("endpoint: https://a\nhttp: {timeout: soon}", "http.timeout"),
            ("endpoint: https://a\nsignout: true", "signout"),
        ])
    func badSettings(settings: String, key: String) {
        let error = #expect(throws: SettingsError.self) { try Self.kind(settings) }
        #expect(error?.key == key, "\(String(describing: error))")
    }

    @Test("The guide's example is read")
    func example() throws {
        let text = try String(contentsOf: URL(fileURLWithPath: "Fixtures/Configurations/pugpig.yaml"), encoding: .utf8)
        let section = try YAMLSettings.read(text: text, name: "pugpig.yaml", folder: "/nowhere")
            .section("backends").section("before")
        let kind = try BackendRegistry.read(name: "before", settings: section)
        try section.finish()
        #expect(kind.checkedProofs == ["password"] && kind.isRemote)
    }
}
