import Commerce
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JSON
import NIOCore
import Primitives
import State
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

@Suite("Store notifications over HTTP")
struct StoreNotificationsTests {
    /// A server whose two publications sell in one store, with its ledger.
    private struct StoreServerHarness: Sendable {
        let client: any TestClientProtocol
        let ledger: SQLStateStore
        let authority: SigningAuthority

        func post(_ body: [UInt8], to path: String = "/notifications/app-store") async throws -> Int {
            try await client.execute(uri: path, method: .post, body: ByteBuffer(bytes: body)) { Int($0.status.code) }
        }

        func notify(
            _ name: String, id: String, transaction: JSONValue, signed: Date = TestDates.now
        ) async throws -> Int {
            let inner = try authority.sign(transaction)
            let environment = transaction["environment"]?.text ?? ""
            let outer = SignedFormats.notification(
                name, id: id, transaction: inner, environment: environment, signed: signed)
            return try await post(SignedFormats.body(authority.sign(outer)))
        }

        func known(_ original: String) async throws -> [StoreTransaction] {
            try await ledger.transactions(of: original, in: SignedFormats.store)
        }
    }

    private func run(_ body: @escaping @Sendable (StoreServerHarness) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let authority = try SigningAuthority()
            let ledger = try SQLStateStore(path: folder.appendingPathComponent("state.sqlite").path)
            let verifier = AppleStore(
                apps: try SignedFormats.apps(authority, environments: [.production, .sandbox]),
                signed: try SignedFormats.data(authority, environments: [.production, .sandbox]))
            let publications: [(String, Set<StoreEnvironment>)] = [
                ("daily", [.production]), ("weekly", [.production, .sandbox]),
            ]
            let purchaseServices = publications.map { name, environments in
                PurchaseService(
                    publication: PublicationID(name)!, products: ProductRules(), environments: environments,
                    verifiers: [verifier], ledger: ledger, clock: WallClock { TestDates.now })
            }
            var routes = Routes()
            StoreNotificationsFrontDoor().snapshot(of: purchaseServices).addRoutes(to: &routes)
            try await Application(responder: RouteTable(routes), server: .channelRetaining).test(.live) { client in
                try await body(StoreServerHarness(client: client, ledger: ledger, authority: authority))
            }
        }
    }

    private let purchase = SignedFormats.transaction("1")
    private var refund: JSONValue {
        SignedFormats.transaction(
            "1", signed: TestDates.now + 60, with: ["revocationDate": TestDates.milliseconds(TestDates.now + 30)])
    }
    private var reversal: JSONValue { SignedFormats.transaction("1", signed: TestDates.now + 120) }

    @Test("Responds with 200 after recording, and again for a repeat, which changes nothing")
    func repeated() async throws {
        try await run { (setting) async throws in
            #expect(try await setting.notify("SUBSCRIBED", id: "a", transaction: purchase) == 200)
            let before = try await setting.known("1")
            #expect(before.map(\.id) == ["1"])
            #expect(try await setting.notify("SUBSCRIBED", id: "a", transaction: purchase) == 200)
            // The same identifier with other content is a repeat as well, because it was processed.
            #expect(try await setting.notify("REFUND", id: "a", transaction: refund) == 200)
            #expect(try await setting.known("1") == before)
        }
    }

    @Test(
        "A refund and its reversal have the same result in every order",
        arguments: [[0, 1, 2], [0, 2, 1], [2, 1, 0], [1, 0, 2], [2, 0, 1], [1, 2, 0]])
    func orders(order: [Int]) async throws {
        let notifications = [("SUBSCRIBED", purchase), ("REFUND", refund), ("REFUND_REVERSED", reversal)]
        try await run { (setting) async throws in
            for index in order {
                let (name, transaction) = notifications[index]
                #expect(try await setting.notify(name, id: "id-\(index)", transaction: transaction) == 200)
            }
            let known = try await setting.known("1")
            #expect(known.map(\.revoked) == [nil])
            #expect(known.map(\.reported) == [TestDates.now + 120])
        }
    }

    @Test("A refund persists if the purchase is reported later")
    func refundFirst() async throws {
        try await run { (setting) async throws in
            #expect(try await setting.notify("REFUND", id: "b", transaction: refund) == 200)
            #expect(try await setting.notify("SUBSCRIBED", id: "a", transaction: purchase) == 200)
            #expect(try await setting.known("1").map(\.revoked) == [TestDates.now + 30])
        }
    }

    @Test("Accepts an event if any publication of the store allows it, e.g. sandbox")
    func union() async throws {
        try await run { (setting) async throws in
            let sandboxed = SignedFormats.transaction("9", environment: "Sandbox")
            #expect(try await setting.notify("SUBSCRIBED", id: "s", transaction: sandboxed) == 200)
            #expect(try await setting.known("9").map(\.environment) == [.sandbox])
        }
    }

    @Test("Rejects forged and malformed events with 400 and other apps and environments with 403, without a write")
    func rejected() async throws {
        try await run { (setting) async throws in
            let theirs = try SigningAuthority()
            let forged = SignedFormats.body(
                try theirs.sign(SignedFormats.notification("REFUND", transaction: theirs.sign(purchase))))
            #expect(try await setting.post(forged) == 400)
            for body in ["", "{}", #"{"signedPayload":"x"}"#, "\u{0}"] {
                #expect(try await setting.post(Array(body.utf8)) == 400)
            }
            let other = SignedFormats.notification("TEST", data: ["bundleId": "com.example.other"])
            #expect(try await setting.post(SignedFormats.body(setting.authority.sign(other))) == 403)
            let local = SignedFormats.notification("TEST", environment: "Xcode")
            #expect(try await setting.post(SignedFormats.body(setting.authority.sign(local))) == 403)
            #expect(try await setting.known("1") == [])
        }
    }

    @Test("Responds with 404 to unknown stores, 405 to other methods, and 413 to bodies over one megabyte")
    func edges() async throws {
        try await run { (setting) async throws in
            #expect(try await setting.post([], to: "/notifications/play") == 404)
            #expect(try await setting.post([], to: "/notifications/%2e%2e") == 404)
            let get = try await setting.client.execute(uri: "/notifications/app-store", method: .get) { $0 }
            #expect(get.status == .methodNotAllowed)
            #expect(get.headers[.allow] == "POST")
            #expect(try await setting.post([UInt8](repeating: 0x20, count: (1 << 20) + 1)) == 413)
        }
    }

    @Test("Responds with 503 to an event that cannot be verified, so that the store retries")
    func again() async throws {
        try await withTemporaryFolder { folder in
            let authority = try SigningAuthority(
                SigningAuthority.Shape(responder: "http://127.0.0.1:\(try FreePort.find())/"))
            let ledger = try SQLStateStore(path: folder.appendingPathComponent("state.sqlite").path)
            let verifier = AppleStore(
                apps: try SignedFormats.apps(authority),
                signed: try SignedFormats.data(authority, revocations: RevocationSettings(mode: .hard)))
            let purchaseService = PurchaseService(
                publication: PublicationID("daily")!, products: ProductRules(), verifiers: [verifier], ledger: ledger,
                clock: WallClock { TestDates.now })
            var routes = Routes()
            StoreNotificationsFrontDoor().snapshot(of: [purchaseService]).addRoutes(to: &routes)
            let body = SignedFormats.body(try authority.sign(SignedFormats.notification("TEST")))
            try await Application(responder: RouteTable(routes), server: .channelRetaining).test(.live) { client in
                try await client.execute(
                    uri: "/notifications/app-store", method: .post, body: ByteBuffer(bytes: body)
                ) {
                    #expect($0.status == .serviceUnavailable)
                    #expect($0.headers[.retryAfter] != nil)
                }
            }
        }
    }
}
