package import Commerce
package import Foundation

/// The verification of Apple's newer formats: signed transactions of StoreKit 2 (JWS), the App Store Server API and
/// its notifications. ``AppleStore`` passes on every receipt in one of these formats.
///
/// A thrown error always means that Apple was not reachable. It is never a rejection.
///
/// Source: App Store protocol, “Signed data”.
package protocol AppleSignedData: Sendable {
    /// A Boolean value that indicates whether the App Store Server API is configured. Without it signed data is
    /// still verified, but neither ``transactions(id:allowing:at:)`` nor ``current(_:allowing:at:)`` is called.
    var queriesServer: Bool { get }

    /// Returns the transactions that a signed transaction proves.
    ///
    /// - Parameter signed: Three segments of base64url, separated by dots.
    func transactions(
        signed: String, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> ReceiptVerdict

    /// Returns Apple's record of a transaction and of the purchase that contains it.
    ///
    /// - Parameter id: The identifier of a transaction: 1 to 20 decimal digits.
    func transactions(
        id: String, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> ReceiptVerdict

    /// Returns the current transactions of a purchase, or an empty array if Apple no longer has the purchase.
    func current(
        _ transaction: StoreTransaction, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> [StoreTransaction]

    /// Reads a notification of version 2.
    ///
    /// - Parameter body: The body of the HTTP request, unchanged.
    func notification(
        _ body: [UInt8], allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> NotificationVerdict
}
