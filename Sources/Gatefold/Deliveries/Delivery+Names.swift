import Crypto
import Foundation

extension Delivery.ID {
    /// Reads the form that ``description`` writes.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let store = StoreName(parts[0]), !parts[1].isEmpty,
            parts[1].utf8.count <= StoreTransaction.longestText
        else { return nil }
        self.init(store: store, transaction: String(parts[1]))
    }

    /// Names the delivery in 32 lower-case hexadecimal digits, where the store's own spelling has no place: in logs, and as
    /// a key in databases that take one letter for another.
    public var reference: String {
        Hexadecimal.encode(SHA256.hash(data: Data(description.utf8)).prefix(16))
    }
}
