import Foundation
import Gatefold
import JSON
import StoreBenches
import Testing

@testable import Receipts

@Suite("App Store Server Notifications V2")
struct AppStoreNotificationsTests {
    private let authority: SigningAuthority
    private let data: SignedAppStoreData

    init() throws {
        authority = try SigningAuthority()
        data = try SignedForms.data(authority)
    }

    private func verdict(
        _ payload: JSONValue, allowing allowed: Set<StoreEnvironment> = [.production]
    ) async throws -> NotificationVerdict {
        try await data.notification(
            SignedForms.body(authority.sign(payload)), allowing: allowed, at: Moments.now)
    }

    private func refused(_ reason: ReceiptRefusal.Reason) -> NotificationVerdict { .refused(ReceiptRefusal(reason)) }

    @Test("a renewal tells of the transaction as it is now")
    func renewal() async throws {
        let transaction = try authority.sign(SignedForms.transaction("2", original: "1"))
        let renewal = try authority.sign(SignedForms.renewal(of: "1", grace: nil))
        let event = try await verdict(
            SignedForms.notification("DID_RENEW", "BILLING_RECOVERY", transaction: transaction, renewal: renewal)
        ).event
        #expect(event?.name == "DID_RENEW.BILLING_RECOVERY")
        #expect(event?.id == "d3a1f7c2-0000-4000-8000-000000000001")
        #expect(event?.signed == Moments.now)
        #expect(event?.store == SignedForms.store)
        #expect(event?.transactions.map(\.id) == ["2"])
        #expect(event?.transactions.map(\.original) == ["1"])
    }

    @Test("a payment that failed prolongs the subscription by its grace period")
    func grace() async throws {
        let ended = Moments.now - Moments.day
        let transaction = try authority.sign(SignedForms.transaction("2", original: "1", expires: ended))
        let renewal = try authority.sign(SignedForms.renewal(of: "1", grace: Moments.now + 15 * Moments.day))
        let event = try await verdict(
            SignedForms.notification(
                "DID_FAIL_TO_RENEW", "GRACE_PERIOD", transaction: transaction, renewal: renewal)
        ).event
        #expect(event?.transactions.map(\.ends) == [Moments.now + 15 * Moments.day])
    }

    @Test("a refund takes back, and its reversal gives back by a later word")
    func refundAndReversal() async throws {
        let refund = try authority.sign(
            SignedForms.transaction(with: ["revocationDate": Moments.milliseconds(Moments.now)]))
        let reversal = try authority.sign(SignedForms.transaction(signed: Moments.now + 60))
        let taken = try await verdict(SignedForms.notification("REFUND", transaction: refund)).event?.transactions
        let given = try await verdict(SignedForms.notification("REFUND_REVERSED", transaction: reversal)).event?
            .transactions
        #expect(taken?.map(\.revoked) == [Moments.now])
        #expect(given?.map(\.revoked) == [nil])
        let (before, after) = (try #require(taken?.first), try #require(given?.first))
        #expect(after.told > before.told)
    }

    @Test(
        "a family's revocation takes back, an expiry is told as it is, a type of tomorrow is taken",
        arguments: [
            ("REVOKE", true), ("EXPIRED", false), ("ONE_TIME_CHARGE", false), ("TYPE_OF_2030", false),
        ])
    func types(name: String, isRevoked: Bool) async throws {
        let others = isRevoked ? ["revocationDate": Moments.milliseconds(Moments.now)] : [:]
        let transaction = try authority.sign(SignedForms.transaction(expires: Moments.now - 1, with: others))
        let event = try await verdict(SignedForms.notification(name, transaction: transaction)).event
        #expect(event?.name == name)
        #expect(event?.transactions.map { $0.revoked != nil } == [isRevoked])
        #expect(event?.transactions.map(\.expires) == [Moments.now - 1])
    }

    @Test("a test, and what is about no transaction, are events without any")
    func without() async throws {
        let outer = SignedForms.notification("TEST").members ?? []
        #expect(try await verdict(.object(outer)).event?.transactions == [])
        let app: JSONValue = [
            "bundleId": .string(SignedForms.bundle), "environment": "Production",
            "appAppleId": .number(String(SignedForms.appID)),
        ]
        let token: JSONValue = [
            "bundleId": .string(SignedForms.bundle), "appAppleId": .number(String(SignedForms.appID)),
            "externalPurchaseId": "b2f6",
        ]
        for (subject, content) in [("summary", app), ("appData", app), ("externalPurchaseToken", token)] {
            let members = outer.filter { $0.name != "data" } + [.init(name: subject, value: content)]
            #expect(try await verdict(.object(members)).event?.transactions == [])
        }
        let sandboxed = SignedForms.object([
            "bundleId": .string(SignedForms.bundle), "externalPurchaseId": "SANDBOX_b2f6",
        ])
        let members = outer.filter { $0.name != "data" } + [.init(name: "externalPurchaseToken", value: sandboxed)]
        #expect(try await verdict(.object(members)) == refused(.wrongEnvironment))
    }

    @Test("another app's is refused, by bundle or by Apple's number")
    func otherApp() async throws {
        for others in [
            ["bundleId": "com.example.other"], ["appAppleId": 4712], ["appAppleId": .null], ["bundleId": .null],
        ] as [[String: JSONValue]] {
            #expect(try await verdict(SignedForms.notification("TEST", data: others)) == refused(.wrongApp))
        }
    }

    @Test("another app's transaction in our notification is refused")
    func otherTransaction() async throws {
        let transaction = try authority.sign(SignedForms.transaction(with: ["bundleId": "com.example.other"]))
        #expect(
            try await verdict(SignedForms.notification("DID_RENEW", transaction: transaction)) == refused(.wrongApp))
    }

