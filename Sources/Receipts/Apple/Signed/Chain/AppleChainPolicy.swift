import SwiftASN1
import X509

extension ASN1ObjectIdentifier {
    /// The marker of an intermediate certificate of Apple's Worldwide Developer Relations authority.
    static let appleIntermediate: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]
    /// The marker of a certificate that signs receipts and related data.
    static let appleReceiptSigning: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]
}

/// A policy that adds Apple's rules to RFC 5280. A chain consists of exactly leaf, intermediate and pinned root.
/// Leaf and intermediate are marked for their purpose, so that Apple's certificates for other purposes cannot sign
/// receipts.
///
/// Source: App Store protocol, “Verification of signed data”.
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
        // RFC5280Policy checks neither of the following two rules.
        if case .isCertificateAuthority = try? leaf.extensions.basicConstraints {
            return .failsToMeetPolicy(reason: "the leaf is an authority")
        }
        guard allows(leaf, \.digitalSignature), allows(intermediate, \.keyCertSign) else {
            return .failsToMeetPolicy(reason: "a key is not for signing")
        }
        return .meetsPolicy
    }

    /// Returns whether a certificate allows a key usage. A certificate without key usages allows all of them (RFC
    /// 5280 section 4.2.1.3).
    private func allows(_ certificate: Certificate, _ use: KeyPath<KeyUsage, Bool>) -> Bool {
        guard certificate.extensions[oid: .X509ExtensionID.keyUsage] != nil else { return true }
        guard let usage = try? certificate.extensions.keyUsage else { return false }
        return usage[keyPath: use]
    }
}
