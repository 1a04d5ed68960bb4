import Crypto
import CryptoExtras
import Foundation
import Primitives

/// A PBKDF2 digest (RFC 8018 section 5.2), independent of its storage format.
struct PBKDF2Hash: Sendable {
    private let function: DigestFunction
    private let iterations: Int
    private let salt: [UInt8]
    private let digest: [UInt8]

    /// The maximum product of iterations and output blocks. The highest number that Django used by 2026 is
    /// 1,200,000.
    static let maxIterations = 5_000_000

    /// - Parameter digest: A digest whose size is fixed in each format. A shorter digest is a prefix of a longer
    ///   one, and would match.
    /// - Returns: Nil for sizes that no implementation uses.
    init?(_ function: DigestFunction, iterations: Int?, salt: [UInt8]?, digest: [UInt8]?) {
        guard let iterations, iterations >= 1, let salt, (1...256).contains(salt.count), let digest,
            digest.count >= 20
        else { return nil }
        self.function = function
        self.iterations = iterations
        self.salt = salt
        self.digest = digest
    }

    var isAffordable: Bool {
        iterations * ((digest.count + function.size - 1) / function.size) <= Self.maxIterations
    }

    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool {
        let hash: KDF.Insecure.PBKDF2.HashFunction =
            switch function {
            case .md5: .insecureMD5
            case .sha1: .insecureSHA1
            case .sha256: .sha256
            case .sha384: .sha384
            case .sha512: .sha512
            }
        do {
            // Unchecked, because stored hashes may have few rounds.
            let key = try KDF.Insecure.PBKDF2.deriveKey(
                from: password, salt: salt, using: hash, outputByteCount: digest.count,
                unsafeUncheckedRounds: iterations)
            return key.withUnsafeBytes { isEqualInConstantTime($0, digest) }
        } catch {
            throw .hashingFailed
        }
    }

    var dummyHash: PBKDF2Hash { PBKDF2Hash(dummyHash: self) }

    private init(dummyHash other: PBKDF2Hash) {
        function = other.function
        iterations = other.iterations
        salt = other.salt
        digest = Array(repeating: 0, count: other.digest.count)
    }
}
