import Gatefold

/// The limit of the request body bytes that all requests together hold in memory. Source: Pitfall 24, “Buffered
/// bytes without a total limit”.
///
/// The first bytes of each body, enough for a sign-in form, are not counted, so that clients with large bodies
/// cannot prevent the sign-in of others. One client address may use at most a quarter, so that it cannot prevent
/// others from sending receipts.
struct BodyBudget {
    /// The bytes of each body that are not counted: 8 KiB.
    static let free = 8 << 10

    private let limit: Int
    private(set) var inUse = 0
    private var byAddress: [ClientAddress: Int] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    private func canReserve(_ address: ClientAddress?, _ bytes: Int) -> Bool {
        guard let address else { return true }
        return byAddress[Self.key(address), default: 0] + bytes <= limit / 4
    }

    /// - Parameter address: The client address; nil if no limit per client applies.
    /// - Returns: False if the budget is exhausted; nothing is counted then.
    mutating func take(_ bytes: Int, _ address: ClientAddress?) -> Bool {
        guard inUse + bytes <= limit, canReserve(address, bytes) else { return false }
        inUse += bytes
        if let address { byAddress[Self.key(address), default: 0] += bytes }
        return true
    }

    mutating func release(_ bytes: Int, _ address: ClientAddress?) {
        inUse -= bytes
        guard let address else { return }
        let key = Self.key(address)
        let left = byAddress[key, default: 0] - bytes
        byAddress[key] = left > 0 ? left : nil
    }

    /// Returns the memory of a buffer with this number of bytes, or 0 if the free bytes cover it. Buffers grow to
    /// the next power of two.
    static func cost(of bytes: Int) -> Int {
        guard bytes > free else { return 0 }
        return 1 << (Int.bitWidth - (bytes - 1).leadingZeroBitCount)
    }

    private static func key(_ address: ClientAddress) -> ClientAddress {
        address.isIPv6 ? address.prefix(bits: 64) : address
    }
}
