import Crypto
package import Foundation
package import Gatefold
import JSON
import X509

/// Says whether Apple signed a JWS, and nobody since has changed it (PROTOCOLS 6.3, PITFALLS row 18).
///
/// jwt-kit's `X5CVerifier` is not used for it: it takes the algorithm from the header, accepts chains of any length, reads
/// the payload before it believes it, with a decoder that passes over duplicate names, and knows no `crit`.
package struct AppleSignatures: Sendable {
    private let chains: AppleChains
    private let revocations: RevocationCheck?

    /// - Parameters:
    ///   - roots: the certificates trusted, in DER; the one that is sent along never is.
    ///   - revocations: nil where Apple's word on its certificates is not asked for.
    /// - Throws: ``UnreadableRoot``.
    package init(roots: [[UInt8]], revocations: RevocationCheck?) throws {
        chains = try AppleChains(roots: roots)
        self.revocations = revocations
    }

    /// - Parameter moment: when it is asked; certificates have to be valid then if their revocation is asked for, and at the
    ///   payload's `signedDate` if not.
    /// - Throws: ``ReceiptRefusal/Reason/forged`` or ``ReceiptRefusal/Reason/malformed``; ``RevocationUnknown`` where
    ///   it could not be learned and has to be.
    package func verify(_ jws: CompactJWS, at moment: Date) async throws {
        let header = try AppleJWSHeader(jws.header)
        guard let signedDate = jws.payload.milliseconds("signedDate") else { throw ReceiptRefusal(.malformed) }
        let chain = try await chains.chain(
            of: header.certificates, validAt: revocations == nil ? signedDate : moment)
        // First what costs nothing but time here: a forger must not have anybody asked.
        guard let key = P256.Signing.PublicKey(chain.leaf.publicKey),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature),
            key.isValidSignature(signature, for: jws.signed)
        else { throw ReceiptRefusal(.forged) }
        try await revocations?.check(chain, in: chains, at: moment)
    }
}
