import Commerce
import Foundation
import JSON
import StoreFixtures
import Testing

@testable import Receipts

@Suite("App Store Server Notifications V2")
struct AppStoreNotificationsTests {
    private let authority: SigningAuthority
    private let data: SignedAppStoreData

    init() throws {
        authority = try SigningAuthority()
        data = try SignedFormats.data(authority)
    }

    private func verdict(
        _ payload: JSONValue, allowing allowed: Set<StoreEnvironment> = [.production]
    ) async throws -> NotificationVerdict {
        try await data.notification(
            SignedFormats.body(authority.sign(payload)), allowing: allowed, at: TestDates.now)
    }

    private func rejected(_ reason: ReceiptRejection.Reason) -> NotificationVerdict {
        .rejected(ReceiptRejection(reason))
    }

    @Test("A renewal reports the current transaction")
    func renewal() async throws {
        let transaction = try authority.sign(SignedFormats.transaction("2", original: "1"))
        let renewal = try authority.sign(SignedFormats.renewal(of: "1", grace: nil))
        let event = try await verdict(
            SignedFormats.notification("DID_RENEW", "BILLING_RECOVERY", transaction: transaction, renewal: renewal)
        ).event
        #expect(event?.name == "DID_RENEW.BILLING_RECOVERY")
        #expect(event?.id == "d3a1f7c2-0000-4000-8000-000000000001")
        #expect(event?.signed == TestDates.now)
        #expect(event?.store == SignedFormats.store)
        #expect(event?.transactions.map(\.id) == ["2"])
        #expect(event?.transactions.map(\.original) == ["1"])
    }

    @Test("A failed payment extends the subscription by its grace period")
    func grace() async throws {
        let ended = TestDates.now - TestDates.day
        let transaction = try authority.sign(SignedFormats.transaction("2", original: "1", expires: ended))
        let renewal = try authority.sign(SignedFormats.renewal(of: "1", grace: TestDates.now + 15 * TestDates.day))
        let event = try await verdict(
            SignedFormats.notification(
                "DID_FAIL_TO_RENEW", "GRACE_PERIOD", transaction: transaction, renewal: renewal)
        ).event
        #expect(event?.transactions.map(\.ends) == [TestDates.now + 15 * TestDates.day])
    }

    @Test("A refund revokes a purchase, and a later reversal restores it")
    func refundAndReversal() async throws {
        let refund = try authority.sign(
            SignedFormats.transaction(with: ["revocationDate": TestDates.milliseconds(TestDates.now)]))
        let reversal = try authority.sign(SignedFormats.transaction(signed: TestDates.now + 60))
        let taken = try await verdict(SignedFormats.notification("REFUND", transaction: refund)).event?.transactions
        let given = try await verdict(SignedFormats.notification("REFUND_REVERSED", transaction: reversal)).event?
            .transactions
        #expect(taken?.map(\.revoked) == [TestDates.now])
        #expect(given?.map(\.revoked) == [nil])
        let (before, after) = (try #require(taken?.first), try #require(given?.first))
        #expect(after.reported > before.reported)
    }

    @Test(
        "A family revocation revokes, an expiry is reported unchanged, and an unknown type is accepted",
        arguments: [
            ("REVOKE", true), ("EXPIRED", false), ("ONE_TIME_CHARGE", false), ("TYPE_OF_2030", false),
        ])
    func types(name: String, isRevoked: Bool) async throws {
        let others = isRevoked ? ["revocationDate": TestDates.milliseconds(TestDates.now)] : [:]
        let transaction = try authority.sign(SignedFormats.transaction(expires: TestDates.now - 1, with: others))
        let event = try await verdict(SignedFormats.notification(name, transaction: transaction)).event
        #expect(event?.name == name)
        #expect(event?.transactions.map { $0.revoked != nil } == [isRevoked])
        #expect(event?.transactions.map(\.expires) == [TestDates.now - 1])
    }

    @Test("A test and a notification without a transaction are events without transactions")
    func without() async throws {
        let outer = SignedFormats.notification("TEST").members ?? []
        #expect(try await verdict(.object(outer)).event?.transactions == [])
        let app: JSONValue = [
            "bundleId": .string(SignedFormats.bundle), "environment": "Production",
            "appAppleId": .number(String(SignedFormats.appID)),
        ]
        let token: JSONValue = [
            "bundleId": .string(SignedFormats.bundle), "appAppleId": .number(String(SignedFormats.appID)),
            "externalPurchaseId": "b2f6",
        ]
        for (subject, content) in [("summary", app), ("appData", app), ("externalPurchaseToken", token)] {
            let members = outer.filter { $0.name != "data" } + [.init(name: subject, value: content)]
            #expect(try await verdict(.object(members)).event?.transactions == [])
        }
        let sandboxed = SignedFormats.object([
            "bundleId": .string(SignedFormats.bundle), "externalPurchaseId": "SANDBOX_b2f6",
        ])
        let members = outer.filter { $0.name != "data" } + [.init(name: "externalPurchaseToken", value: sandboxed)]
        #expect(try await verdict(.object(members)) == rejected(.wrongEnvironment))
    }

    @Test("Rejects a notification of another app, by bundle or by Apple's app ID")
    func otherApp() async throws {
        for others in [
            ["bundleId": "com.example.other"], ["appAppleId": 4712], ["appAppleId": .null], ["bundleId": .null],
        ] as [[String: JSONValue]] {
            #expect(try await verdict(SignedFormats.notification("TEST", data: others)) == rejected(.wrongApp))
        }
    }

    @Test("Rejects another app's transaction inside our notification")
    func otherTransaction() async throws {
        let transaction = try authority.sign(SignedFormats.transaction(with: ["bundleId": "com.example.other"]))
        #expect(
            try await verdict(SignedFormats.notification("DID_RENEW", transaction: transaction)) == rejected(.wrongApp))
    }

