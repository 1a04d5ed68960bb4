import Commerce
import Foundation
import Settings
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

/// Fixtures of the Amazon Appstore tests.
enum AmazonFixture {
    /// A shared secret with characters that are special in a path.
    static let key = "2:sh/ared %key?"
    static let now = Date(timeIntervalSince1970: 1_793_534_400)
    static let day: Double = 86_400
    static let receipt = StoreReceipt([
        .user: "l3HL7XppEMhrOGDnur9+/=", .receipt: "wE1EG1gsEZI9q9UnI5YoZ2OxeoVKPdR5bvPMqyKQq5Y=:1:11",
    ])
    static let user = "l3HL7XppEMhrOGDnur9%2B%2F%3D"
    static let path = "developer/2%3Ash%2Fared%20%25key%3F/user/\(user)"
    static let id = "wE1EG1gsEZI9q9UnI5YoZ2OxeoVKPdR5bvPMqyKQq5Y%3D%3A1%3A11"

    typealias Reply = LoopbackStore.Reply

    static func milliseconds(_ date: Date) -> Int { Int(date.timeIntervalSince1970 * 1000) }

    /// Returns a response of version 1.0.
    static func purchase(
        _ type: String = "SUBSCRIPTION", cancelled: Date? = nil, renewal: Date? = now + 20 * day, more: String = ""
    ) -> Reply {
        Reply(
            200,
            """
            {"autoRenewing":true,"betaProduct":false,"cancelDate":\(cancelled.map { "\(milliseconds($0))" } ?? "null"),
            "cancelReason":null,"parentProductId":null,"productId":"daily.monthly","productType":"\(type)",\(more)
            "purchaseDate":\(milliseconds(now - 10 * day)),"quantity":1,"receiptId":"x",
            "renewalDate":\(renewal.map { "\(milliseconds($0))" } ?? "null"),"term":"1 Month","termSku":"daily.monthly"}
            """)
    }

    static func open(_ store: LoopbackStore, _ more: String = "", in folder: URL) throws -> any ReceiptVerifier {
        let file = folder.appending(path: "key")
        try Data((key + "\n").utf8).write(to: file)
        let name = try #require(StoreName("amazon"))
        let section = try YAMLSettings.read(
            text: """
                kind: amazon
                shared_secret: {file: \(file.path)}
                url: \(store.url)
                http: {connect_timeout: 60s, timeout: 60s, tls: {root: {file: \(store.root)}}}
                deadline: 60s
                breaker: {enabled: false}
                \(more)
                """, name: "a.yaml", folder: "/", environment: [:])
        return try StoreRegistry.read(name: name, settings: section)
            .open(StoreServices(clock: ManualClock().wall, random: .seeded(1)))
    }

    /// Runs the body with a verifier. `responses` holds the queued responses of each operation.
    static func run(
        _ more: String = "",
        _ body: (any ReceiptVerifier, Locked<[String: [Reply]]>, LoopbackStore) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let responses = Locked<[String: [Reply]]>([:])
            try await LoopbackStore.serving(in: folder) { query in
                let operation = query.target.split(separator: "/").dropFirst(2).first.map(String.init) ?? ""
                return responses.withLock { responses in
                    guard let next = responses[operation]?.first else { return Reply(404) }
                    if responses[operation]?.count ?? 0 > 1 { responses[operation]?.removeFirst() }
                    return next
                }
            } _: { store in
                try await body(try Self.open(store, more, in: folder), responses, store)
            }
        }
    }
}
