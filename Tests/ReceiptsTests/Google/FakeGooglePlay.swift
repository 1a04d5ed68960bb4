import Commerce
import Foundation
import JWTKit
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

/// Fake of Google for a service account: issues tokens for assertions that it verifies and reports purchases.
struct FakeGooglePlay: Sendable {
    struct Script: Sendable {
        /// Responses by the end of the path after `purchases/`.
        var purchases: [String: LoopbackStore.Reply] = [:]
        var tokenStatus = 200
        var acknowledging = LoopbackStore.Reply(204, "")
        /// A response that replaces all others.
        var everything: LoopbackStore.Reply?
        var validTokens: Set<String> = []
        var issued = 0
        var mistakes: [String] = []
    }

    struct Assertion: JWTPayload {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int
        let exp: Int

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    static let mail = "gatefold@example.iam.gserviceaccount.com"
    let script = Locked(Script())
    let account: SigningKey
    let folder: URL

    init(in folder: URL) async throws {
        self.folder = folder
        account = try await SigningKey("account", in: folder)
    }

    func notify(_ path: String, _ reply: LoopbackStore.Reply) { script.withLock { $0.purchases[path] = reply } }

    func run(_ body: (LoopbackStore) async throws -> Void) async throws {
        try await LoopbackStore.serving(in: folder) {
            try await response($0)
        } _: { store in
            try await body(store)
        }
        #expect(script.withLock { $0.mistakes } == [])
    }

    private func response(_ request: LoopbackStore.ReceivedRequest) async throws -> LoopbackStore.Reply {
        if request.target == "/token" { return try await token(request) }
        return script.withLock { script in
            if let everything = script.everything { return everything }
            guard let token = request.authorization?.dropFirst(7), script.validTokens.contains(String(token)) else {
                return LoopbackStore.Reply(401)
            }
            let prefix = "/androidpublisher/v3/applications/\(GoogleFixture.package)/purchases/"
            guard request.target.hasPrefix(prefix) else { return LoopbackStore.Reply(404) }
            let path = String(request.target.dropFirst(prefix.count))
            if path.hasSuffix(":acknowledge") {
                if request.method != "POST" { script.mistakes.append("acknowledged by \(request.method)") }
                return script.acknowledging
            }
            return script.purchases[path] ?? LoopbackStore.Reply(404)
        }
    }

    private func token(_ request: LoopbackStore.ReceivedRequest) async throws -> LoopbackStore.Reply {
        let prefix = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
        let keys = JWTKeyCollection()
        await keys.add(
            rsa: try Insecure.RSA.PublicKey(pem: try account.publicPEM), digestAlgorithm: .sha256, kid: "key-1")
        let assertion = try? await keys.verify(String(request.body.dropFirst(prefix.count)), as: Assertion.self)
        return script.withLock { script in
            func mistake(_ text: String) { script.mistakes.append(text) }
            if request.method != "POST" || !request.body.hasPrefix(prefix) { mistake("no assertion") }
            if let assertion {
                if assertion.iss != Self.mail { mistake("iss") }
                if assertion.scope != "https://www.googleapis.com/auth/androidpublisher" { mistake("scope") }
                if !assertion.aud.hasSuffix("/token") { mistake("aud") }
                if assertion.exp - assertion.iat != 3600 { mistake("exp") }
            } else {
                mistake("signature")
            }
            guard script.tokenStatus == 200 else {
                return LoopbackStore.Reply(script.tokenStatus, #"{"error":"invalid_grant"}"#)
            }
            script.issued += 1
            let token = "ya29.secret-\(script.issued)"
            script.validTokens.insert(token)
            return LoopbackStore.Reply(
                200, "{\"access_token\":\"\(token)\",\"expires_in\":3599,\"token_type\":\"Bearer\"}")
        }
    }

    /// Returns a verifier that queries this fake.
    func verifier(_ store: LoopbackStore, _ more: String = "", clock: ManualClock = ManualClock()) throws
        -> any ReceiptVerifier
    {
        let file = folder.appending(path: "account.json")
        try Data(Self.account(key: try account.privatePEM, tokenURL: "\(store.url)/token").utf8).write(to: file)
        return try GoogleFixture.open(
            """
            package: \(GoogleFixture.package)
            service_account: {file: \(file.path)}
            url: \(store.url)
            http: {connect_timeout: 60s, timeout: 60s, tls: {root: {file: \(store.root)}}}
            deadline: 60s
            concurrency: {max_concurrent: 100, queue_timeout: 60s}
            \(more)
            """, clock: clock)
    }

    /// Returns the file of a service account.
    static func account(key: String, tokenURL: String) -> String {
        """
        {"type":"service_account","client_email":"\(mail)","private_key_id":"key-1",
        "private_key":"\(key.replacing("\n", with: "\\n"))","token_uri":"\(tokenURL)"}
        """
    }

    static func subscription(
        _ state: String, expires: String = "2026-12-01T00:00:00Z", order: String = "GPA.1-2..3",
        product: String = "daily.monthly", more: String = ""
    ) -> LoopbackStore.Reply {
        LoopbackStore.Reply(
            200,
            """
            {"kind":"androidpublisher#subscriptionPurchaseV2","startTime":"2026-08-01T10:00:00.250Z","regionCode":"DE",
            "subscriptionState":"SUBSCRIPTION_STATE_\(state)","latestOrderId":"\(order)",\(more)
            "lineItems":[{"productId":"\(product)","expiryTime":"\(expires)"}]}
            """)
    }

    static func single(state: Int = 0, more: String = "") -> LoopbackStore.Reply {
        LoopbackStore.Reply(
            200,
            """
            {"kind":"androidpublisher#productPurchase","purchaseTimeMillis":"1793500000123","purchaseState":\(state),
            "consumptionState":0,\(more)"orderId":"GPA.9-9","acknowledgementState":0}
            """)
    }
}
