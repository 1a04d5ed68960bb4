public import Foundation

/// A store of the codes that readers receive by e-mail. The codes are available to every process and survive a
/// restart. Data is on disk when a call returns. Accounts and codes are keyed digests.
public protocol PINCodeStore: Sendable {
    /// Stores a code in place of any earlier one.
    ///
    /// - Parameters:
    ///   - code: A digest of the code.
    ///   - account: A digest of the account.
    ///   - end: The time at which the code expires.
    ///   - attempts: The maximum number of attempts to enter the code.
    ///   - limit: The maximum number of codes that are valid at a time.
    ///   - timestamp: The current time.
    /// - Returns: False if the number of codes is at the limit.
    func savePINCode(
        _ code: [UInt8], of account: [UInt8], until end: Date, attempts: Int, limit: Int, at timestamp: Date
    ) async throws -> Bool

    /// Counts an attempt to enter an account's code. The right code is valid once.
    ///
    /// - Returns: Whether the code belongs to the account.
    func redeemPINCode(_ code: [UInt8], of account: [UInt8], at timestamp: Date) async throws -> Bool
}