    @Test("Rejects a notification of another environment")
    func otherEnvironment() async throws {
        #expect(
            try await verdict(SignedFormats.notification("TEST", environment: "Sandbox")) == rejected(.wrongEnvironment)
        )
        #expect(
            try await verdict(SignedFormats.notification("TEST", environment: "Xcode")) == rejected(.wrongEnvironment))
        let mixed = try authority.sign(SignedFormats.transaction(environment: "Sandbox"))
        #expect(
            try await verdict(SignedFormats.notification("DID_RENEW", transaction: mixed))
                == rejected(.wrongEnvironment))
    }

    @Test("Rejects a forged notification and a forged transaction or renewal inside it")
    func forged() async throws {
        let theirs = try SigningAuthority()
        let outer = SignedFormats.body(try theirs.sign(SignedFormats.notification("TEST")))
        #expect(try await data.notification(outer, allowing: [.production], at: TestDates.now) == rejected(.forged))
        let transaction = try theirs.sign(SignedFormats.transaction())
        #expect(
            try await verdict(SignedFormats.notification("DID_RENEW", transaction: transaction)) == rejected(.forged))
        let renewal = try theirs.sign(SignedFormats.renewal(of: "1", grace: TestDates.farAhead))
        let ours = try authority.sign(SignedFormats.transaction("2", original: "1"))
        #expect(
            try await verdict(SignedFormats.notification("DID_RENEW", transaction: ours, renewal: renewal))
                == rejected(.forged))
    }

    @Test(
        "Rejects a malformed notification",
        arguments: [
            "", "{}", "[]", #"{"signedPayload":1}"#, #"{"signedPayload":""}"#, #"{"signedPayload":"a.b.c"}"#,
            #"{"notification_type":"DID_RENEW","password":"x"}"#, "\u{FEFF}", #"{"signedPayload":"e30.e30.e30"} x"#,
            #"{"signedPayload":"e30.e30.e30","signedPayload":"e30.e30.e30"}"#,
        ])
    func malformed(body: String) async throws {
        let verdict = try await data.notification(Array(body.utf8), allowing: [.production], at: TestDates.now)
        #expect(verdict.event == nil)
    }

    @Test("Rejects a genuine payload with no or two subjects, or with an invalid type, as malformed")
    func strange() async throws {
        let members = SignedFormats.notification("TEST").members ?? []
        let none = members.filter { $0.name != "data" }
        let two = members + [.init(name: "summary", value: [:])]
        for payload in [JSONValue.object(none), .object(two), SignedFormats.notification("a line\nbreak")] {
            #expect(try await verdict(payload) == rejected(.malformed))
        }
        // A signed transaction is genuine as well, but not a notification.
        #expect(try await verdict(SignedFormats.transaction()) == rejected(.malformed))
    }
}

extension NotificationVerdict {
    /// The event, or nil for a rejection.
    var event: StoreEvent? {
        if case .event(let event) = self { event } else { nil }
    }
}
