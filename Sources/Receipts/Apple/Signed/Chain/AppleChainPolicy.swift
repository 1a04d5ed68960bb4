import SwiftASN1
import X509

extension ASN1ObjectIdentifier {
    /// Marks an intermediate certificate of Apple's Worldwide Developer Relations authority.
    static let appleIntermediate: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]
    /// Marks a certificate that signs receipts and what belongs to them.
    static let appleReceiptSigning: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
}

/// What Apple's chains have beside RFC 5280: leaf, intermediate and pinned root, and nothing else; each of the first two
/// marked for its purpose (PROTOCOLS 6.3), so that Apple's certificates for other purposes sign nothing here.
struct AppleChainPolicy: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [.appleIntermediate, .appleReceiptSigning]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        let certificates = Array(chain)
        guard certificates.count == AppleJWSHeader.certificateCount else {
            return .failsToMeetPolicy(reason: "expected leaf, intermediate and root")
        }
        let (leaf, intermediate) = (certificates[0], certificates[1])
        guard leaf.extensions[oid: .appleReceiptSigning] != nil else {
            return .failsToMeetPolicy(reason: "the leaf is not for receipts")
        }
        guard intermediate.extensions[oid: .appleIntermediate] != nil else {
            return .failsToMeetPolicy(reason: "the intermediate is not for developer relations")
        }
        // RFC5280Policy reads neither of these two.
        if case .isCertificateAuthority = try? leaf.extensions.basicConstraints {
            return .failsToMeetPolicy(reason: "the leaf is an authority")
        }
        guard allows(leaf, \.digitalSignature), allows(intermediate, \.keyCertSign) else {
            return .failsToMeetPolicy(reason: "a key is not for signing")
        }
        return .meetsPolicy
    }

    /// A certificate without key usages allows all of them (RFC 5280 section 4.2.1.3).
    private func allows(_ certificate: Certificate, _ use: KeyPath<KeyUsage, Bool>) -> Bool {
        guard certificate.extensions[oid: .X509ExtensionID.keyUsage] != nil else { return true }
        guard let usage = try? certificate.extensions.keyUsage else { return false }
        return usage[keyPath: use]
    }
}
