import Gatefold

/// A counter of the open items of each client address, up to a limit. An IPv6 client is a whole /64.
struct AddressCounts {
    private let limit: Int
    private var counts: [ClientAddress: Int] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    /// Counts one item; returns false, and counts nothing, if the address is at its limit.
    mutating func enter(_ address: ClientAddress) -> Bool {
        let key = Self.key(address)
        let count = counts[key, default: 0]
        guard count < limit else { return false }
        counts[key] = count + 1
        return true
    }

    mutating func leave(_ address: ClientAddress) {
        let key = Self.key(address)
        let count = counts[key, default: 0]
        counts[key] = count > 1 ? count - 1 : nil
    }

    /// A Boolean value that indicates whether no address has open items.
    var isEmpty: Bool { counts.isEmpty }

    private static func key(_ address: ClientAddress) -> ClientAddress {
        address.isIPv6 ? address.prefix(bits: 64) : address
    }
}
