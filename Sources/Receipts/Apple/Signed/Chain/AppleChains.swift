import Commerce
import Foundation
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// A chain of certificates from a leaf to a pinned root.
struct AppleChain: Sendable {
    let leaf: Certificate
    let intermediate: Certificate
}

/// An error that indicates an unreadable root certificate.
package struct UnreadableRoot: Error, Equatable, CustomStringConvertible {
    package var description: String { "expected certificates in DER or PEM" }
}

/// A builder of chains to the pinned roots (RFC 5280 section 6, with swift-certificates).
struct AppleChains: Sendable {
    let roots: CertificateStore

    /// Creates a builder.
    ///
    /// - Parameter roots: The root certificates in DER.
    init(roots: [[UInt8]]) throws {
        do {
            self.roots = CertificateStore(try roots.map { try Certificate(derEncoded: $0) })
        } catch {
            throw UnreadableRoot()
        }
    }

    /// Returns the chain of the certificates that were sent, if it leads to a pinned root.
    ///
    /// - Parameter sent: Leaf, intermediate and root in DER. The root is parsed and otherwise ignored.
    /// - Throws: ``ReceiptRejection/Reason/forged``.
    @concurrent
    func chain(of sent: [[UInt8]], validAt timestamp: Date) async throws(ReceiptRejection) -> AppleChain {
        guard sent.count == AppleJWSHeader.certificateCount, Self.isRepresentable(timestamp),
            let leaf = try? Certificate(derEncoded: sent[0]),
            let intermediate = try? Certificate(derEncoded: sent[1]), (try? Certificate(derEncoded: sent[2])) != nil
        else { throw ReceiptRejection(.forged) }
        let chain = AppleChain(leaf: leaf, intermediate: intermediate)
        var verifier = Verifier(rootCertificates: roots) {
            RFC5280Policy(fixedExpiryValidationTime: timestamp)
            AppleChainPolicy()
        }
        guard await isValid(chain, by: &verifier) else { throw ReceiptRejection(.forged) }
        return chain
    }

    @concurrent
    func isValid(_ chain: AppleChain, by verifier: inout Verifier<some VerifierPolicy>) async -> Bool {
        let verdict = await verifier.validate(
            leaf: chain.leaf, intermediates: CertificateStore([chain.intermediate]))
        if case .validCertificate = verdict { return true }
        return false
    }

    /// Returns whether a certificate can represent the date. A client can send any date, but ASN.1 has four digits
    /// for the year.
    private static func isRepresentable(_ timestamp: Date) -> Bool {
        (0..<SignedDates.end).contains(timestamp.timeIntervalSince1970)
    }
}
