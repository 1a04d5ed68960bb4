public import Foundation

/// Keeps the codes that readers are mailed, so that every process knows them and a restart forgets none. What a call acknowledged
/// is on disk when it returns. Accounts and codes are keyed digests.
public protocol PINCodeStore: Sendable {
    /// Keeps a code in place of any before.
    ///
    /// - Parameters:
    ///   - attempts: so many may be made to say it.
    ///   - most: so many codes are good at a time.
    /// - Returns: false when there are too many.
    func keepPINCode(
        _ code: [UInt8], of account: [UInt8], until end: Date, attempts: Int, most: Int, at moment: Date
    ) async throws -> Bool

    /// Counts an attempt to say an account's code. The right one is good once.
    ///
    /// - Returns: whether it is the account's.
    func redeemPINCode(_ code: [UInt8], of account: [UInt8], at moment: Date) async throws -> Bool
}
