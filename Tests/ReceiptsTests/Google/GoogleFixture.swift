import Commerce
import Foundation
import Settings
import TestSupport
import Testing

@testable import Receipts

/// Fixtures of the Google Play tests.
enum GoogleFixture {
    static let package = "com.example.daily"
    static let now = Date(timeIntervalSince1970: 1_793_534_400)
    static let both: Set<StoreEnvironment> = [.production, .sandbox]

    static func open(_ yaml: String, clock: ManualClock = ManualClock()) throws -> any ReceiptVerifier {
        let name = try #require(StoreName("play"))
        let section = try YAMLSettings.read(
            text: "kind: google\n" + yaml, name: "a.yaml", folder: "/", environment: [:])
        return try StoreRegistry.read(name: name, settings: section)
            .open(StoreServices(clock: clock.wall, random: .seeded(1)))
    }

    static func local(_ key: SigningKey) throws -> any ReceiptVerifier {
        try open("package: \(package)\npublic_key: \(try key.licence)\n")
    }

    /// Returns purchase data in the format of the Play Store app.
    static func data(
        order: String? = "GPA.3345-1234-5678-90123", package: String = package, product: String = "daily.2026-11-01",
        state: Int? = 0, token: String = "tok.AO-J1Oz_xyz", more: String = ""
    ) -> String {
        let order = order.map { "\"orderId\":\"\($0)\"," } ?? ""
        let state = state.map { "\"purchaseState\":\($0)," } ?? ""
        return "{\(order)\"packageName\":\"\(package)\",\"productId\":\"\(product)\",\"purchaseTime\":1793500000123,"
            + "\(state)\"developerPayload\":\"50% + more\",\(more)\"purchaseToken\":\"\(token)\"}"
    }

    static func receipt(_ data: String, signedBy key: SigningKey) async throws -> StoreReceipt {
        StoreReceipt([.receipt: data, .signature: try await key.sign(data)])
    }
}

extension ReceiptVerdict {
    var rejection: ReceiptRejection.Reason? {
        if case .rejected(let rejection) = self { rejection.reason } else { nil }
    }

    var code: Int? {
        if case .rejected(let rejection) = self { rejection.code } else { nil }
    }
}
