import Commerce
import Crypto
package import Foundation
import JSON
import X509

/// A verifier that checks that Apple signed a JWS and that the JWS is unchanged.
///
/// jwt-kit's `X5CVerifier` is not used, because it takes the algorithm from the header, accepts chains of any
/// length, and decodes the payload before the verification. Its decoder ignores duplicate names, and it does not
/// support `crit`.
///
/// Source: App Store protocol, “Verification of signed data”; Pitfall 18, “Store receipts that prove less than they
/// claim”.
package struct AppleSignatures: Sendable {
    private let chains: AppleChains
    private let revocations: RevocationCheck?

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - roots: The trusted certificates in DER. The root that is sent with the JWS is never trusted.
    ///   - revocations: The revocation check, or nil to check no revocations.
    /// - Throws: ``UnreadableRoot``.
    package init(roots: [[UInt8]], revocations: RevocationCheck?) throws {
        chains = try AppleChains(roots: roots)
        self.revocations = revocations
    }

    /// Verifies the signature and the certificates of a JWS.
    ///
    /// - Parameter timestamp: The current date. With a revocation check, certificates must be valid at this date.
    ///   Without it, they must be valid at the payload's `signedDate`.
    /// - Throws: ``ReceiptRejection/Reason/forged`` or ``ReceiptRejection/Reason/malformed``. ``RevocationUnknown`` if
    ///   the revocation status is required and unknown.
    package func verify(_ jws: CompactJWS, at timestamp: Date) async throws {
        let header = try AppleJWSHeader(jws.header)
        guard let signedDate = jws.payload.milliseconds("signedDate") else { throw ReceiptRejection(.malformed) }
        let chain = try await chains.chain(
            of: header.certificates, validAt: revocations == nil ? signedDate : timestamp)
        // The local verification comes first, because a forged signature must not cause a query.
        guard let key = P256.Signing.PublicKey(chain.leaf.publicKey),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature),
            key.isValidSignature(signature, for: jws.signed)
        else { throw ReceiptRejection(.forged) }
        try await revocations?.check(chain, in: chains, at: timestamp)
    }
}
