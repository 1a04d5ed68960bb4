import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing
import XML

@Suite("The Pugpig front door on bad days")
struct FailuresTests {
    /// Signs in while the backend still works.
    private func signIn(_ client: any TestClientProtocol) async throws -> String {
        try Answer(try await client.call("sign_in", ["username": "reader", "password": "right"]), .token).root.text
    }

    @Test("A backend that could not be asked is a 503 and no document, so that the app keeps what it knows")
    func unavailable() async throws {
        let backend = ScriptedBackend()
        try await TestDoor.scripted(backend).test { client in
            let token = try await signIn(client)
            backend.breakDown()
            for (call, fields) in [
                ("sign_in", ["username": "reader", "password": "right"]), ("verify_subscription", ["token": token]),
                ("renew_token", ["token": token]),
            ] {
                let response = try await client.call(call, fields)
                #expect(response.status == .serviceUnavailable)
                #expect(response.headers[.retryAfter] == "30")
                #expect(response.headers[.contentType] == "text/plain; charset=utf-8")
                #expect(String(buffer: response.body) == "Temporarily unavailable")
            }
            let credentials = try Answer(
                try await client.call("edition_credentials", ["token": token, "product_id": "e.1"]), .credentials)
            #expect(credentials.status == "notentitled")
            #expect(credentials.response.headers[.retryAfter] == "30")
        }
    }

    @Test("Unexpected errors are answered in the same way, and say nothing of themselves")
    func unexpected() async throws {
        let backend = ScriptedBackend()
        backend.recogniseBy { _ in .recognised(Subscriber(backend: "scripted", key: "marker")) }
        try await TestDoor { clock in
            TestDoor.makeProxy(
                Publication(
                    id: .title, credentialFields: CredentialFields(identifier: "username", proofs: ["password"]),
                    rule: EntitlementRule(policy: .backendDecides)),
                backend: backend, tokens: BrokenTokenCodec(), clock: clock)
        }.test { client in
            let response = try await client.call("sign_in", ["username": "reader", "password": "right"])
            #expect(response.status == .serviceUnavailable)
            #expect(String(buffer: response.body) == "Temporarily unavailable")
        }
        let broken = ScriptedBackend()
        try await TestDoor.scripted(broken) { $0.edgeTokens = [BrokenEdgeToken()] }.test { client in
            let token = try await signIn(client)
            broken.answer(Subscription(state: .active, entitlement: .allEditions))
            let answer = try Answer(
                try await client.call("edition_credentials", ["token": token, "product_id": "e.1"]), .credentials)
            #expect(answer.status == "notentitled")
            #expect(answer.response.headers[.retryAfter] == "30")
        }
    }

    @Test("An unexpected error of edition credentials is told in the reader's language")
    func unexpectedLanguage() async throws {
        let backend = ScriptedBackend()
        try await TestDoor.scripted(backend) {
            $0.edgeTokens = [BrokenEdgeToken()]
            $0.messages = Messages(["de": [.unavailable: "Später"], "en": [.unavailable: "Later"]])
        }.test { client in
            let token = try await signIn(client)
            backend.answer(Subscription(state: .active, entitlement: .allEditions))
            let response = try await client.execute(
                uri: "/edition_credentials?product_id=e.1&token=" + token, method: .get,
                headers: [.acceptLanguage: "de-CH"])
            #expect(try Answer(response, .credentials).message == "Später")
        }
    }

    @Test("A throttled reader is told when to come back")
    func throttled() async throws {
        try await TestDoor.scripted(ScriptedBackend(), guesses: AlwaysThrottled()).test { client in
            let answer = try Answer(
                try await client.call("sign_in", ["username": "reader", "password": "wrong"]), .token)
            #expect(answer.status == "throttled")
            #expect(answer.response.headers[.retryAfter] == "17")
        }
    }

    @Test("One device more than the subscription admits is told so")
    func tooManyDevices() async throws {
        let door = TestDoor.scripted(ScriptedBackend()) {
            $0.deviceField = "device"
            $0.deviceLimit = DeviceLimit(most: 1, excess: .refuse)
        }
        try await door.test { client in
            for (device, status) in [("a", nil), ("b", "toomanydevices")] as [(String, String?)] {
                let fields = ["username": "reader", "password": "right", "device": device]
                let answer = try Answer(try await client.call("sign_in", fields), .token)
                #expect(answer.status == status)
            }
        }
    }

