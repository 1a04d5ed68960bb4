import Foundation
import JSON
import StoreBenches
import TestSupport
import Testing

/// PITFALLS row 18 through the whole program, in each front door's own way of saying no.
@Suite("Pitfall 18: a receipt that is not what it seems")
struct HostileReceiptTests {
    /// What is wrong with a receipt, as every front door is told.
    enum Wrong {
        case malformed, empty, forged, wrongApp, wrongEnvironment, notFound, revoked

        /// Baker's status.
        var status: Int {
            switch self {
            case .malformed, .empty: 400
            case .wrongApp, .notFound: 404
            case .forged, .wrongEnvironment, .revoked: 403
            }
        }

        /// Pugpig's word.
        var word: String { [.malformed, .forged, .notFound].contains(self) ? "notrecognised" : "notentitled" }

        /// Cloud Softphone's status.
        var failure: Int { self == .malformed ? 400 : 403 }
    }

    struct Vector {
        let name: String
        let receipt: String
        let wrong: Wrong

        init(_ name: String, _ wrong: Wrong, _ receipt: String) {
            (self.name, self.wrong, self.receipt) = (name, wrong, receipt)
        }
    }

    @Test("is refused by each front door in its own form, and leaves nothing half-written: receipts of StoreKit 1")
    func receipts() async throws {
        try await Kiosk.served(change: Kiosk.withSoftphone) { kiosk in
            try await expectRefusals(of: try await Self.receipts(of: kiosk), kiosk)
        }
    }

    @Test("is refused by each front door in its own form, and leaves nothing half-written: transactions of StoreKit 2")
    func signedTransactions() async throws {
        let unmarked = try Self.authority { $0.leafMark = nil }
        let otherwiseMarked = try Self.authority { $0.leafMark = $0.intermediateMark }
        let noIntermediate = try Self.authority { $0.intermediateMark = nil }
        let trusted = [unmarked, otherwiseMarked, noIntermediate]
        try await withTemporaryFolder { folder in
            let roots = try trusted.enumerated().map { index, authority in
                let file = folder.appendingPathComponent("root-\(index).cer")
                try Data(authority.root.der).write(to: file)
                return file.path
            }
            let known = "apple-root-g3.cer"
            let change = { (text: String) in
                Kiosk.withSoftphone(text).replacing(known, with: ([known] + roots).joined(separator: ", "))
            }
            try await Kiosk.served(change: change) { kiosk in
                var vectors = try Self.transactions(of: kiosk.signing)
                for (name, authority) in zip(
                    ["of a leaf without a purpose", "of a leaf for another purpose", "of an unmarked intermediate"],
                    trusted)
                {
                    vectors.append(Vector(name, .forged, try authority.sign(Self.transaction())))
                }
                try await expectRefusals(of: vectors, kiosk)
                // The same, when nothing is wrong with it.
                let good = try kiosk.signing.sign(Self.transaction())
                #expect(try await confirm(good, kiosk).status == 200)
                #expect(try await basispress(good, kiosk).text.contains("\"ok\""))
                #expect(try await pugpig(good, kiosk).text.contains("<password>"))
            }
        }
    }

    @Test("replayed by fifty accounts is three persons' at Baker, as it is set, and one account's at Cloud Softphone")
    func replay() async throws {
        try await Kiosk.served(change: Kiosk.withSoftphone) { kiosk in
            let receipt = Kiosk.single(Self.product, transaction: "7002")
            let credit = Kiosk.single(Self.product, transaction: "7003")
            var (confirmed, credited) = (0, 0)
            for account in 1...50 {
                let status = try await confirm(receipt, kiosk, user: "user-\(account)").status
                #expect(status == (account <= 3 ? 200 : 403))
                confirmed += status == 200 ? 1 : 0
                let told = try await Self.softphone.buy(
                    Self.product, receipt: credit, as: "\(1000 + account)", port: kiosk.port)
                credited += told == .delivered ? 1 : 0
            }
            #expect(confirmed == 3 && credited == 1)
            #expect(try await kiosk.count("SELECT count(*) FROM delivery") == 1)
        }
    }

