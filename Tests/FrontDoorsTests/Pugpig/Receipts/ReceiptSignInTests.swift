import Backends
import Commerce
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import PasswordHashing
import Primitives
import Receipts
import Resilience
import Settings
import State
import TestSupport
import Testing
import XML

/// The Pugpig front door of a chain of an embedded database and Google Play receipts, signed with a key of `openssl`.
@Suite("Sign-in with a store receipt", .timeLimit(.minutes(10)))
struct ReceiptSignInTests {
    private static let play = StoreName("play")!
    private static let now = ManualClock().now

    private static func data(_ order: String, product: String) -> String {
        let time = Int((now.timeIntervalSince1970 - 40 * 86_400) * 1000)
        return
            "{\"orderId\":\"\(order)\",\"packageName\":\"com.example.daily\",\"productId\":\"\(product)\","
            + "\"purchaseTime\":\(time),\"purchaseState\":0,\"purchaseToken\":\"t-\(order)\"}"
    }

    private func settings(_ yaml: String, in folder: URL) throws -> SettingsSection {
        try YAMLSettings.read(text: yaml, name: "a.yaml", folder: folder.path, environment: [:])
    }

    private func door(_ folder: URL, _ key: SigningKey, devices: Int? = nil) async throws -> FrontDoorHarness {
        let clock = ManualClock()
        let state = try SQLStateStore(path: folder.appending(path: "state.db").path)
        let pseudonymKey = PseudonymKey(Secret("a secret for pseudonyms"))
        let google = try StoreRegistry.read(
            name: Self.play,
            settings: settings(
                "kind: google\npackage: com.example.daily\npublic_key: \(try key.licence)\n", in: folder)
        ).open(StoreServices(clock: clock.wall, random: .seeded(1)))
        let hasher = try PasswordHasher(cost: 4)
        let readers = try SubscriberDatabase(
            path: folder.appending(path: "readers.db").path, clock: clock.wall)
        let table = folder.appending(path: "readers.csv")
        try Data("identifier,password,state,editions\njane,right,active,daily.2026-09\n".utf8).write(
            to: table)
        let report = try await SubscriberImport(into: readers, hasher: hasher).run(file: table.path)
        try #require(report.isCommitted)
        var services = BackendServices(
            clock: clock.wall, random: .seeded(1),
            passwords: PasswordVerifier(hasher: hasher, concurrency: 2),
            pseudonymKey: pseudonymKey, stores: [Self.play: google], ledger: state)
        var extended = ProtectionSettings()
        extended.deadline = 60
        services.members = [
            "readers": try BackendRegistry.read(
                name: "readers", settings: settings("kind: sqlite\npath: readers.db\n", in: folder)
            ).open(services),
            "bought": ProtectedBackend(
                try BackendRegistry.read(
                    name: "bought",
                    settings: settings(
                        """
                        kind: receipts
                        publication: title
                        stores: [play]
                        fields: {receipt: receipt, signature: signature}
                        """, in: folder)
                ).open(services), settings: extended, services: services),
        ]
        let chain = try BackendRegistry.read(
            name: "all",
            settings: settings(
                "kind: chain\nmembers: [{backend: readers}, {backend: bought}]\n", in: folder)
        ).open(services)
        let editions = try ["2026-09", "2026-10", "2026-11"].enumerated().map { index, month in
            Edition(
                id: try #require(EditionID("daily.\(month)")), title: month,
                published: Self.now.addingTimeInterval(Double(index - 2) * 30 * 86_400))
        }
        var publication = Publication(
            id: .title,
            credentialFields: CredentialFields(
                identifier: "username", proofs: ["password"], receipts: ["receipt", "signature"]),
            rule: EntitlementRule(policy: .issueBased, catalogue: Catalogue(editions)))
        publication.deviceField = "device"
        publication.deviceLimit = devices.map { DeviceLimit(maxDevices: $0, onLimit: .reject) }
        let served = publication
        return FrontDoorHarness(clock: clock) { clock in
            AuthorizationService(
                publication: served, backend: chain,
                tokens: SealedTokenCodec(
                    publication: .title, secrets: SecretRing(current: Secret(FrontDoorHarness.secret)),
                    random: .seeded(3)),
                editionSecrets: SecretRing(current: Secret(FrontDoorHarness.secret)), state: state,
                revocations: RevocationList(publication: .title), loginThrottle: UnlimitedLoginAttempts(),
                pseudonymKey: pseudonymKey, clock: clock.wall, random: .seeded(5),
                purchases: PurchaseService(
                    publication: .title, products: ProductRules(), verifiers: [google], ledger: state,
                    clock: clock.wall))
        }
    }

