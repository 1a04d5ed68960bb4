import Foundation

/// The payload of a unified receipt in a test.
package struct TestPayload: Sendable {
    package struct Purchase: Sendable {
        package var product = "com.example.daily.month"
        package var transaction = "1000"
        package var original: String?
        package var purchased = "2024-03-01T00:00:00Z"
        package var expires = ""
        package var cancelled = ""
        package var quantity = 1

        package init(
            product: String = "com.example.daily.month", transaction: String = "1000", original: String? = nil,
            purchased: String = "2024-03-01T00:00:00Z", expires: String = "", cancelled: String = "", quantity: Int = 1
        ) {
            self.product = product
            self.transaction = transaction
            self.original = original
            self.purchased = purchased
            self.expires = expires
            self.cancelled = cancelled
            self.quantity = quantity
        }
    }

    package var environment: String? = "Production"
    package var bundle = "com.example.daily"
    package var created: String? = "2024-03-02T10:00:00Z"
    package var expires: String?
    package var purchases = [Purchase()]

    package init(
        environment: String? = "Production", bundle: String = "com.example.daily",
        created: String? = "2024-03-02T10:00:00Z", expires: String? = nil, purchases: [Purchase] = [Purchase()]
    ) {
        self.environment = environment
        self.bundle = bundle
        self.created = created
        self.expires = expires
        self.purchases = purchases
    }

    /// The payload without its signature.
    package var bytes: [UInt8] {
        var attributes: [[UInt8]] = []
        if let environment { attributes.append(Self.attribute(0, DERWriter.utf8(environment))) }
        attributes.append(Self.attribute(2, DERWriter.utf8(bundle)))
        attributes.append(Self.attribute(3, DERWriter.utf8("7")))
        // Opaque bytes that are not ASN.1.
        attributes.append(Self.attribute(4, [0xFF, 0x00, 0x13, 0x37]))
        attributes.append(Self.attribute(5, Array(repeating: 0xA5, count: 20)))
        if let created { attributes.append(Self.attribute(12, DERWriter.ia5(created))) }
        if let expires { attributes.append(Self.attribute(21, DERWriter.ia5(expires))) }
        for purchase in purchases {
            attributes.append(
                Self.attribute(
                    17,
                    DERWriter.set([
                        Self.attribute(1701, DERWriter.integer(purchase.quantity)),
                        Self.attribute(1702, DERWriter.utf8(purchase.product)),
                        Self.attribute(1703, DERWriter.utf8(purchase.transaction)),
                        Self.attribute(1704, DERWriter.ia5(purchase.purchased)),
                        Self.attribute(1705, DERWriter.utf8(purchase.original ?? purchase.transaction)),
                        Self.attribute(1706, DERWriter.ia5(purchase.purchased)),
                        Self.attribute(1708, DERWriter.ia5(purchase.expires)),
                        Self.attribute(1711, DERWriter.integer(42)),
                        Self.attribute(1712, DERWriter.ia5(purchase.cancelled)),
                        Self.attribute(1719, DERWriter.integer(0)),
                    ])))
        }
        return DERWriter.set(attributes)
    }

    package static func attribute(_ type: Int, _ value: [UInt8]) -> [UInt8] {
        DERWriter.sequence([DERWriter.integer(type), DERWriter.integer(1), DERWriter.octets(value)])
    }
}
