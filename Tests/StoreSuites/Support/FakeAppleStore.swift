import Foundation
import JSON
import StoreFixtures
import TestSupport

/// Fake verifyReceipt for iOS 6 receipts. Confirms the receipt's own content while it is reachable.
struct FakeAppleStore: Sendable {
    /// Whether it responds with anything other than 503.
    let isReachable = Locked(true)
    /// The status for a receipt with this transaction, instead of 0.
    let statuses = Locked<[String: Int]>([:])
    /// The number of requests for each transaction.
    let requested = Locked<[String: Int]>([:])

    @Sendable func response(_ request: LoopbackStore.ReceivedRequest) async throws -> LoopbackStore.Reply {
        guard isReachable.withLock(\.self) else { return LoopbackStore.Reply(503, "") }
        guard let receipt = Self.receipt(in: request.body) else {
            return LoopbackStore.Reply(200, #"{"status":21002}"#)
        }
        requested.withLock { $0[receipt.transaction, default: 0] += 1 }
        if let status = statuses.withLock({ $0[receipt.transaction] }) {
            return LoopbackStore.Reply(200, #"{"status":\#(status)}"#)
        }
        let body = JSONWriter.bytes([
            "status": 0, "receipt": .object(receipt.members),
        ])
        return LoopbackStore.Reply(200, String(decoding: body, as: UTF8.self))
    }

    private struct Receipt {
        let transaction: String
        let members: [JSONValue.Member]
    }

    /// Returns the purchase information with verifyReceipt's underscores instead of hyphens.
    private static func receipt(in body: String) -> Receipt? {
        guard let encoded = (try? JSONParser.parse(Array(body.utf8)))?["receipt-data"]?.text,
            let outer = Data(base64Encoded: encoded).map({ String(decoding: $0, as: UTF8.self) }),
            let purchase = outer.firstMatch(of: /"purchase-info" = "([^"]*)"/).map({ String($0.1) }),
            let inner = Data(base64Encoded: purchase).map({ String(decoding: $0, as: UTF8.self) })
        else { return nil }
        let pairs = inner.matches(of: /"([a-z-]+)" = "([^"]*)";/).map { (String($0.1), String($0.2)) }
        guard let transaction = pairs.first(where: { $0.0 == "transaction-id" })?.1 else { return nil }
        return Receipt(
            transaction: transaction,
            members: pairs.map {
                JSONValue.Member(name: $0.0.replacing("-", with: "_"), value: .string($0.1))
            })
    }
}
