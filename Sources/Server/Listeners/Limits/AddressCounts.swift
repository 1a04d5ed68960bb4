import Gatefold

/// Counts what each client address has open, up to a limit; an IPv6 client has a whole /64.
struct AddressCounts {
    private let most: Int
    private var counts: [ClientAddress: Int] = [:]

    init(most: Int) {
        self.most = most
    }

    /// False where the address has as much as it may; nothing is counted then.
    mutating func enter(_ address: ClientAddress) -> Bool {
        let key = Self.key(address)
        let count = counts[key, default: 0]
        guard count < most else { return false }
        counts[key] = count + 1
        return true
    }

    mutating func leave(_ address: ClientAddress) {
        let key = Self.key(address)
        let count = counts[key, default: 0]
        counts[key] = count > 1 ? count - 1 : nil
    }

    /// Addresses that have something open.
    var isEmpty: Bool { counts.isEmpty }

    private static func key(_ address: ClientAddress) -> ClientAddress {
        address.isIPv6 ? address.prefix(bits: 64) : address
    }
}
