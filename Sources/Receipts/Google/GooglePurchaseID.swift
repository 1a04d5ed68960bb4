import Crypto
import Foundation
import Gatefold

/// How Google's purchases are named for good.
enum GooglePurchaseID {
    /// The number of the order; of a purchase that has none, a digest of its token.
    static func transaction(order: String?, token: String) -> String {
        if let order, order.utf8.count <= StoreTransaction.longestText / 2 { return order }
        return "token:\(Hexadecimal.encode(Array(SHA256.hash(data: Data(token.utf8)))))"
    }

    /// Renewals have the number of the first order with `..0`, `..1` and so on behind it.
    static func original(of transaction: String) -> String {
        guard let end = transaction.range(of: "..", options: .backwards),
            transaction[end.upperBound...].allSatisfy({ $0.isASCII && $0.isNumber })
        else { return transaction }
        return String(transaction[..<end.lowerBound])
    }

    /// One of several products that are bought as one.
    static func item(_ product: String, of id: String) -> String { "\(id)/\(product)" }
}
