import Foundation
import JSON
import StoreBenches
import TestSupport

/// Apple's verifyReceipt for receipts of iOS 6: vouches for what such a receipt says of itself, while it can be reached.
struct AppleStandIn: Sendable {
    /// Whether it answers with anything but 503.
    let isReachable = Kept(true)
    /// How a receipt with this transaction is answered, in place of status 0.
    let statuses = Kept<[String: Int]>([:])
    /// How often each transaction was asked about.
    let asked = Kept<[String: Int]>([:])

    @Sendable func answer(_ question: LoopbackStore.Question) async throws -> LoopbackStore.Word {
        guard isReachable.withLock(\.self) else { return LoopbackStore.Word(503, "") }
        guard let receipt = Self.receipt(in: question.body) else {
            return LoopbackStore.Word(200, #"{"status":21002}"#)
        }
        asked.withLock { $0[receipt.transaction, default: 0] += 1 }
        if let status = statuses.withLock({ $0[receipt.transaction] }) {
            return LoopbackStore.Word(200, #"{"status":\#(status)}"#)
        }
        let body = JSONWriter.bytes([
            "status": 0, "receipt": .object(receipt.members),
        ])
        return LoopbackStore.Word(200, String(decoding: body, as: UTF8.self))
    }

    private struct Receipt {
        let transaction: String
        let members: [JSONValue.Member]
    }

    /// What the purchase information says, with the underscores that verifyReceipt has for hyphens.
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