    @Test("another environment's is refused")
    func otherEnvironment() async throws {
        #expect(
            try await verdict(SignedForms.notification("TEST", environment: "Sandbox")) == refused(.wrongEnvironment))
        #expect(
            try await verdict(SignedForms.notification("TEST", environment: "Xcode")) == refused(.wrongEnvironment))
        let mixed = try authority.sign(SignedForms.transaction(environment: "Sandbox"))
        #expect(
            try await verdict(SignedForms.notification("DID_RENEW", transaction: mixed)) == refused(.wrongEnvironment))
    }

    @Test("forged ones are refused: the notification itself, and the transaction or the renewal inside")
    func forged() async throws {
        let theirs = try SigningAuthority()
        let outer = SignedForms.body(try theirs.sign(SignedForms.notification("TEST")))
        #expect(try await data.notification(outer, allowing: [.production], at: Moments.now) == refused(.forged))
        let transaction = try theirs.sign(SignedForms.transaction())
        #expect(
            try await verdict(SignedForms.notification("DID_RENEW", transaction: transaction)) == refused(.forged))
        let renewal = try theirs.sign(SignedForms.renewal(of: "1", grace: Moments.farAhead))
        let ours = try authority.sign(SignedForms.transaction("2", original: "1"))
        #expect(
            try await verdict(SignedForms.notification("DID_RENEW", transaction: ours, renewal: renewal))
                == refused(.forged))
    }

    @Test(
        "what is no notification is malformed",
        arguments: [
            "", "{}", "[]", #"{"signedPayload":1}"#, #"{"signedPayload":""}"#, #"{"signedPayload":"a.b.c"}"#,
            #"{"notification_type":"DID_RENEW","password":"x"}"#, "\u{FEFF}", #"{"signedPayload":"e30.e30.e30"} x"#,
            #"{"signedPayload":"e30.e30.e30","signedPayload":"e30.e30.e30"}"#,
        ])
    func malformed(body: String) async throws {
        let verdict = try await data.notification(Array(body.utf8), allowing: [.production], at: Moments.now)
        #expect(verdict.event == nil)
    }

    @Test("a genuine payload with none or two subjects, or with a type that is no word, is malformed")
    func strange() async throws {
        let members = SignedForms.notification("TEST").members ?? []
        let none = members.filter { $0.name != "data" }
        let two = members + [.init(name: "summary", value: [:])]
        for payload in [JSONValue.object(none), .object(two), SignedForms.notification("a line\nbreak")] {
            #expect(try await verdict(payload) == refused(.malformed))
        }
        // A transaction is genuine, too, and no notification.
        #expect(try await verdict(SignedForms.transaction()) == refused(.malformed))
    }
}

extension NotificationVerdict {
    /// Nil for a refusal.
    var event: StoreEvent? {
        if case .event(let event) = self { event } else { nil }
    }
}
