import Gatefold

/// How many bytes of request bodies are held in memory at a time, by all requests together (PITFALLS row 24).
///
/// The first bytes of each body, as many as a sign-in form has, are not counted: clients that hold large bodies can not keep others
/// from signing in. One client address has a quarter at most, so that it can not keep others from handing in receipts either.
struct BodyBudget {
    /// The bytes of each body that are not counted.
    static let free = 8 << 10

    private let most: Int
    private(set) var inUse = 0
    private var byAddress: [ClientAddress: Int] = [:]

    init(most: Int) {
        self.most = most
    }

    private func mayHave(_ address: ClientAddress?, _ bytes: Int) -> Bool {
        guard let address else { return true }
        return byAddress[Self.key(address), default: 0] + bytes <= most / 4
    }

    /// - Parameter address: nil where it has no share of its own.
    /// - Returns: false where the budget is exhausted; nothing is counted then.
    mutating func take(_ bytes: Int, _ address: ClientAddress?) -> Bool {
        guard inUse + bytes <= most, mayHave(address, bytes) else { return false }
        inUse += bytes
        if let address { byAddress[Self.key(address), default: 0] += bytes }
        return true
    }

    mutating func giveBack(_ bytes: Int, _ address: ClientAddress?) {
        inUse -= bytes
        guard let address else { return }
        let key = Self.key(address)
        let left = byAddress[key, default: 0] - bytes
        byAddress[key] = left > 0 ? left : nil
    }

    /// The memory that a buffer of so many bytes takes beyond those that are free: buffers grow to the next power of two.
    static func cost(of bytes: Int) -> Int {
        guard bytes > free else { return 0 }
        return 1 << (Int.bitWidth - (bytes - 1).leadingZeroBitCount)
    }

    private static func key(_ address: ClientAddress) -> ClientAddress {
        address.isIPv6 ? address.prefix(bits: 64) : address
    }
}