    @Test("the receipt of one issue does not open another at Basispress and Pugpig")
    func otherProduct() async throws {
        try await Kiosk.served { kiosk in
            let receipt = Kiosk.single(Kiosk.month(5), transaction: "7001")
            let own = try await kiosk.http.send(
                "GET", "/api/receipt.json?id=\(Kiosk.app)&data=\(receipt.formEncoded)")
            #expect(own.text.contains(#""status":"ok""#), "\(own.text)")
            let other = try await kiosk.http.send(
                "GET",
                "/api/receipt.json?id=\(Kiosk.app)&data=\(receipt.formEncoded)&product_identifier=\(Kiosk.month(6))")
            #expect(other.text == #"{"status":"failed"}"#)
            #expect(try await pugpig(receipt, kiosk).text.contains("<password>"))
            let refused = try await pugpig(receipt, kiosk, product: Kiosk.month(6))
            #expect(refused.status == 200 && refused.error == "notentitled")
        }
    }
}

// MARK: - What is tried

extension HostileReceiptTests {
    private static let product = Kiosk.month(5)
    private static let softphone = CloudSoftphoneClient(
        url: "/daily/iap",
        postData: "receipt=%receipt%&productCode=%productCode%&username=%account[username]%&price=%price%")

    private static func receipts(of kiosk: Kiosk) async throws -> [Vector] {
        let purchases =
            Kiosk.purchases + [
                TestPayload.Purchase(product: product, transaction: "3002", purchased: "2026-07-01T00:00:00Z")
            ]
        let good = Array(Data(base64Encoded: try await kiosk.unified(purchases)) ?? Data())
        var changed = good
        changed[changed.count - 1] ^= 1
        let stranger = try await ReceiptAuthority()
        var payload = TestPayload(bundle: Kiosk.app, purchases: purchases)
        payload.created = "2026-11-20T10:00:00Z"
        kiosk.apple.statuses.withLock { $0 = ["6001": 21007, "6002": 21003, "6003": 21010] }
        return [
            Vector(
                "of another app", .wrongApp, try await kiosk.unified(purchases) { $0.bundle = "com.example.weekly" }),
            Vector(
                "of the sandbox", .wrongEnvironment,
                try await kiosk.unified(purchases) { $0.environment = "ProductionSandbox" }),
            Vector("with another last byte", .forged, Data(changed).base64EncodedString()),
            Vector(
                "of a chain of somebody's own", .forged,
                Data(try await stranger.sign(payload.bytes)).base64EncodedString()),
            Vector("that holds nothing", .empty, try await kiosk.unified([])),
            Vector("that is rubbish", .malformed, "bm90IGEgcmVjZWlwdA=="),
            Vector("that Apple knows as sandbox", .wrongEnvironment, Kiosk.single(product, transaction: "6001")),
            Vector("that Apple did not sign", .forged, Kiosk.single(product, transaction: "6002")),
            Vector("that Apple does not know", .notFound, Kiosk.single(product, transaction: "6003")),
            Vector(
                "of another app, of iOS 6", .wrongApp,
                Kiosk.single(product, transaction: "6004", bundle: "com.example.weekly")),
        ]
    }

    private static func transactions(of signing: SigningAuthority) throws -> [Vector] {
        let good = try signing.sign(transaction())
        var changed = Array(good.utf8)
        // Not the very last letter, some of whose bits say nothing.
        let place = changed.count - 3
        changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        let chain = try signing.chain
        let refunded = transaction(with: [
            "transactionId": "9002", "originalTransactionId": "9002",
            "revocationDate": Moments.milliseconds(Moments.now), "revocationReason": 0,
        ])
        return [
            Vector(
                "of another app", .wrongApp,
                try signing.sign(transaction(with: ["bundleId": "com.example.weekly"]))),
            Vector("of the sandbox", .wrongEnvironment, try signing.sign(transaction(environment: "Sandbox"))),
            Vector("refunded", .revoked, try signing.sign(refunded)),
            Vector("with another last byte", .forged, String(decoding: changed, as: UTF8.self)),
            Vector("of a chain of somebody's own", .forged, try authority().sign(transaction())),
            Vector("of a chain of two", .forged, try signing.sign(transaction(), chain: Array(chain.prefix(2)))),
            Vector("of a chain of four", .forged, try signing.sign(transaction(), chain: chain + [chain[2]])),
            Vector("with alg none", .forged, try signing.sign(transaction(), header: ["alg": "none"])),
            Vector("with alg HS256", .forged, try signing.sign(transaction(), header: ["alg": "HS256"])),
        ]
    }