    @Test("Pitfall 20: a hostile message arrives escaped, and no comment gives anything away")
    func hostileMessage() async throws {
        let message = #"--><subscription state="active"><!--"#
        let backend = ScriptedBackend()
        backend.answer(Subscription(state: .inactive, message: message))
        try await TestDoor.scripted(backend) { $0.hasDebugComments = true }.test { client in
            let signIn = try await client.call("sign_in", ["username": "marker-user", "password": "right"])
            #expect(String(buffer: signIn.body).contains("<!--"))
            #expect(!String(buffer: signIn.body).contains("marker-user"))
            let token = try Answer(signIn, .token).root.text
            let verification = try Answer(
                try await client.call("verify_subscription", ["token": token]), .subscription)
            #expect(verification.message == message)
            #expect(verification.root.attributes["state"] == "inactive")
            let credentials = try Answer(
                try await client.call("edition_credentials", ["token": token, "product_id": "e.1"]), .credentials)
            #expect(credentials.message == message)
            for answer in [verification, credentials] {
                let text = String(buffer: answer.response.body)
                #expect(text.contains("<!-- "))
                #expect(!text.contains(token))
                #expect(!text.contains("marker-user"))
            }
        }
    }

    @Test(
        "Pitfall 13: hostile credentials and tokens are refused like any other wrong ones",
        arguments: [
            "' OR 1=1--", "*)(uid=*", "]]><x>", "%{var}", "\0", "\r\nX: y", "\u{FFFE}", "--><!--",
            String(repeating: "x", count: 16_000),
        ])
    func hostileFields(text: String) async throws {
        try await TestDoor.scripted(ScriptedBackend()).test { client in
            for spelling in Spelling.all {
                let signIn = try Answer(
                    try await client.call("sign_in", ["username": text, "password": text], spelling), .token)
                #expect(signIn.status == "notrecognised")
                let verification = try Answer(
                    try await client.call("verify_subscription", ["token": text], spelling), .subscription)
                #expect(verification.root.attributes["state"] == "unknown")
                #expect(verification.issues == [])
                let credentials = try Answer(
                    try await client.call("edition_credentials", ["token": text, "product_id": text], spelling),
                    .credentials)
                #expect(credentials.status == "notrecognised")
            }
        }
    }

    @Test("A request that can not be read is a 4xx with a short text", arguments: ["sign_in", "edition_credentials"])
    func unreadable(call: String) async throws {
        try await TestDoor.scripted(ScriptedBackend()).test { client in
            let response = try await client.execute(
                uri: "/" + call, method: .post, headers: [.contentType: "application/json"],
                body: ByteBuffer(string: "{"))
            #expect(response.status == .badRequest)
            #expect(response.headers[.contentType] == "text/plain; charset=utf-8")
            #expect(response.headers[.cacheControl] == NoCacheHeaders.cacheControl)
        }
    }

    @Test("The reader's language chooses the words")
    func languages() async throws {
        let door = TestDoor.scripted(ScriptedBackend()) {
            $0.messages = Messages(["de": [.notRecognised: "Unbekannt"]])
        }
        try await door.test { client in
            let response = try await client.execute(
                uri: "/sign_in?username=a&password=b", method: .get,
                headers: [.acceptLanguage: "fr;q=0.3, de-AT;q=0.8"])
            #expect(try Answer(response, .token).message == "Unbekannt")
        }
    }
}

private struct BrokenTokenCodec: TokenCodec {
    struct Broken: Error {}
    func seal(_ session: Session) throws -> String { throw Broken() }
    func open(_ token: String) -> Session? { nil }
}

private struct BrokenEdgeToken: EdgeToken {
    struct Broken: Error {}
    func headers(for grant: EdgeGrant) throws -> [EdgeHeader] { throw Broken() }
}

private struct AlwaysThrottled: GuessLimiting {
    func admit(
        _ attempt: GuessAttempt, at now: TimeInterval, isAcquainted: @Sendable () async -> Bool
    ) async -> GuessVerdict { .throttled(retryAfter: 17) }

    func settle(
        _ ticket: GuessTicket, as outcome: GuessOutcome, of subscribers: [SubscriberReference],
        at now: TimeInterval
    ) -> Bool { true }
}