    private func withDoor(
        devices: Int? = nil,
        _ body: @Sendable @escaping (any TestClientProtocol, SigningKey) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let key = try await SigningKey("app", in: folder)
            try await door(folder, key, devices: devices).test { client in try await body(client, key) }
        }
    }

    @Test("opens the bought edition in verification and in edition credentials")
    func buyer() async throws {
        try await withDoor { client, key in
            let data = Self.data("GPA.1", product: "daily.2026-10")
            let fields = ["receipt": data, "signature": try await key.sign(data)]
            for style in RequestStyle.Style.allCases {
                let signedIn = try PugpigDocumentResponse(
                    try await client.call("sign_in", fields, RequestStyle(style: style)), .token)
                let token = ["token": signedIn.root.text]
                let reported = try PugpigDocumentResponse(
                    try await client.call("verify_subscription", token), .subscription)
                #expect(reported.root.attributes["state"] == "inactive" && reported.issues == ["daily.2026-10"])
                for month in ["09", "10", "11"] {
                    let requested = token.merging(["product_id": "daily.2026-\(month)"]) { $1 }
                    let response = try PugpigDocumentResponse(
                        try await client.call("edition_credentials", requested), .credentials)
                    #expect(response.isGranted == (month == "10"), "\(month)")
                }
                let renewed = try PugpigDocumentResponse(try await client.call("renew_token", token), .token)
                #expect(renewed.root.name == "token")
            }
        }
    }

    @Test("works together with user name and password, and rejects a forged receipt")
    func alongside() async throws {
        try await withDoor { client, key in
            let jane = try PugpigDocumentResponse(
                try await client.call("sign_in", ["username": "jane", "password": "right"]), .token)
            let reported = try PugpigDocumentResponse(
                try await client.call("verify_subscription", ["token": jane.root.text]), .subscription)
            #expect(reported.root.attributes["state"] == "active" && reported.issues == ["daily.2026-09"])
            let data = Self.data("GPA.1", product: "daily.2026-10")
            for fields in [
                ["username": "jane", "password": "wrong"], ["receipt": data],
                ["receipt": data, "signature": try await key.sign(data + " ")], ["signature": "AA=="], [:],
                ["receipt": String(repeating: "A", count: 60_000)],
            ] {
                let rejected = try PugpigDocumentResponse(
                    try await client.call("sign_in", fields, RequestStyle(style: .form)), .token)
                #expect(rejected.status == "notrecognised", "\(fields.keys)")
            }
        }
    }

    @Test("Pitfall 18: a receipt replayed by fifty devices is one reader with one device limit")
    func replay() async throws {
        try await withDoor(devices: 3) { client, key in
            let data = Self.data("GPA.1", product: "daily.2026-10")
            let signature = try await key.sign(data)
            var statuses: [String: Int] = [:]
            for device in 0..<50 {
                let response = try PugpigDocumentResponse(
                    try await client.call(
                        "sign_in", ["receipt": data, "signature": signature, "device": "d\(device)"]), .token)
                statuses[response.status ?? "in", default: 0] += 1
            }
            #expect(statuses == ["in": 3, "toomanydevices": 47])
        }
    }
}
