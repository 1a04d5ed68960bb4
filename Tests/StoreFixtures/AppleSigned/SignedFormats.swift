package import Foundation
package import JSON

/// Test data in the formats that Apple signs.
package enum SignedFormats {
    package static let bundle = "com.example.daily"
    package static let appID: Int64 = 4_711

    /// Returns a transaction payload in which the given members replace or extend the default ones. `null` removes a
    /// member.
    package static func transaction(
        _ id: String = "2000000001", original: String? = nil, product: String = "daily.monthly",
        purchased: Date = TestDates.now - 10 * TestDates.day, expires: Date? = TestDates.now + 20 * TestDates.day,
        environment: String = "Production", signed: Date = TestDates.now, with others: [String: JSONValue] = [:]
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "transactionId": .string(id), "originalTransactionId": .string(original ?? id),
            "productId": .string(product), "bundleId": .string(bundle), "environment": .string(environment),
            "purchaseDate": TestDates.milliseconds(purchased), "signedDate": TestDates.milliseconds(signed),
            "quantity": 1, "type": "Auto-Renewable Subscription", "inAppOwnershipType": "PURCHASED",
            "storefront": "DEU", "price": 4990, "currency": "EUR",
        ]
        if let expires { members["expiresDate"] = TestDates.milliseconds(expires) }
        return object(members, others)
    }

    package static func renewal(
        of original: String, grace: Date?, environment: String = "Production", signed: Date = TestDates.now
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "originalTransactionId": .string(original), "autoRenewStatus": 1, "environment": .string(environment),
            "signedDate": TestDates.milliseconds(signed), "isInBillingRetryPeriod": true,
        ]
        if let grace { members["gracePeriodExpiresDate"] = TestDates.milliseconds(grace) }
        return object(members)
    }

    /// Returns a notification about one transaction or none.
    package static func notification(
        _ type: String, _ subtype: String? = nil, id: String = "d3a1f7c2-0000-4000-8000-000000000001",
        transaction: String? = nil, renewal: String? = nil, environment: String = "Production",
        signed: Date = TestDates.now, data others: [String: JSONValue] = [:]
    ) -> JSONValue {
        var data: [String: JSONValue] = [
            "bundleId": .string(bundle), "bundleVersion": "42", "environment": .string(environment), "status": 1,
        ]
        if environment == "Production" { data["appAppleId"] = .number(String(appID)) }
        if let transaction { data["signedTransactionInfo"] = .string(transaction) }
        if let renewal { data["signedRenewalInfo"] = .string(renewal) }
        var members: [String: JSONValue] = [
            "notificationType": .string(type), "notificationUUID": .string(id), "version": "2.0",
            "signedDate": TestDates.milliseconds(signed), "data": object(data, others),
        ]
        if let subtype { members["subtype"] = .string(subtype) }
        return object(members)
    }

    package static func body(_ signed: String) -> [UInt8] { JSONWriter.bytes(["signedPayload": .string(signed)]) }

    package static func object(_ members: [String: JSONValue], _ others: [String: JSONValue] = [:]) -> JSONValue {
        .object(
            members.merging(others) { $1 }.filter { $0.value != .null }.sorted { $0.key < $1.key }
                .map { .init(name: $0.key, value: $0.value) })
    }
}
