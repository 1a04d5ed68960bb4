import Foundation
import JSON
import StoreFixtures
import TestSupport
import Testing

/// Tests of Pitfall 18 with the whole program, with the rejection format of each front door.
@Suite("Pitfall 18: hostile receipts")
struct HostileReceiptTests {
    /// The defect of a receipt with its rejection by each front door.
    enum Wrong {
        case malformed, empty, forged, wrongApp, wrongEnvironment, notFound, revoked

        /// The status at the Baker front door.
        var status: Int {
            switch self {
            case .malformed, .empty: 400
            case .wrongApp, .notFound: 404
            case .forged, .wrongEnvironment, .revoked: 403
            }
        }

        /// The error status at the Pugpig front door.
        var errorStatus: String { [.malformed, .forged, .notFound].contains(self) ? "notrecognised" : "notentitled" }

        /// The status at the Cloud Softphone front door.
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

    @Test("Each front door rejects hostile StoreKit 1 receipts in its own format and writes nothing")
    func receipts() async throws {
        try await StoreSuiteHarness.served(change: StoreSuiteHarness.withSoftphone) { harness in
            try await expectRejections(of: try await Self.receipts(of: harness), harness)
        }
    }

    @Test("Each front door rejects hostile StoreKit 2 transactions in its own format and writes nothing")
    func signedTransactions() async throws {
        let unmarked = try Self.authority { $0.leafMarker = nil }
        let withSwappedMarkers = try Self.authority { $0.leafMarker = $0.intermediateMarker }
        let noIntermediate = try Self.authority { $0.intermediateMarker = nil }
        let trusted = [unmarked, withSwappedMarkers, noIntermediate]
        try await withTemporaryFolder { folder in
            let roots = try trusted.enumerated().map { index, authority in
                let file = folder.appendingPathComponent("root-\(index).cer")
                try Data(authority.root.der).write(to: file)
                return file.path
            }
            let known = "apple-root-g3.cer"
            let change = { (text: String) in
                StoreSuiteHarness.withSoftphone(text).replacing(known, with: ([known] + roots).joined(separator: ", "))
            }
            try await StoreSuiteHarness.served(change: change) { harness in
                var vectors = try Self.transactions(of: harness.signing)
                for (name, authority) in zip(
                    ["of a leaf without a purpose", "of a leaf for another purpose", "of an unmarked intermediate"],
                    trusted)
                {
                    vectors.append(Vector(name, .forged, try authority.sign(Self.transaction())))
                }
                try await expectRejections(of: vectors, harness)
                // The same transaction without a defect.
                let good = try harness.signing.sign(Self.transaction())
                #expect(try await confirm(good, harness).status == 200)
                #expect(try await basispress(good, harness).text.contains("\"ok\""))
                #expect(try await pugpig(good, harness).text.contains("<password>"))
            }
        }
    }

    @Test("A receipt replayed by 50 accounts is granted to three at Baker and to one at Cloud Softphone")
    func replay() async throws {
        try await StoreSuiteHarness.served(change: StoreSuiteHarness.withSoftphone) { harness in
            let receipt = StoreSuiteHarness.single(Self.product, transaction: "7002")
            let credit = StoreSuiteHarness.single(Self.product, transaction: "7003")
            var (confirmed, credited) = (0, 0)
            for account in 1...50 {
                let status = try await confirm(receipt, harness, user: "user-\(account)").status
                #expect(status == (account <= 3 ? 200 : 403))
                confirmed += status == 200 ? 1 : 0
                let reported = try await Self.softphone.buy(
                    Self.product, receipt: credit, as: "\(1000 + account)", port: harness.port)
                credited += reported == .delivered ? 1 : 0
            }
            #expect(confirmed == 3 && credited == 1)
            #expect(try await harness.count("SELECT count(*) FROM delivery") == 1)
        }
    }

    @Test("Basispress and Pugpig reject the receipt of one issue for another")
    func otherProduct() async throws {
        try await StoreSuiteHarness.served { harness in
            let receipt = StoreSuiteHarness.single(StoreSuiteHarness.month(5), transaction: "7001")
            let own = try await harness.http.send(
                "GET", "/api/receipt.json?id=\(StoreSuiteHarness.app)&data=\(receipt.formEncoded)")
            #expect(own.text.contains(#""status":"ok""#), "\(own.text)")
            let other = try await harness.http.send(
                "GET",
                "/api/receipt.json?id=\(StoreSuiteHarness.app)&data=\(receipt.formEncoded)&product_identifier=\(StoreSuiteHarness.month(6))"
            )
            #expect(other.text == #"{"status":"failed"}"#)
            #expect(try await pugpig(receipt, harness).text.contains("<password>"))
            let rejected = try await pugpig(receipt, harness, product: StoreSuiteHarness.month(6))
            #expect(rejected.status == 200 && rejected.error == "notentitled")
        }
    }
}

// MARK: - Hostile receipts

extension HostileReceiptTests {
    private static let product = StoreSuiteHarness.month(5)
    private static let softphone = CloudSoftphoneClient(
        url: "/daily/iap",
        postData: "receipt=%receipt%&productCode=%productCode%&username=%account[username]%&price=%price%")

