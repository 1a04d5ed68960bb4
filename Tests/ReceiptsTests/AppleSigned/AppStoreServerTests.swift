import Foundation
import Gatefold
import JSON
import OutgoingRequests
import Protections
import StoreBenches
import TestSupport
import Testing

@testable import Receipts

@Suite("The App Store Server API")
struct AppStoreServerTests {
    private let authority: SigningAuthority
    /// The stand-in's verifier of tokens knows real time only.
    private let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
    private let both: Set<StoreEnvironment> = [.production, .sandbox]

    init() throws {
        authority = try SigningAuthority()
    }

    /// Of a subscription whose first transaction is 100.
    private func period(
        _ id: String, days: ClosedRange<Double>, environment: String = "Production",
        with others: [String: JSONValue] = [:]
    ) throws -> JSONValue {
        .string(
            try authority.sign(
                SignedForms.transaction(
                    id, original: "100", purchased: now + days.lowerBound * Moments.day,
                    expires: now + days.upperBound * Moments.day, environment: environment, signed: now, with: others)))
    }

    private func single(_ id: String, environment: String = "Production") throws -> AppStoreStandIn.Answer {
        .ok([
            "signedTransactionInfo": .string(
                try authority.sign(
                    SignedForms.transaction(
                        id, purchased: now - 60, expires: nil, environment: environment, signed: now)))
        ])
    }

    private func purchase(_ id: String, expires: Date?) -> StoreTransaction {
        StoreTransaction(
            store: SignedForms.store, id: id, original: "100", product: "daily.monthly", purchased: now - 86_400,
            expires: expires, environment: .production, told: now - 3600)
    }

    @Test("asks with a token that an independent verifier accepts, claim by claim")
    func token() async throws {
        try await AppStoreStandIn.run(answering: { _, _ in try single("77") }, authority: authority) { setting in
            _ = try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            let question = try #require(setting.questions.withLock { $0.first })
            #expect(question.method == "GET")
            #expect(question.target == "/inApps/v1/transactions/77")
            #expect(question.headers["authorization"]?.hasPrefix("Bearer ") == true)
            #expect(question.token["header"]?["alg"] == "ES256")
            #expect(question.token["header"]?["typ"] == "JWT")
            #expect(question.token["header"]?["kid"] == .string(AppStoreStandIn.keyID))
            let claims = try #require(question.token["claims"])
            #expect(claims["iss"] == .string(AppStoreStandIn.issuer))
            #expect(claims["aud"] == "appstoreconnect-v1")
            #expect(claims["bid"] == .string(SignedForms.bundle))
            let issued = try #require(claims["iat"]?.integer)
            #expect((Int(now.timeIntervalSince1970)...Int(Date().timeIntervalSince1970)).contains(issued))
            #expect(claims["exp"]?.integer == issued + 300)
            #expect(claims.members?.count == 5)
        }
    }

    @Test("a single purchase is its own transaction, asked for once")
    func singlePurchase() async throws {
        try await AppStoreStandIn.run(answering: { _, _ in try single("77") }, authority: authority) { setting in
            let verdict = try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            #expect(verdict.transactions.map(\.id) == ["77"])
            #expect(setting.targets == ["/inApps/v1/transactions/77"])
        }
    }

    @Test("a subscription comes with all its periods, page by page, the revision carried along")
    func history() async throws {
        try await AppStoreStandIn.run(
            answering: { _, target in
                switch target {
                case "/inApps/v1/transactions/102":
                    .ok(["signedTransactionInfo": try period("102", days: -2...28)])
                case "/inApps/v2/history/100?sort=DESCENDING":
                    .ok([
                        "hasMore": true, "revision": "r/1=&",
                        "signedTransactions": [
                            try period("102", days: -2...28), try period("101", days: -32 ... -2),
                        ],
                    ])
                case "/inApps/v2/history/100?sort=DESCENDING&revision=r%2F1%3D%26":
                    .ok([
                        "hasMore": false, "revision": "r2",
                        "signedTransactions": [
                            try period("100", days: -62 ... -32, with: ["revocationDate": Moments.milliseconds(now)]),
                            .string(try authority.sign(SignedForms.transaction("9", signed: now))),
                        ],
                    ])
                default: .error(4_040_010)
                }
            }, authority: authority
        ) { setting in
            let verdict = try await setting.data.transactions(id: "102", allowing: [.production], at: now)
            #expect(verdict.transactions.map(\.id) == ["100", "101", "102"])
            #expect(verdict.transactions.map { $0.revoked != nil } == [true, false, false])
            #expect(setting.targets.count == 3)
        }
    }

