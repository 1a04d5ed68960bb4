import Foundation
import Gatefold
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// Certificates that lead from a leaf to a pinned root.
struct AppleChain: Sendable {
    let leaf: Certificate
    let intermediate: Certificate
}

/// A root certificate that can not be read.
package struct UnreadableRoot: Error, Equatable, CustomStringConvertible {
    package var description: String { "expected certificates in DER or PEM" }
}

/// Builds chains to the pinned roots (RFC 5280 section 6, with swift-certificates).
struct AppleChains: Sendable {
    let roots: CertificateStore

    /// - Parameter roots: in DER.
    init(roots: [[UInt8]]) throws {
        do {
            self.roots = CertificateStore(try roots.map { try Certificate(derEncoded: $0) })
        } catch {
            throw UnreadableRoot()
        }
    }

    /// The certificates that were sent, when they lead to a pinned root.
    ///
    /// - Parameter sent: leaf, intermediate and a root, in DER; the root is looked at no further.
    /// - Throws: ``ReceiptRefusal/Reason/forged``.
    func chain(of sent: [[UInt8]], validAt moment: Date) async throws(ReceiptRefusal) -> AppleChain {
        guard sent.count == AppleJWSHeader.certificateCount, Self.canBeWritten(moment),
            let leaf = try? Certificate(derEncoded: sent[0]),
            let intermediate = try? Certificate(derEncoded: sent[1]), (try? Certificate(derEncoded: sent[2])) != nil
        else { throw ReceiptRefusal(.forged) }
        let chain = AppleChain(leaf: leaf, intermediate: intermediate)
        var verifier = Verifier(rootCertificates: roots) {
            RFC5280Policy(fixedExpiryValidationTime: moment)
            AppleChainPolicy()
        }
        guard await leads(chain, by: &verifier) else { throw ReceiptRefusal(.forged) }
        return chain
    }

    func leads(_ chain: AppleChain, by verifier: inout Verifier<some VerifierPolicy>) async -> Bool {
        let verdict = await verifier.validate(
            leaf: chain.leaf, intermediates: CertificateStore([chain.intermediate]))
        if case .validCertificate = verdict { return true }
        return false
    }

    /// Whether the moment has a form in certificates at all: whoever sends a date may send any, and ASN.1 has four digits for
    /// the year.
    private static func canBeWritten(_ moment: Date) -> Bool {
        (0..<SignedDates.end).contains(moment.timeIntervalSince1970)
    }
}
