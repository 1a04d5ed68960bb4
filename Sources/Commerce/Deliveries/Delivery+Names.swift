import Crypto
import Foundation
import Primitives

extension Delivery.ID {
    /// Parses the format that ``description`` writes.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let store = StoreName(parts[0]), !parts[1].isEmpty,
            parts[1].utf8.count <= StoreTransaction.maxTextLength
        else { return nil }
        self.init(store: store, transaction: String(parts[1]))
    }

    /// The delivery's identifier as 32 lower-case hexadecimal digits.
    ///
    /// Logs use it instead of the store's own spelling. Databases that ignore the case of letters use it as a key.
    public var reference: String {
        Hexadecimal.encode(SHA256.hash(data: Data(description.utf8)).prefix(16))
    }
}