    private static func authority(
        _ change: (inout SigningAuthority.Shape) -> Void = { _ in }
    ) throws -> SigningAuthority {
        var shape = SigningAuthority.Shape()
        change(&shape)
        return try SigningAuthority(shape)
    }

    private static func transaction(
        environment: String = "Production", with others: [String: JSONValue] = [:]
    ) -> JSONValue {
        SignedForms.transaction(
            "9001", product: product, expires: nil, environment: environment,
            with: ["type": "Non-Consumable"].merging(others) { $1 })
    }
}

// MARK: - What the doors say

extension HostileReceiptTests {
    private func expectRefusals(of vectors: [Vector], _ kiosk: Kiosk) async throws {
        for vector in vectors {
            let confirmed = try await confirm(vector.receipt, kiosk)
            #expect(confirmed.status == vector.wrong.status, "Baker, \(vector.name): \(confirmed.text)")
            let opened = try await basispress(vector.receipt, kiosk)
            #expect(opened.status == 200, "Basispress, \(vector.name): \(opened.text)")
            #expect(opened.text == #"{"status":"failed"}"#, "Basispress, \(vector.name)")
            let granted = try await pugpig(vector.receipt, kiosk)
            #expect(granted.status == 200, "Pugpig, \(vector.name): \(granted.text)")
            #expect(granted.error == vector.wrong.word, "Pugpig, \(vector.name): \(granted.text)")
            #expect(!granted.text.contains("<password>"), "Pugpig, \(vector.name)")
            for answer in [confirmed, opened, granted] {
                #expect(answer["Cache-Control"]?.contains("no-store") == true, "\(vector.name)")
            }
            let told = try await Self.softphone.buy(Self.product, receipt: vector.receipt, port: kiosk.port)
            guard case .failed(let status, let message) = told else {
                Issue.record("Cloud Softphone, \(vector.name): credited")
                continue
            }
            #expect(status == vector.wrong.failure, "Cloud Softphone, \(vector.name): \(message ?? "")")
            #expect(message?.isEmpty == false, "Cloud Softphone, \(vector.name)")
        }
        for table in ["claim", "delivery"] {
            #expect(try await kiosk.count("SELECT count(*) FROM \(table)") == 0)
        }
        // Of what was genuine and taken back the ledger keeps just that.
        #expect(try await kiosk.count("SELECT count(*) FROM store_transaction WHERE revoked IS NULL") == 0)
        let purchases = try await kiosk.http.send("GET", "/purchases/\(Kiosk.app)/mallory")
        #expect(purchases.text == #"{"issues":[],"subscribed":false}"#)
    }

    private func confirm(_ receipt: String, _ kiosk: Kiosk, user: String = "mallory") async throws -> RawResponse {
        try await kiosk.http.post(
            "/confirmpurchase/\(Kiosk.app)/\(user)", [("Content-Type", "application/x-www-form-urlencoded")],
            Array("receipt_data=\(receipt.formEncoded)&type=issue".utf8))
    }

    private func basispress(_ receipt: String, _ kiosk: Kiosk) async throws -> RawResponse {
        try await kiosk.http.post(
            "/api/receipt.json", [("Content-Type", "application/x-www-form-urlencoded")],
            Array("id=\(Kiosk.app)&data=\(receipt.formEncoded)&product_identifier=\(Self.product)".utf8))
    }

    private func pugpig(_ receipt: String, _ kiosk: Kiosk, product: String = Self.product) async throws -> RawResponse {
        try await kiosk.http.post("/daily/edition_credentials/itunes?productid=\(product)", [], Array(receipt.utf8))
    }
}
