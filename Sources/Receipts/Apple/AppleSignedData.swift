package import Foundation
package import Gatefold

/// Apple's newer forms, StoreKit 2 and what belongs to it: signed transactions (JWS), the App Store Server API and its
/// notifications (PROTOCOLS 6.3). ``AppleStore`` hands over to it what it recognises as one of them.
///
/// As everywhere, a thrown error means that Apple could not be asked, and is no refusal.
package protocol AppleSignedData: Sendable {
    /// Whether the App Store Server API is configured. Without it signed data is verified all the same, but neither
    /// ``transactions(id:allowing:at:)`` nor ``current(_:allowing:at:)`` is called.
    var asksServer: Bool { get }

    /// What a signed transaction proves.
    ///
    /// - Parameter signed: three segments of base64url with dots between them.
    func transactions(
        signed: String, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> ReceiptVerdict

    /// What Apple knows about a transaction, and about the purchase it belongs to.
    ///
    /// - Parameter id: a transaction's identifier: one to twenty decimal digits.
    func transactions(
        id: String, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> ReceiptVerdict

    /// The transactions of a purchase as they are now; none where Apple knows it no longer.
    func current(
        _ transaction: StoreTransaction, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> [StoreTransaction]

    /// Reads a notification of version 2.
    ///
    /// - Parameter body: of the HTTP request, as it came.
    func notification(
        _ body: [UInt8], allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> NotificationVerdict
}
