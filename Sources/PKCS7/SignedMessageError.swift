package import SharedLibraries

/// An error that describes why bytes are not a message from a trusted signer.
package enum SignedMessageError: Error, Equatable, CustomStringConvertible {
    case tooLarge(limit: Int)
    /// The bytes are neither DER nor BER of PKCS#7 signed data, or something follows it.
    case malformed
    /// The signed content is not in the message.
    case detached
    /// The message does not have exactly one signer.
    case signers(Int)
    case tooManyCertificates(limit: Int)
    /// The signer's certificate is not in the message.
    case noCertificate
    /// A given root is not a certificate.
    case unreadableRoot
    /// The signer's certificate does not chain to one of the roots at that time.
    case untrusted(String)
    /// The chain from the signer to the root does not have exactly two steps.
    case chainLength(Int)
    /// The signer's certificate was issued for another purpose.
    case signerUnmarked
    case issuerUnmarked
    /// The message is signed with a digest other than SHA-1 and the SHA-2 family.
    case digest
    /// The message was changed, or the signer did not sign it.
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
        case .unreadableRoot: "a root is not an X.509 certificate in DER"
        case .untrusted(let problem): "the signer's certificate is not trusted: \(problem)"
        case .chainLength(let count): "a chain of \(count) certificates; expected three"
        case .signerUnmarked: "the signer's certificate is not marked for this purpose"
        case .issuerUnmarked: "the issuer's certificate is not marked for this purpose"
        case .digest: "signed with a digest that is not accepted"
        case .signature: "the signature does not match the content"
        case .library(let error): error.description
        }
    }
}
