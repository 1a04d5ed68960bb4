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

@Suite("Failures at the Pugpig front door")
struct FailuresTests {
    /// Signs in while the backend still works.
    private func signIn(_ client: any TestClientProtocol) async throws -> String {
        try PugpigDocumentResponse(
            try await client.call("sign_in", ["username": "reader", "password": "right"]), .token
        ).root.text
    }

    @Test("A backend outage yields 503 without a document, so that the app keeps its state")
    func unavailable() async throws {
        let backend = ScriptedBackend()
        try await FrontDoorHarness.scripted(backend).test { client in
            let token = try await signIn(client)
            backend.startOutage()
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
            let credentials = try PugpigDocumentResponse(
                try await client.call("edition_credentials", ["token": token, "product_id": "e.1"]), .credentials)
            #expect(credentials.status == "notentitled")
            #expect(credentials.response.headers[.retryAfter] == "30")
        }
    }

    @Test("Unexpected errors get the same response and reveal nothing")
    func unexpected() async throws {
        let backend = ScriptedBackend()
        backend.authenticateWith { _ in .authenticated(Subscriber(backend: "scripted", key: "marker")) }
        try await FrontDoorHarness { clock in
            FrontDoorHarness.makeAuthorizationService(
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
        try await FrontDoorHarness.scripted(broken) { $0.edgeToken = BrokenEdgeToken() }.test { client in
            let token = try await signIn(client)
            broken.response(Subscription(state: .active, entitlement: .allEditions))
            let response = try PugpigDocumentResponse(
                try await client.call("edition_credentials", ["token": token, "product_id": "e.1"]), .credentials)
            #expect(response.status == "notentitled")
            #expect(response.response.headers[.retryAfter] == "30")
        }
    }

    @Test("An unexpected error of edition credentials is reported in the reader's language")
    func unexpectedLanguage() async throws {
        let backend = ScriptedBackend()
        try await FrontDoorHarness.scripted(backend) {
            $0.edgeToken = BrokenEdgeToken()
            $0.messages = Messages(["de": [.unavailable: "Später"], "en": [.unavailable: "Later"]])
        }.test { client in
            let token = try await signIn(client)
            backend.response(Subscription(state: .active, entitlement: .allEditions))
            let response = try await client.execute(
                uri: "/edition_credentials?product_id=e.1&token=" + token, method: .get,
                headers: [.acceptLanguage: "de-CH"])
            #expect(try PugpigDocumentResponse(response, .credentials).message == "Später")
        }
    }

    @Test("A throttled reader gets Retry-After")
    func throttled() async throws {
        try await FrontDoorHarness.scripted(ScriptedBackend(), loginThrottle: AlwaysThrottled()).test { client in
            let response = try PugpigDocumentResponse(
                try await client.call("sign_in", ["username": "reader", "password": "wrong"]), .token)
            #expect(response.status == "throttled")
            #expect(response.response.headers[.retryAfter] == "17")
        }
    }

    @Test("A sign-in beyond the device limit gets its own status")
    func tooManyDevices() async throws {
        let door = FrontDoorHarness.scripted(ScriptedBackend()) {
            $0.deviceField = "device"
            $0.deviceLimit = DeviceLimit(maxDevices: 1, onLimit: .reject)
        }
        try await door.test { client in
            for (device, status) in [("a", nil), ("b", "toomanydevices")] as [(String, String?)] {
                let fields = ["username": "reader", "password": "right", "device": device]
                let response = try PugpigDocumentResponse(try await client.call("sign_in", fields), .token)
                #expect(response.status == status)
            }
        }
    }

    @Test("Pitfall 20: a hostile message is escaped, and comments reveal nothing")
    func hostileMessage() async throws {
        let message = #"--><subscription state="active"><!--"#
        let backend = ScriptedBackend()
        backend.response(Subscription(state: .inactive, message: message))
        try await FrontDoorHarness.scripted(backend) { $0.hasDebugNotes = true }.test { client in
            let signIn = try await client.call("sign_in", ["username": "marker-user", "password": "right"])
            #expect(String(buffer: signIn.body).contains("<!--"))
            #expect(!String(buffer: signIn.body).contains("marker-user"))
            let token = try PugpigDocumentResponse(signIn, .token).root.text
            let verification = try PugpigDocumentResponse(
                try await client.call("verify_subscription", ["token": token]), .subscription)
            #expect(verification.message == message)
            #expect(verification.root.attributes["state"] == "inactive")
            let credentials = try PugpigDocumentResponse(
                try await client.call("edition_credentials", ["token": token, "product_id": "e.1"]), .credentials)
            #expect(credentials.message == message)
            for response in [verification, credentials] {
                let text = String(buffer: response.response.body)
                #expect(text.contains("<!-- "))
                #expect(!text.contains(token))
                #expect(!text.contains("marker-user"))
            }
        }
    }

    @Test(
        "Pitfall 13: hostile credentials and tokens are rejected like any other wrong ones",
        arguments: [
            "' OR 1=1--", "*)(uid=*", "]]><x>", "%{var}", "\0", "\r\nX: y", "\u{FFFE}", "--><!--",
            String(repeating: "x", count: 16_000),
        ])
    func hostileFields(text: String) async throws {
        try await FrontDoorHarness.scripted(ScriptedBackend()).test { client in
            for spelling in RequestStyle.all {
                let signIn = try PugpigDocumentResponse(
                    try await client.call("sign_in", ["username": text, "password": text], spelling), .token)
                #expect(signIn.status == "notrecognised")
                let verification = try PugpigDocumentResponse(
                    try await client.call("verify_subscription", ["token": text], spelling), .subscription)
                #expect(verification.root.attributes["state"] == "unknown")
                #expect(verification.issues == [])
                let credentials = try PugpigDocumentResponse(
                    try await client.call("edition_credentials", ["token": text, "product_id": text], spelling),
                    .credentials)
                #expect(credentials.status == "notrecognised")
            }
        }
    }

    @Test("An unreadable request yields 4xx with a short text", arguments: ["sign_in", "edition_credentials"])
    func unreadable(call: String) async throws {
        try await FrontDoorHarness.scripted(ScriptedBackend()).test { client in
            let response = try await client.execute(
                uri: "/" + call, method: .post, headers: [.contentType: "application/json"],
                body: ByteBuffer(string: "{"))
            #expect(response.status == .badRequest)
            #expect(response.headers[.contentType] == "text/plain; charset=utf-8")
            #expect(response.headers[.cacheControl] == NoCacheHeaders.cacheControl)
        }
    }

    @Test("The message is in the reader's language")
    func languages() async throws {
        let door = FrontDoorHarness.scripted(ScriptedBackend()) {
            $0.messages = Messages(["de": [.rejected: "Unbekannt"]])
        }
        try await door.test { client in
            let response = try await client.execute(
                uri: "/sign_in?username=a&password=b", method: .get,
                headers: [.acceptLanguage: "fr;q=0.3, de-AT;q=0.8"])
            #expect(try PugpigDocumentResponse(response, .token).message == "Unbekannt")
        }
    }
}

private struct BrokenTokenCodec: TokenCodec {
    struct SimulatedError: Error {}
    func seal(_ session: Session) throws -> String { throw SimulatedError() }
    func open(_ token: String) -> Session? { nil }
}

private struct BrokenEdgeToken: EdgeToken {
    struct SimulatedError: Error {}
    func headers(for grant: EdgeGrant) throws -> [EdgeHeader] { throw SimulatedError() }
}

private struct AlwaysThrottled: LoginThrottling {
    func admit(
        _ attempt: LoginAttempt, at now: TimeInterval, isKnownDevice: @Sendable () async -> Bool
    ) async -> LoginThrottleVerdict { .throttled(retryAfter: 17) }

    func settle(
        _ permit: LoginAttemptPermit, as outcome: LoginAttemptOutcome, of subscribers: [SubscriberPseudonym],
        at now: TimeInterval
    ) -> LoginAttemptSettlement { .final }
}