    @Test("history is read for so many pages and no more; then refunds are looked up for what lies beyond")
    func bounded() async throws {
        let page = Kept(0)
        try await AppStoreStandIn.run(
            mostPages: 3,
            answering: { _, target in
                if target.hasPrefix("/inApps/v1/transactions/") {
                    return .ok(["signedTransactionInfo": try period("102", days: -2...28)])
                }
                if target.hasPrefix("/inApps/v2/refund/lookup/100") {
                    let refund = ["revocationDate": Moments.milliseconds(now)]
                    return .ok([
                        "hasMore": false, "revision": "",
                        "signedTransactions": [try period("5", days: -900 ... -870, with: refund)],
                    ])
                }
                let number = page.withLock { page in
                    page += 1
                    return page
                }
                return .ok(["hasMore": true, "revision": .string("r\(number)"), "signedTransactions": []])
            }, authority: authority
        ) { setting in
            let current = try await setting.data.current(
                purchase("102", expires: now), allowing: [.production], at: now)
            #expect(current.map(\.id) == ["5", "102"])
            #expect(setting.targets.count { $0.contains("/history/") } == 3)
        }
    }

    @Test("a revision that stands still ends the reading")
    func stillRevision() async throws {
        try await AppStoreStandIn.run(
            answering: { _, target in
                try target.hasPrefix("/inApps/v1/transactions/")
                    ? .ok(["signedTransactionInfo": period("102", days: -2...28)])
                    : .ok(["hasMore": true, "revision": "same", "signedTransactions": []])
            }, authority: authority
        ) { setting in
            await #expect(throws: AppStoreServerFailure.incomplete) {
                try await setting.data.current(purchase("102", expires: now), allowing: [.production], at: now)
            }
            #expect(setting.targets.count == 3)
        }
    }

    @Test("a subscription that has ended is asked about its grace period")
    func grace() async throws {
        let ended = try period("101", days: -31 ... -1)
        let renewal = try authority.sign(
            SignedForms.renewal(of: "100", grace: now + 15 * Moments.day, signed: now))
        try await AppStoreStandIn.run(
            answering: { _, target in
                if target.hasPrefix("/inApps/v1/transactions/") { return .ok(["signedTransactionInfo": ended]) }
                if target.hasPrefix("/inApps/v2/history/") {
                    return .ok(["hasMore": false, "signedTransactions": [ended]])
                }
                guard target == "/inApps/v1/subscriptions/100" else { return .error(4_040_010) }
                let last: JSONValue = [
                    "originalTransactionId": "100", "status": 4, "signedTransactionInfo": ended,
                    "signedRenewalInfo": .string(renewal),
                ]
                return .ok([
                    "environment": "Production", "bundleId": .string(SignedForms.bundle),
                    "data": [["subscriptionGroupIdentifier": "1", "lastTransactions": [last]]],
                ])
            }, authority: authority
        ) { setting in
            let current = try await setting.data.current(
                purchase("101", expires: now - Moments.day), allowing: [.production], at: now)
            #expect(current.map(\.ends) == [now + 15 * Moments.day])
        }
    }

    @Test("a signed transaction comes with the periods before it, and with a refund since (PITFALLS row 18: replay)")
    func enriched() async throws {
        let refund = ["revocationDate": Moments.milliseconds(now)]
        let old = SignedForms.transaction(
            "102", original: "100", purchased: now - 2 * Moments.day, expires: now + 28 * Moments.day,
            signed: now - Moments.day)
        try await AppStoreStandIn.run(
            answering: { _, target in
                guard target == "/inApps/v2/history/100?sort=DESCENDING" else { return .error(4_040_010) }
                return .ok([
                    "hasMore": false,
                    "signedTransactions": [
                        try period("102", days: -2...28, with: refund), try period("101", days: -32 ... -2),
                    ],
                ])
            }, authority: authority
        ) { setting in
            let verdict = try await setting.data.transactions(
                signed: authority.sign(old), allowing: [.production], at: now)
            #expect(verdict.transactions.map(\.id) == ["101", "102"])
            #expect(verdict.transactions.map { $0.revoked != nil } == [false, true])
        }
    }

    @Test("a signed single purchase that was refunded since is told as refunded")
    func refundedSince() async throws {
        let others = ["revocationDate": Moments.milliseconds(now)]
        let told = SignedForms.transaction("77", purchased: now - 60, expires: nil, signed: now, with: others)
        let old = SignedForms.transaction("77", purchased: now - 60, expires: nil, signed: now - 60)
        try await AppStoreStandIn.run(
            answering: { _, _ in .ok(["signedTransactionInfo": .string(try authority.sign(told))]) },
            authority: authority
        ) { setting in
            let verdict = try await setting.data.transactions(
                signed: authority.sign(old), allowing: [.production], at: now)
            #expect(verdict.transactions.map(\.revoked) == [now])
        }
    }

    @Test("while Apple can not be asked, a signed transaction is good as it stands")
    func aloneGood() async throws {
        try await AppStoreStandIn.run(answering: { _, _ in .error(5_000_000) }, authority: authority) { setting in
            let signed = try authority.sign(SignedForms.transaction(signed: now))
            let verdict = try await setting.data.transactions(signed: signed, allowing: [.production], at: now)
            #expect(verdict.transactions.count == 1)
        }
    }

    @Test(
        "while Apple can not be asked, a transaction that it signed long ago is not believed: it may be refunded since")
    func aloneOld() async throws {
        try await AppStoreStandIn.run(answering: { _, _ in .error(5_000_000) }, authority: authority) { setting in
            func verdict(signed: Date, expires: Date?, with more: [String: JSONValue] = [:]) async throws
                -> ReceiptVerdict
            {
                try await setting.data.transactions(
                    signed: authority.sign(
                        SignedForms.transaction(
                            purchased: now - 400 * Moments.day, expires: expires, signed: signed, with: more)),
                    allowing: [.production], at: now)
            }
            let limit = now - SignedAppStoreData.longestBelieved
            for expires in [nil, now + 30 * Moments.day] {
                #expect(try await verdict(signed: limit, expires: expires).transactions.count == 1)
                for old in [limit - 1, now - 399 * Moments.day] {
                    // What Apple answers, or that it has failed too often to be asked.
                    await #expect(throws: (any Error).self) { try await verdict(signed: old, expires: expires) }
                }
            }
            // Nothing that Apple could add gives back what it took back.
            let refund = ["revocationDate": Moments.milliseconds(now - 300 * Moments.day)]
            let taken = try await verdict(signed: now - 299 * Moments.day, expires: nil, with: refund)
            #expect(taken.transactions.map { $0.revoked != nil } == [true])
        }
    }

    @Test("4040010 in production: sandbox is asked where it counts, and only there (PITFALLS row 18)")
    func sandbox() async throws {
        try await AppStoreStandIn.run(
            answering: { environment, _ in
                try environment == .sandbox ? single("77", environment: "Sandbox") : .error(4_040_010)
            }, authority: authority
        ) { setting in
            let allowed = try await setting.data.transactions(id: "77", allowing: both, at: now)
            #expect(allowed.transactions.map(\.environment) == [.sandbox])
            #expect(setting.targets.count == 2)
            let refused = try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            #expect(refused == .refused(ReceiptRefusal(.notFound, code: 4_040_010)))
            #expect(setting.targets.count == 3)
        }
    }

    @Test("a store of several apps asks for each until one knows the transaction")
    func severalApps() async throws {
        try await AppStoreStandIn.run(
            bundles: [SignedForms.bundle, "com.example.another"],
            answering: { _, _ in .error(4_040_010) }, authority: authority
        ) { setting in
            let verdict = try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            #expect(verdict == .refused(ReceiptRefusal(.notFound, code: 4_040_010)))
            let bundles = setting.questions.withLock { $0.map { $0.token["claims"]?["bid"]?.text } }
            #expect(bundles == ["com.example.another", SignedForms.bundle])
        }
    }

    @Test(
        "what may pass is asked once more, after the pause that Apple asks for",
        arguments: [4_040_002, 4_040_004, 4_040_006, 4_290_000, 5_000_000, 5_000_001])
    func retry(code: Int) async throws {
        let count = Kept(0)
        try await AppStoreStandIn.run(
            answering: { _, _ in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                return try isFirst ? .error(code, headers: ["Retry-After": "2"]) : single("77")
            }, authority: authority
        ) { setting in
            let verdict = try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            #expect(verdict.transactions.count == 1)
            #expect(setting.pauses.withLock { $0 } == [2])
        }
    }

    @Test("what goes on failing means that Apple could not be asked, after two questions")
    func failing() async throws {
        try await AppStoreStandIn.run(answering: { _, _ in .error(5_000_000) }, authority: authority) { setting in
            await #expect(throws: AppStoreServerFailure.status(500, code: 5_000_000)) {
                try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            }
            #expect(setting.targets.count == 2)
        }
    }

    @Test("nobody waits long: a far Retry-After means that Apple could not be asked, now")
    func farRetry() async throws {
        try await AppStoreStandIn.run(
            answering: { _, _ in .error(4_290_000, headers: ["Retry-After": "3600"]) }, authority: authority
        ) { setting in
            await #expect(throws: AppStoreServerFailure.status(429, code: 4_290_000)) {
                try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            }
            #expect(setting.pauses.withLock { $0 } == [])
        }
    }

    @Test("an identifier that Apple refuses is refused; a key it refuses is an outage")
    func refused() async throws {
        let status = Kept(AppStoreStandIn.Answer.error(4_000_006))
        try await AppStoreStandIn.run(answering: { _, _ in status.withLock { $0 } }, authority: authority) { setting in
            let verdict = try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            #expect(verdict == .refused(ReceiptRefusal(.storeRefused, code: 4_000_006)))
            status.withLock { $0 = AppStoreStandIn.Answer(status: 401, body: [:]) }
            await #expect(throws: AppStoreServerFailure.status(401, code: nil)) {
                try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            }
        }
    }

    @Test(
        "what is no transaction identifier is not asked about",
        arguments: ["", "abc", "1/../2", "1?x", "123456789012345678901"])
    func identifiers(id: String) async throws {
        try await AppStoreStandIn.run(answering: { _, _ in try single("77") }, authority: authority) { setting in
            let verdict = try await setting.data.transactions(id: id, allowing: [.production], at: now)
            #expect(verdict == .refused(ReceiptRefusal(.malformed)))
            #expect(setting.targets.isEmpty)
        }
    }

    @Test("an answer that Apple did not sign, or that is of another app or environment, is not believed")
    func unverified() async throws {
        let forger = try SigningAuthority()
        let payload = SignedForms.transaction("77", expires: nil, signed: now)
        let other = SignedForms.transaction("77", expires: nil, signed: now, with: ["bundleId": "com.example.other"])
        let sandboxed = SignedForms.transaction("77", expires: nil, environment: "Sandbox", signed: now)
        for (signed, reason) in [
            (try forger.sign(payload), .forged), (try authority.sign(other), .wrongApp),
            (try authority.sign(sandboxed), .wrongEnvironment),
        ] as [(String, ReceiptRefusal.Reason)] {
            try await AppStoreStandIn.run(
                answering: { _, _ in .ok(["signedTransactionInfo": .string(signed)]) }, authority: authority
            ) { setting in
                await #expect(throws: AppStoreServerFailure.unverified(reason)) {
                    try await setting.data.transactions(id: "77", allowing: both, at: now)
                }
            }
        }
    }

    @Test("a server whose certificate is not trusted is not asked; neither is one that is down")
    func unreachable() async throws {
        try await AppStoreStandIn.run(answering: { _, _ in try single("77") }, authority: authority) { setting in
            let down = try #require(ServiceURL("https://127.0.0.1:\(try FreePort.find())"))
            for (address, failure) in [(down, HTTPFailure.unreachable), (setting.production, .untrusted)] {
                let settings = AppStoreServerSettings(
                    issuer: AppStoreStandIn.issuer, keyID: AppStoreStandIn.keyID, key: Secret(P256Key().privatePEM),
                    production: address, sandbox: address)
                let data = try SignedAppStoreData(
                    apps: SignedForms.apps(authority), server: settings, services: SignedForms.services(.system))
                await #expect(throws: failure) {
                    try await data.transactions(id: "77", allowing: [.production], at: now)
                }
            }
            #expect(setting.targets.isEmpty)
        }
    }
}

@Suite("Retry-After, as Apple writes it")
struct RetryAfterTests {
    @Test("is seconds, or milliseconds since 1970")
    func forms() {
        let moment = Moments.now
        #expect(RetryAfter.pause(nil, at: moment) == 0.5)
        #expect(RetryAfter.pause("2", at: moment) == 2)
        #expect(RetryAfter.pause("0", at: moment) == 0)
        #expect(RetryAfter.pause("60", at: moment) == nil)
        #expect(RetryAfter.pause("1793534401500", at: moment) == 1.5)
        #expect(RetryAfter.pause("1793534399000", at: moment) == 0)
        #expect(RetryAfter.pause("1793538000000", at: moment) == nil)
        for odd in ["", "-1", "nan", "inf", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            #expect(RetryAfter.pause(odd, at: moment) == 0.5)
        }
    }
}
