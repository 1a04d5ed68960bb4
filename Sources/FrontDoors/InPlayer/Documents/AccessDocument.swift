import Accounts
import Crypto
import Foundation
import JSON

/// The access of an account to an item.
///
/// Source: InPlayer protocol, “Access document”.
enum AccessDocument {
    /// - Parameters:
    ///   - since: The start of the access, or `nil` for access from the beginning.
    ///   - until: The end of the access, or `nil` for access without an end.
    static func value(
        _ item: JSONValue, numbered number: Int64, of account: Account, since: Date?, until: Date?
    ) -> JSONValue {
        [
            "id": .integer(identifier(number, account)), "account_id": .integer(account.number),
            "customer_id": .integer(account.number), "customer_uuid": .string(account.uuid), "ip_address": "",
            "country_code": "", "created_at": .seconds(since ?? account.created), "starts_at": .seconds(since),
            "expires_at": until.map { .seconds($0) } ?? 0, "item": item,
        ]
    }

    /// Returns a stable number for the access, which fits into 32 bits.
    static func identifier(_ number: Int64, _ account: Account) -> Int64 {
        let digest = SHA256.hash(data: Data("access \(account.uuid) \(number)".utf8))
        return digest.prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) } & 0x7FFF_FFFF
    }
}