    private static func receipts(of harness: StoreSuiteHarness) async throws -> [Vector] {
        let purchases =
            StoreSuiteHarness.purchases + [
                TestPayload.Purchase(product: product, transaction: "3002", purchased: "2026-07-01T00:00:00Z")
            ]
        let good = Array(Data(base64Encoded: try await harness.unified(purchases)) ?? Data())
        var changed = good
        changed[changed.count - 1] ^= 1
        let stranger = try await ReceiptAuthority()
        var payload = TestPayload(bundle: StoreSuiteHarness.app, purchases: purchases)
        payload.created = "2026-11-20T10:00:00Z"
        harness.apple.statuses.withLock { $0 = ["6001": 21007, "6002": 21003, "6003": 21010] }
        return [
            Vector(
                "of another app", .wrongApp, try await harness.unified(purchases) { $0.bundle = "com.example.weekly" }),
            Vector(
                "of the sandbox", .wrongEnvironment,
                try await harness.unified(purchases) { $0.environment = "ProductionSandbox" }),
            Vector("with another last byte", .forged, Data(changed).base64EncodedString()),
            Vector(
                "of an untrusted chain", .forged,
                Data(try await stranger.sign(payload.bytes)).base64EncodedString()),
            Vector("that contains nothing", .empty, try await harness.unified([])),
            Vector("that is rubbish", .malformed, "bm90IGEgcmVjZWlwdA=="),
            Vector(
                "that Apple identifies as sandbox", .wrongEnvironment,
                StoreSuiteHarness.single(product, transaction: "6001")
            ),
            Vector("that Apple did not sign", .forged, StoreSuiteHarness.single(product, transaction: "6002")),
            Vector("that Apple does not know", .notFound, StoreSuiteHarness.single(product, transaction: "6003")),
            Vector(
                "of another app, of iOS 6", .wrongApp,
                StoreSuiteHarness.single(product, transaction: "6004", bundle: "com.example.weekly")),
        ]
    }

    private static func transactions(of signing: SigningAuthority) throws -> [Vector] {
        let good = try signing.sign(transaction())
        var changed = Array(good.utf8)
        // Not the very last letter, some of whose bits are unused.
        let place = changed.count - 3
        changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        let chain = try signing.chain
        let refunded = transaction(with: [
            "transactionId": "9002", "originalTransactionId": "9002",
            "revocationDate": TestDates.milliseconds(TestDates.now), "revocationReason": 0,
        ])
        return [
            Vector(
                "of another app", .wrongApp,
                try signing.sign(transaction(with: ["bundleId": "com.example.weekly"]))),
            Vector("of the sandbox", .wrongEnvironment, try signing.sign(transaction(environment: "Sandbox"))),
            Vector("refunded", .revoked, try signing.sign(refunded)),
            Vector("with another last byte", .forged, String(decoding: changed, as: UTF8.self)),
            Vector("of an untrusted chain", .forged, try authority().sign(transaction())),
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
        SignedFormats.transaction(
            "9001", product: product, expires: nil, environment: environment,
            with: ["type": "Non-Consumable"].merging(others) { $1 })
    }
}

// MARK: - Front doors

extension HostileReceiptTests {
    private func expectRejections(of vectors: [Vector], _ harness: StoreSuiteHarness) async throws {
        for vector in vectors {
            let confirmed = try await confirm(vector.receipt, harness)
            #expect(confirmed.status == vector.wrong.status, "Baker, \(vector.name): \(confirmed.text)")
            let opened = try await basispress(vector.receipt, harness)
            #expect(opened.status == 200, "Basispress, \(vector.name): \(opened.text)")
            #expect(opened.text == #"{"status":"failed"}"#, "Basispress, \(vector.name)")
            let granted = try await pugpig(vector.receipt, harness)
            #expect(granted.status == 200, "Pugpig, \(vector.name): \(granted.text)")
            #expect(granted.error == vector.wrong.errorStatus, "Pugpig, \(vector.name): \(granted.text)")
            #expect(!granted.text.contains("<password>"), "Pugpig, \(vector.name)")
            for response in [confirmed, opened, granted] {
                #expect(response["Cache-Control"]?.contains("no-store") == true, "\(vector.name)")
            }
            let reported = try await Self.softphone.buy(Self.product, receipt: vector.receipt, port: harness.port)
            guard case .failed(let status, let message) = reported else {
                Issue.record("Cloud Softphone, \(vector.name): credited")
                continue
            }
            #expect(status == vector.wrong.failure, "Cloud Softphone, \(vector.name): \(message ?? "")")
            #expect(message?.isEmpty == false, "Cloud Softphone, \(vector.name)")
        }
        for table in ["claim", "delivery"] {
            #expect(try await harness.count("SELECT count(*) FROM \(table)") == 0)
        }
        // The ledger stores only the revocation of genuine refunded transactions.
        #expect(try await harness.count("SELECT count(*) FROM store_transaction WHERE revoked IS NULL") == 0)
        let purchases = try await harness.http.send("GET", "/purchases/\(StoreSuiteHarness.app)/mallory")
        #expect(purchases.text == #"{"issues":[],"subscribed":false}"#)
    }

    private func confirm(_ receipt: String, _ harness: StoreSuiteHarness, user: String = "mallory") async throws
        -> RawResponse
    {
        try await harness.http.post(
            "/confirmpurchase/\(StoreSuiteHarness.app)/\(user)",
            [("Content-Type", "application/x-www-form-urlencoded")],
            Array("receipt_data=\(receipt.formEncoded)&type=issue".utf8))
    }

    private func basispress(_ receipt: String, _ harness: StoreSuiteHarness) async throws -> RawResponse {
        try await harness.http.post(
            "/api/receipt.json", [("Content-Type", "application/x-www-form-urlencoded")],
            Array("id=\(StoreSuiteHarness.app)&data=\(receipt.formEncoded)&product_identifier=\(Self.product)".utf8))
    }

    private func pugpig(_ receipt: String, _ harness: StoreSuiteHarness, product: String = Self.product) async throws
        -> RawResponse
    {
        try await harness.http.post("/daily/edition_credentials/itunes?productid=\(product)", [], Array(receipt.utf8))
    }
}
