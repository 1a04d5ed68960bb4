import Commerce
import Foundation
import PKCS7

/// A local verification of unified receipts.
///
/// The certificates must have been valid when the receipt was created, not now. Apple's intermediate certificate
/// for SHA-1 expired in January 2025, and its earlier signatures are still valid. A receipt dated in the future is
/// verified at the current date.
///
/// Source: App Store protocol, “Certificates of old receipts”.
struct UnifiedVerification: Sendable {
    let apps: AppleApps

    /// The markers in the certificates that sign receipts and in the intermediate certificates below Apple's root.
    /// They are required because Apple issues certificates for many other purposes.
    ///
    /// Source: App Store protocol, “Verification of signed data”.
    static let markers = CertificateMarkers(signer: "1.2.840.113635.100.6.11.1", issuer: "1.2.840.113635.100.6.2.1")

    /// Returns the verdict on a receipt.
    ///
    /// - Parameter allowed: The environments that the caller allows.
    /// - Throws: An error if OpenSSL is missing, and never because of a receipt.
    func verdict(
        on message: SignedMessage, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) throws -> ReceiptVerdict {
        // These contents are unverified. They only select the rules for the verification of the signature.
        guard let claimed = try? UnifiedReceipt(message.unverifiedContents), let created = claimed.created else {
            return .rejected(ReceiptRejection(.malformed))
        }
        let environment = claimed.environment.flatMap(AppleEnvironment.named)
        guard let payload = try payload(of: message, environment, at: min(created, timestamp)) else {
            return .rejected(ReceiptRejection(.forged))
        }
        guard let receipt = try? UnifiedReceipt(payload) else { return .rejected(ReceiptRejection(.malformed)) }
        guard let environment, allowed.contains(environment), apps.environments.contains(environment) else {
            return .rejected(ReceiptRejection(.wrongEnvironment))
        }
        guard let bundle = receipt.bundle, apps.bundles.contains(bundle) else {
            return .rejected(ReceiptRejection(.wrongApp))
        }
        if let expires = receipt.expires, expires <= timestamp { return .rejected(ReceiptRejection(.expired)) }
        return .of(receipt.purchases, in: apps.store, environment: environment, reported: created)
    }

    /// Returns the payload, or nil if it was changed after its signature or if the signer is not Apple.
    private func payload(
        of message: SignedMessage, _ environment: StoreEnvironment?, at timestamp: Date
    ) throws -> [UInt8]? {
        do {
            // Xcode signs with a key of the developer's machine. These environments are never verified together
            // with Apple's own, so that a receipt cannot bypass the root check by a claim of such an environment.
            if let environment, environment.isLocal, apps.environments.allSatisfy(\.isLocal) {
                return try message.verifyByItsOwnCertificate()
            }
            return try message.verify(roots: apps.roots, markers: Self.markers, at: timestamp)
        } catch SignedMessageError.library(let missing) {
            throw missing
        } catch {
            return nil
        }
    }
}
