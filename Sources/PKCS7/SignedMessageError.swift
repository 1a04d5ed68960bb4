package import SharedLibraries

/// Why bytes are no message that somebody known has signed.
package enum SignedMessageError: Error, Equatable, CustomStringConvertible {
    case tooLarge(limit: Int)
    /// Neither DER nor BER of PKCS#7 signed data, or something follows it.
    case malformed
    /// What was signed is not in the message.
    case detached
    /// There must be exactly one.
    case signers(Int)
    case tooManyCertificates(limit: Int)
    /// The signer's certificate is not in the message.
    case noCertificate
    /// A root that was given is no certificate.
    case unreadableRoot
    /// The signer's certificate does not lead to one of the roots at that time.
    case untrusted(String)
    /// The way from the signer to the root is not of two steps.
    case chainLength(Int)
    /// The signer's certificate was issued for something else.
    case signerUnmarked
    case issuerUnmarked
    /// Signed with a digest other than SHA-1 and the SHA-2 family.
    case digest
    /// The message was changed, or is not the signer's.
    case signature
    case library(SharedLibraryError)

    package var description: String {
        switch self {
        case .tooLarge(let limit): "larger than \(limit) bytes"
        case .malformed: "no PKCS#7 signed data"
        case .detached: "the signed content is not in the message"
        case .signers(let count): "\(count) signers; expected one"
        case .tooManyCertificates(let limit): "more than \(limit) certificates"
        case .noCertificate: "the signer's certificate is not in the message"
        case .unreadableRoot: "a root is no X.509 certificate in DER"
        case .untrusted(let problem): "the signer's certificate is not trusted: \(problem)"
        case .chainLength(let count): "a chain of \(count) certificates; expected three"
        case .signerUnmarked: "the signer's certificate is not marked for this purpose"
        case .issuerUnmarked: "the issuer's certificate is not marked for this purpose"
        case .digest: "signed with a digest that is not accepted"
        case .signature: "the signature does not fit the content"
        case .library(let error): error.description
        }
    }
}
