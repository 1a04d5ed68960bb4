import Commerce
import Crypto
import Foundation
import Primitives

/// The permanent identifiers of Google's purchases.
enum GooglePurchaseID {
    /// Returns the order number, or a digest of the token if the purchase has no order number.
    static func transaction(order: String?, token: String) -> String {
        if let order, order.utf8.count <= StoreTransaction.maxTextLength / 2 { return order }
        return "token:\(Hexadecimal.encode(Array(SHA256.hash(data: Data(token.utf8)))))"
    }

    /// Returns the number of the first order. Renewals have that number with the suffix `..0`, `..1` and so on.
    static func original(of transaction: String) -> String {
        guard let end = transaction.range(of: "..", options: .backwards),
            transaction[end.upperBound...].allSatisfy({ $0.isASCII && $0.isNumber })
        else { return transaction }
        return String(transaction[..<end.lowerBound])
    }

    /// Returns the identifier of one of several products of a single purchase.
    static func item(_ product: String, of id: String) -> String { "\(id)/\(product)" }
}
