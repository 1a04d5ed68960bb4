import Crypto
import Foundation

/// The message digests that stored formats use.
enum DigestFunction: String, CaseIterable, Sendable {
    case md5, sha1, sha256, sha384, sha512

    /// The size of the digest in bytes.
    var size: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    func digest(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .md5: Array(Insecure.MD5.hash(data: bytes))
        case .sha1: Array(Insecure.SHA1.hash(data: bytes))
        case .sha256: Array(SHA256.hash(data: bytes))
        case .sha384: Array(SHA384.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        }
    }

    func authenticationCode(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        let key = SymmetricKey(data: key)
        return switch self {
        case .md5: Array(HMAC<Insecure.MD5>.authenticationCode(for: bytes, using: key))
        case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: bytes, using: key))
        case .sha256: Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
        case .sha384: Array(HMAC<SHA384>.authenticationCode(for: bytes, using: key))
        case .sha512: Array(HMAC<SHA512>.authenticationCode(for: bytes, using: key))
        }
    }
}
