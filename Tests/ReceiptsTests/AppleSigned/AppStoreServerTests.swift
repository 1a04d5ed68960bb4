import Commerce
import Foundation
import JSON
import OutgoingRequests
import Primitives
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

@Suite("App Store Server API")
struct AppStoreServerTests {
    private let authority: SigningAuthority
    /// The fake server's token verifier uses the system clock.
    private let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
    private let both: Set<StoreEnvironment> = [.production, .sandbox]

    init() throws {
        authority = try SigningAuthority()
    }

    /// Returns a period of a subscription whose first transaction is 100.
    private func period(
        _ id: String, days: ClosedRange<Double>, environment: String = "Production",
        with others: [String: JSONValue] = [:]
    ) throws -> JSONValue {
        .string(
            try authority.sign(
                SignedFormats.transaction(
                    id, original: "100", purchased: now + days.lowerBound * TestDates.day,
                    expires: now + days.upperBound * TestDates.day, environment: environment, signed: now, with: others)
            ))
    }

    private func single(_ id: String, environment: String = "Production") throws -> FakeAppStoreServer.StubResponse {
        .ok([
            "signedTransactionInfo": .string(
                try authority.sign(
                    SignedFormats.transaction(
                        id, purchased: now - 60, expires: nil, environment: environment, signed: now)))
        ])
    }

    private func purchase(_ id: String, expires: Date?) -> StoreTransaction {
        StoreTransaction(
            store: SignedFormats.store, id: id, original: "100", product: "daily.monthly", purchased: now - 86_400,
            expires: expires, environment: .production, reported: now - 3600)
    }

    @Test("Sends a token whose every claim an independent verifier accepts")
    func token() async throws {
        try await FakeAppStoreServer.run(responding: { _, _ in try single("77") }, authority: authority) { setting in
            _ = try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            let request = try #require(setting.requests.withLock { $0.first })
            #expect(request.method == "GET")
            #expect(request.target == "/inApps/v1/transactions/77")
            #expect(request.headers["authorization"]?.hasPrefix("Bearer ") == true)
            #expect(request.token["header"]?["alg"] == "ES256")
            #expect(request.token["header"]?["typ"] == "JWT")
            #expect(request.token["header"]?["kid"] == .string(FakeAppStoreServer.keyID))
            let claims = try #require(request.token["claims"])
            #expect(claims["iss"] == .string(FakeAppStoreServer.issuer))
            #expect(claims["aud"] == "appstoreconnect-v1")
            #expect(claims["bid"] == .string(SignedFormats.bundle))
            let issued = try #require(claims["iat"]?.integer)
            #expect((Int(now.timeIntervalSince1970)...Int(Date().timeIntervalSince1970)).contains(issued))
            #expect(claims["exp"]?.integer == issued + 300)
            #expect(claims.members?.count == 5)
        }
    }

    @Test("Requests a single purchase once")
    func singlePurchase() async throws {
        try await FakeAppStoreServer.run(responding: { _, _ in try single("77") }, authority: authority) { setting in
            let verdict = try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            #expect(verdict.transactions.map(\.id) == ["77"])
            #expect(setting.targets == ["/inApps/v1/transactions/77"])
        }
    }

