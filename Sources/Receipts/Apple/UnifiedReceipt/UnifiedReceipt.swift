import Foundation

/// The contents of a unified receipt, the format of iOS 7 and later. Only the signature around the payload proves
/// them.
///
/// Source: App Store protocol, “Unified receipts”.
struct UnifiedReceipt: Sendable, Equatable {
    /// Apple's name of the environment.
    let environment: String?
    let bundle: String?
    let created: Date?
    /// The expiry of the receipt itself. Receipts of volume purchases have it.
    let expires: Date?
    let purchases: [ApplePurchase]

    /// The numbers of the attributes.
    private enum Attribute {
        static let environment = 0
        static let bundle = 2
        static let created = 12
        static let purchase = 17
        static let expires = 21
    }

    /// Parses a payload.
    ///
    /// - Throws: ``UnifiedReceiptError``.
    init(_ payload: [UInt8]) throws(UnifiedReceiptError) {
        do {
            let attributes = try ReceiptAttributes(payload[...])
            let purchases = attributes.all(Attribute.purchase)
            guard purchases.count <= ApplePurchase.limit else { throw UnifiedReceiptError.tooManyPurchases }
            environment = try attributes.text(Attribute.environment)
            bundle = try attributes.text(Attribute.bundle)
            created = try attributes.date(Attribute.created)
            expires = try attributes.date(Attribute.expires)
            self.purchases = try purchases.compactMap { try ApplePurchase(inApp: ReceiptAttributes($0)) }
        } catch let error as UnifiedReceiptError {
            throw error
        } catch {
            throw .malformed
        }
    }
}

extension ApplePurchase {
    private enum Attribute {
        static let quantity = 1701
        static let product = 1702
        static let transaction = 1703
        static let purchased = 1704
        static let original = 1705
        static let expires = 1708
        static let cancelled = 1712
    }

    /// Creates a purchase, or returns nil if the attributes contain no product, transaction or purchase date.
    init?(inApp attributes: ReceiptAttributes) throws {
        guard let product = try attributes.text(Attribute.product),
            let transaction = try attributes.text(Attribute.transaction),
            let purchased = try attributes.date(Attribute.purchased)
        else { return nil }
        self.init(
            product: product, transaction: transaction,
            original: try attributes.text(Attribute.original) ?? transaction, purchased: purchased,
            expires: try attributes.date(Attribute.expires), cancelled: try attributes.date(Attribute.cancelled),
            quantity: try attributes.number(Attribute.quantity) ?? 1)
    }
}
