import Crypto
import Foundation
import Gatefold
import JSON

/// Somebody's access to an item (PROTOCOLS 5.3).
enum AccessDocument {
    /// - Parameters:
    ///   - since: nil where it has been there from the beginning.
    ///   - until: nil where it does not end.
    static func value(
        _ item: JSONValue, numbered number: Int64, of account: Account, since: Date?, until: Date?
    ) -> JSONValue {
        [
            "id": .whole(identifier(number, account)), "account_id": .whole(account.number),
            "customer_id": .whole(account.number), "customer_uuid": .string(account.uuid), "ip_address": "",
            "country_code": "", "created_at": .seconds(since ?? account.created), "starts_at": .seconds(since),
            "expires_at": until.map { .seconds($0) } ?? 0, "item": item,
        ]
    }

    /// The same whenever it is asked for; a number that fits into 32 bits.
    static func identifier(_ number: Int64, _ account: Account) -> Int64 {
        let digest = SHA256.hash(data: Data("access \(account.uuid) \(number)".utf8))
        return digest.prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) } & 0x7FFF_FFFF
    }
}
