public import Accounts
public import Foundation

/// An in-memory store of PIN codes.
public actor InMemoryPINCodes: PINCodeStore {
    private var codes: [[UInt8]: (code: [UInt8], end: Date, attempts: Int)] = [:]

    public init() {}

    public func savePINCode(
        _ code: [UInt8], of account: [UInt8], until end: Date, attempts: Int, limit: Int, at timestamp: Date
    ) -> Bool {
        codes = codes.filter { timestamp < $0.value.end }
        guard codes.count < limit || codes[account] != nil else { return false }
        codes[account] = (code, end, attempts)
        return true
    }

    public func redeemPINCode(_ code: [UInt8], of account: [UInt8], at timestamp: Date) -> Bool {
        guard let stored = codes[account], timestamp < stored.end, stored.attempts > 0 else { return false }
        codes[account]?.attempts -= 1
        if stored.code == code { codes[account] = nil }
        return stored.code == code
    }
}