    @Test("Fetches all pages of a subscription's history and passes the revision on")
    func history() async throws {
        try await FakeAppStoreServer.run(
            responding: { _, target in
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
                            try period("100", days: -62 ... -32, with: ["revocationDate": TestDates.milliseconds(now)]),
                            .string(try authority.sign(SignedFormats.transaction("9", signed: now))),
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

    @Test("Limits the number of history pages, then looks up refunds of older purchases")
    func bounded() async throws {
        let page = Locked(0)
        try await FakeAppStoreServer.run(
            maxPages: 3,
            responding: { _, target in
                if target.hasPrefix("/inApps/v1/transactions/") {
                    return .ok(["signedTransactionInfo": try period("102", days: -2...28)])
                }
                if target.hasPrefix("/inApps/v2/refund/lookup/100") {
                    let refund = ["revocationDate": TestDates.milliseconds(now)]
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

    @Test("Stops reading history if the revision does not change")
    func stillRevision() async throws {
        try await FakeAppStoreServer.run(
            responding: { _, target in
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

    @Test("Queries the grace period of an ended subscription")
    func grace() async throws {
        let ended = try period("101", days: -31 ... -1)
        let renewal = try authority.sign(
            SignedFormats.renewal(of: "100", grace: now + 15 * TestDates.day, signed: now))
        try await FakeAppStoreServer.run(
            responding: { _, target in
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
                    "environment": "Production", "bundleId": .string(SignedFormats.bundle),
                    "data": [["subscriptionGroupIdentifier": "1", "lastTransactions": [last]]],
                ])
            }, authority: authority
        ) { setting in
            let current = try await setting.data.current(
                purchase("101", expires: now - TestDates.day), allowing: [.production], at: now)
            #expect(current.map(\.ends) == [now + 15 * TestDates.day])
        }
    }

    @Test("Pitfall 18: adds earlier periods and a later refund to a replayed signed transaction")
    func enriched() async throws {
        let refund = ["revocationDate": TestDates.milliseconds(now)]
        let old = SignedFormats.transaction(
            "102", original: "100", purchased: now - 2 * TestDates.day, expires: now + 28 * TestDates.day,
            signed: now - TestDates.day)
        try await FakeAppStoreServer.run(
            responding: { _, target in
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

    @Test("Reports a later refund of a signed single purchase")
    func refundedSince() async throws {
        let others = ["revocationDate": TestDates.milliseconds(now)]
        let reported = SignedFormats.transaction("77", purchased: now - 60, expires: nil, signed: now, with: others)
        let old = SignedFormats.transaction("77", purchased: now - 60, expires: nil, signed: now - 60)
        try await FakeAppStoreServer.run(
            responding: { _, _ in .ok(["signedTransactionInfo": .string(try authority.sign(reported))]) },
            authority: authority
        ) { setting in
            let verdict = try await setting.data.transactions(
                signed: authority.sign(old), allowing: [.production], at: now)
            #expect(verdict.transactions.map(\.revoked) == [now])
        }
    }

    @Test("Accepts a recently signed transaction while Apple is unreachable")
    func aloneGood() async throws {
        try await FakeAppStoreServer.run(responding: { _, _ in .error(5_000_000) }, authority: authority) { setting in
            let signed = try authority.sign(SignedFormats.transaction(signed: now))
            let verdict = try await setting.data.transactions(signed: signed, allowing: [.production], at: now)
            #expect(verdict.transactions.count == 1)
        }
    }

    @Test(
        "Does not accept a transaction that Apple signed long ago while Apple is unreachable, because of refunds")
    func aloneOld() async throws {
        try await FakeAppStoreServer.run(responding: { _, _ in .error(5_000_000) }, authority: authority) { setting in
            func verdict(signed: Date, expires: Date?, with more: [String: JSONValue] = [:]) async throws
                -> ReceiptVerdict
            {
                try await setting.data.transactions(
                    signed: authority.sign(
                        SignedFormats.transaction(
                            purchased: now - 400 * TestDates.day, expires: expires, signed: signed, with: more)),
                    allowing: [.production], at: now)
            }
            let limit = now - SignedAppStoreData.maxTrustedAge
            for expires in [nil, now + 30 * TestDates.day] {
                #expect(try await verdict(signed: limit, expires: expires).transactions.count == 1)
                for old in [limit - 1, now - 399 * TestDates.day] {
                    // Either Apple's failure or an open circuit breaker.
                    await #expect(throws: (any Error).self) { try await verdict(signed: old, expires: expires) }
                }
            }
            // No later data from Apple restores a revoked purchase.
            let refund = ["revocationDate": TestDates.milliseconds(now - 300 * TestDates.day)]
            let taken = try await verdict(signed: now - 299 * TestDates.day, expires: nil, with: refund)
            #expect(taken.transactions.map { $0.revoked != nil } == [true])
        }
    }

    @Test("Pitfall 18: queries sandbox after 4040010 in production, but only where sandbox is allowed")
    func sandbox() async throws {
        try await FakeAppStoreServer.run(
            responding: { environment, _ in
                try environment == .sandbox ? single("77", environment: "Sandbox") : .error(4_040_010)
            }, authority: authority
        ) { setting in
            let allowed = try await setting.data.transactions(id: "77", allowing: both, at: now)
            #expect(allowed.transactions.map(\.environment) == [.sandbox])
            #expect(setting.targets.count == 2)
            let rejected = try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            #expect(rejected == .rejected(ReceiptRejection(.notFound, code: 4_040_010)))
            #expect(setting.targets.count == 3)
        }
    }

    @Test("A store of several apps queries each app until one knows the transaction")
    func severalApps() async throws {
        try await FakeAppStoreServer.run(
            bundles: [SignedFormats.bundle, "com.example.another"],
            responding: { _, _ in .error(4_040_010) }, authority: authority
        ) { setting in
            let verdict = try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            #expect(verdict == .rejected(ReceiptRejection(.notFound, code: 4_040_010)))
            let bundles = setting.requests.withLock { $0.map { $0.token["claims"]?["bid"]?.text } }
            #expect(bundles == ["com.example.another", SignedFormats.bundle])
        }
    }

    @Test(
        "Retries a temporary error once, after the delay of Retry-After",
        arguments: [4_040_002, 4_040_004, 4_040_006, 4_290_000, 5_000_000, 5_000_001])
    func retry(code: Int) async throws {
        let count = Locked(0)
        try await FakeAppStoreServer.run(
            responding: { _, _ in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                return try isFirst ? .error(code, headers: ["Retry-After": "2"]) : single("77")
            }, authority: authority
        ) { setting in
            let verdict = try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            #expect(verdict.transactions.count == 1)
            #expect(setting.reconnectBackoff.withLock { $0 } == [2])
        }
    }

    @Test("A persistent failure throws an error after two requests")
    func failing() async throws {
        try await FakeAppStoreServer.run(responding: { _, _ in .error(5_000_000) }, authority: authority) { setting in
            await #expect(throws: AppStoreServerFailure.status(500, code: 5_000_000)) {
                try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            }
            #expect(setting.targets.count == 2)
        }
    }

    @Test("A long Retry-After throws an error at once instead of a wait")
    func farRetry() async throws {
        try await FakeAppStoreServer.run(
            responding: { _, _ in .error(4_290_000, headers: ["Retry-After": "3600"]) }, authority: authority
        ) { setting in
            await #expect(throws: AppStoreServerFailure.status(429, code: 4_290_000)) {
                try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            }
            #expect(setting.reconnectBackoff.withLock { $0 } == [])
        }
    }

    @Test("Apple's rejection of an identifier is a rejection; its rejection of our key is an outage")
    func rejected() async throws {
        let status = Locked(FakeAppStoreServer.StubResponse.error(4_000_006))
        try await FakeAppStoreServer.run(responding: { _, _ in status.withLock { $0 } }, authority: authority) {
            setting in
            let verdict = try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            #expect(verdict == .rejected(ReceiptRejection(.rejectedByStore, code: 4_000_006)))
            status.withLock { $0 = FakeAppStoreServer.StubResponse(status: 401, body: [:]) }
            await #expect(throws: AppStoreServerFailure.status(401, code: nil)) {
                try await setting.data.transactions(id: "77", allowing: [.production], at: now)
            }
        }
    }

    @Test(
        "Rejects an invalid transaction identifier without a request",
        arguments: ["", "abc", "1/../2", "1?x", "123456789012345678901"])
    func identifiers(id: String) async throws {
        try await FakeAppStoreServer.run(responding: { _, _ in try single("77") }, authority: authority) { setting in
            let verdict = try await setting.data.transactions(id: id, allowing: [.production], at: now)
            #expect(verdict == .rejected(ReceiptRejection(.malformed)))
            #expect(setting.targets.isEmpty)
        }
    }

    @Test("Rejects a response that is unsigned or belongs to another app or environment")
    func unverified() async throws {
        let forger = try SigningAuthority()
        let payload = SignedFormats.transaction("77", expires: nil, signed: now)
        let other = SignedFormats.transaction("77", expires: nil, signed: now, with: ["bundleId": "com.example.other"])
        let sandboxed = SignedFormats.transaction("77", expires: nil, environment: "Sandbox", signed: now)
        for (signed, reason) in [
            (try forger.sign(payload), .forged), (try authority.sign(other), .wrongApp),
            (try authority.sign(sandboxed), .wrongEnvironment),
        ] as [(String, ReceiptRejection.Reason)] {
            try await FakeAppStoreServer.run(
                responding: { _, _ in .ok(["signedTransactionInfo": .string(signed)]) }, authority: authority
            ) { setting in
                await #expect(throws: AppStoreServerFailure.unverified(reason)) {
                    try await setting.data.transactions(id: "77", allowing: both, at: now)
                }
            }
        }
    }

    @Test("Does not send a request to an untrusted server and fails if the server is down")
    func unreachable() async throws {
        try await FakeAppStoreServer.run(responding: { _, _ in try single("77") }, authority: authority) { setting in
            let down = try #require(ServiceURL("https://127.0.0.1:\(try FreePort.find())"))
            for (address, failure) in [(down, HTTPFailure.unreachable), (setting.production, .untrusted)] {
                let settings = AppStoreServerSettings(
                    issuer: FakeAppStoreServer.issuer, keyID: FakeAppStoreServer.keyID,
                    key: Secret(P256Key().privatePEM),
                    production: address, sandbox: address)
                let data = try SignedAppStoreData(
                    apps: SignedFormats.apps(authority), server: settings, services: SignedFormats.services(.system))
                await #expect(throws: failure) {
                    try await data.transactions(id: "77", allowing: [.production], at: now)
                }
            }
            #expect(setting.targets.isEmpty)
        }
    }
}

@Suite("Retry-After header of Apple")
struct RetryAfterTests {
    @Test("Reads seconds, or milliseconds since 1970")
    func forms() {
        let timestamp = TestDates.now
        #expect(RetryAfter.pause(nil, at: timestamp) == 0.5)
        #expect(RetryAfter.pause("2", at: timestamp) == 2)
        #expect(RetryAfter.pause("0", at: timestamp) == 0)
        #expect(RetryAfter.pause("60", at: timestamp) == nil)
        #expect(RetryAfter.pause("1793534401500", at: timestamp) == 1.5)
        #expect(RetryAfter.pause("1793534399000", at: timestamp) == 0)
        #expect(RetryAfter.pause("1793538000000", at: timestamp) == nil)
        for odd in ["", "-1", "nan", "inf", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            #expect(RetryAfter.pause(odd, at: timestamp) == 0.5)
        }
    }
}
