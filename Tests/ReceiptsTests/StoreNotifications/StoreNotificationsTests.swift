import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JSON
import NIOCore
import State
import StoreBenches
import TestSupport
import Testing

@testable import Receipts

@Suite("A store's own messages, over HTTP, into the ledger")
struct StoreNotificationsTests {
    /// A server whose two publications sell in one store, and its ledger.
    private struct Setting: Sendable {
        let client: any TestClientProtocol
        let ledger: SQLiteStateStore
        let authority: SigningAuthority

        func post(_ body: [UInt8], to path: String = "/notifications/app-store") async throws -> Int {
            try await client.execute(uri: path, method: .post, body: ByteBuffer(bytes: body)) { Int($0.status.code) }
        }

        func tell(
            _ name: String, id: String, transaction: JSONValue, signed: Date = Moments.now
        ) async throws -> Int {
            let inner = try authority.sign(transaction)
            let environment = transaction["environment"]?.text ?? ""
            let outer = SignedForms.notification(
                name, id: id, transaction: inner, environment: environment, signed: signed)
            return try await post(SignedForms.body(authority.sign(outer)))
        }

        func known(_ original: String) async throws -> [StoreTransaction] {
            try await ledger.transactions(of: original, in: SignedForms.store)
        }
    }

    private func run(_ body: @escaping @Sendable (Setting) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let authority = try SigningAuthority()
            let ledger = try SQLiteStateStore(path: folder.appendingPathComponent("state.sqlite").path)
            let verifier = AppleStore(
                apps: try SignedForms.apps(authority, environments: [.production, .sandbox]),
                signed: try SignedForms.data(authority, environments: [.production, .sandbox]))
            let publications: [(String, Set<StoreEnvironment>)] = [
                ("daily", [.production]), ("weekly", [.production, .sandbox]),
            ]
            let desks = publications.map { name, environments in
                PurchaseDesk(
                    publication: PublicationID(name)!, products: ProductRules(), environments: environments,
                    verifiers: [verifier], ledger: ledger, clock: WallClock { Moments.now })
            }
            let router = Router()
            StoreNotificationsFrontDoor(desks: { name in desks.filter { $0.stores.contains(name) } })
                .addRoutes(to: router)
            try await Application(router: router, server: .kept).test(.live) { client in
                try await body(Setting(client: client, ledger: ledger, authority: authority))
            }
        }
    }

    private let purchase = SignedForms.transaction("1")
    private var refund: JSONValue {
        SignedForms.transaction(
            "1", signed: Moments.now + 60, with: ["revocationDate": Moments.milliseconds(Moments.now + 30)])
    }
    private var reversal: JSONValue { SignedForms.transaction("1", signed: Moments.now + 120) }

    @Test("is answered 200 once it is on record, and 200 again when it comes again, changing nothing")
    func repeated() async throws {
        try await run { (setting) async throws in
            #expect(try await setting.tell("SUBSCRIBED", id: "a", transaction: purchase) == 200)
            let before = try await setting.known("1")
            #expect(before.map(\.id) == ["1"])
            #expect(try await setting.tell("SUBSCRIBED", id: "a", transaction: purchase) == 200)
            // The same identifier with another content is a repeat, too: it was dealt with.
            #expect(try await setting.tell("REFUND", id: "a", transaction: refund) == 200)
            #expect(try await setting.known("1") == before)
        }
    }

    @Test(
        "refund and reversal end the same in every order",
        arguments: [[0, 1, 2], [0, 2, 1], [2, 1, 0], [1, 0, 2], [2, 0, 1], [1, 2, 0]])
    func orders(order: [Int]) async throws {
        let words = [("SUBSCRIBED", purchase), ("REFUND", refund), ("REFUND_REVERSED", reversal)]
        try await run { (setting) async throws in
            for index in order {
                let (name, transaction) = words[index]
                #expect(try await setting.tell(name, id: "id-\(index)", transaction: transaction) == 200)
            }
            let known = try await setting.known("1")
            #expect(known.map(\.revoked) == [nil])
            #expect(known.map(\.told) == [Moments.now + 120])
        }
    }

    @Test("a refund stays, though the purchase is told after it")
    func refundFirst() async throws {
        try await run { (setting) async throws in
            #expect(try await setting.tell("REFUND", id: "b", transaction: refund) == 200)
            #expect(try await setting.tell("SUBSCRIBED", id: "a", transaction: purchase) == 200)
            #expect(try await setting.known("1").map(\.revoked) == [Moments.now + 30])
        }
    }

    @Test("one that counts for any publication of the store is taken: here sandbox, which only one allows")
    func union() async throws {
        try await run { (setting) async throws in
            let sandboxed = SignedForms.transaction("9", environment: "Sandbox")
            #expect(try await setting.tell("SUBSCRIBED", id: "s", transaction: sandboxed) == 200)
            #expect(try await setting.known("9").map(\.environment) == [.sandbox])
        }
    }

    @Test("forged and malformed ones are answered 400, another app's and environment's 403, and nothing is written")
    func refused() async throws {
        try await run { (setting) async throws in
            let theirs = try SigningAuthority()
            let forged = SignedForms.body(
                try theirs.sign(SignedForms.notification("REFUND", transaction: theirs.sign(purchase))))
            #expect(try await setting.post(forged) == 400)
            for body in ["", "{}", #"{"signedPayload":"x"}"#, "\u{0}"] {
                #expect(try await setting.post(Array(body.utf8)) == 400)
            }
            let other = SignedForms.notification("TEST", data: ["bundleId": "com.example.other"])
            #expect(try await setting.post(SignedForms.body(setting.authority.sign(other))) == 403)
            let local = SignedForms.notification("TEST", environment: "Xcode")
            #expect(try await setting.post(SignedForms.body(setting.authority.sign(local))) == 403)
            #expect(try await setting.known("1") == [])
        }
    }

    @Test("unknown stores are not found, other methods not allowed, and a body of more than a megabyte not read")
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

    @Test("what could not be verified is to be sent again: 503")
    func again() async throws {
        try await withTemporaryFolder { folder in
            let authority = try SigningAuthority(
                SigningAuthority.Shape(responder: "http://127.0.0.1:\(try FreePort.find())/"))
            let ledger = try SQLiteStateStore(path: folder.appendingPathComponent("state.sqlite").path)
            let verifier = AppleStore(
                apps: try SignedForms.apps(authority),
                signed: try SignedForms.data(authority, revocations: RevocationSettings(mode: .hard)))
            let desk = PurchaseDesk(
                publication: PublicationID("daily")!, products: ProductRules(), verifiers: [verifier], ledger: ledger,
                clock: WallClock { Moments.now })
            let router = Router()
            StoreNotificationsFrontDoor(desks: { _ in [desk] }).addRoutes(to: router)
            let body = SignedForms.body(try authority.sign(SignedForms.notification("TEST")))
            try await Application(router: router, server: .kept).test(.live) { client in
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
