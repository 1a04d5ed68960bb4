public import Foundation
public import Gatefold

/// A store of codes that forgets everything when the test ends.
public actor VolatilePINCodes: PINCodeStore {
    private var codes: [[UInt8]: (code: [UInt8], end: Date, attempts: Int)] = [:]

    public init() {}

    public func keepPINCode(
        _ code: [UInt8], of account: [UInt8], until end: Date, attempts: Int, most: Int, at moment: Date
    ) -> Bool {
        codes = codes.filter { moment < $0.value.end }
        guard codes.count < most || codes[account] != nil else { return false }
        codes[account] = (code, end, attempts)
        return true
    }

    public func redeemPINCode(_ code: [UInt8], of account: [UInt8], at moment: Date) -> Bool {
        guard let kept = codes[account], moment < kept.end, kept.attempts > 0 else { return false }
        codes[account]?.attempts -= 1
        if kept.code == code { codes[account] = nil }
        return kept.code == code
    }
}
