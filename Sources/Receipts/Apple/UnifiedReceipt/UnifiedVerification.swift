import Foundation
import Gatefold
import PKCS7

/// Verifies unified receipts without asking anybody.
///
/// The certificates have to have been valid when the receipt was made, not now: Apple's authority for receipts signed with
/// SHA-1 ended in January 2025, and what it signed until then still holds (PROTOCOLS 6.2). A receipt dated in the future
/// is judged by now.
struct UnifiedVerification: Sendable {
    let apps: AppleApps

    /// What Apple puts into the certificates that it signs receipts with, and into those of the authority between them and
    /// its root (PROTOCOLS 6.3); Apple issues certificates for many other things.
    static let markers = CertificateMarkers(signer: "1.2.840.113635.100.6.11.1", issuer: "1.2.840.113635.100.6.2.1")

    /// - Parameter allowed: the environments that count here.
    /// - Throws: when OpenSSL is missing, and never because of a receipt.
    func verdict(
        on message: SignedMessage, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) throws -> ReceiptVerdict {
        // Nobody vouches for these yet; they say by what the signature is to be judged.
        guard let claimed = try? UnifiedReceipt(message.unverifiedContents), let created = claimed.created else {
            return .refused(ReceiptRefusal(.malformed))
        }
        let environment = claimed.environment.flatMap(AppleEnvironment.named)
        guard let payload = try payload(of: message, environment, at: min(created, moment)) else {
            return .refused(ReceiptRefusal(.forged))
        }
        guard let receipt = try? UnifiedReceipt(payload) else { return .refused(ReceiptRefusal(.malformed)) }
        guard let environment, allowed.contains(environment), apps.environments.contains(environment) else {
            return .refused(ReceiptRefusal(.wrongEnvironment))
        }
        guard let bundle = receipt.bundle, apps.bundles.contains(bundle) else {
            return .refused(ReceiptRefusal(.wrongApp))
        }
        if let expires = receipt.expires, expires <= moment { return .refused(ReceiptRefusal(.expired)) }
        return .of(receipt.purchases, in: apps.store, environment: environment, told: created)
    }

    /// Nil for a payload that is not as its signer made it, or whose signer is not Apple.
    private func payload(
        of message: SignedMessage, _ environment: StoreEnvironment?, at moment: Date
    ) throws -> [UInt8]? {
        do {
            // Xcode signs with a key of the machine it runs on. These environments are never verified beside Apple's own,
            // so that a receipt that merely says it comes from there does not get around the root.
            if let environment, environment.isLocal, apps.environments.allSatisfy(\.isLocal) {
                return try message.verifyByItsOwnCertificate()
            }
            return try message.verify(roots: apps.roots, markers: Self.markers, at: moment)
        } catch SignedMessageError.library(let missing) {
            throw missing
        } catch {
            return nil
        }
    }
}
