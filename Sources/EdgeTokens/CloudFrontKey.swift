import Crypto
import CryptoExtras
import Foundation

/// A private key of a type that CloudFront accepts.
enum CloudFrontKey: Sendable {
    case rsa(_RSA.Signing.PrivateKey)
    case ecdsa(P256.Signing.PrivateKey)

    init(pem: String) throws(EdgeTokenError) {
        if let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) {
            self = .ecdsa(key)
        } else if let key = try? _RSA.Signing.PrivateKey(unsafePEMRepresentation: pem) {
            guard key.keySizeInBits == 2048 else { throw .rsaKeySize(bits: key.keySizeInBits) }
            self = .rsa(key)
        } else {
            throw .pemKey
        }
    }

    /// Signs with RSA and PKCS #1 v1.5 padding, or with ECDSA in DER encoding.
    func sign(_ text: Data, _ digest: CloudFrontSignedCookies.Digest) throws -> Data {
        switch digest {
        case .sha1: try sign(Insecure.SHA1.hash(data: text))
        case .sha256: try sign(SHA256.hash(data: text))
        }
    }

    private func sign(_ digest: some Digest) throws -> Data {
        switch self {
        case .rsa(let key): try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation
        case .ecdsa(let key): try key.signature(for: digest).derRepresentation
        }
    }
}
