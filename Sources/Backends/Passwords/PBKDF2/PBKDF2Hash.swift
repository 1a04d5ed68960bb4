import Crypto
import CryptoExtras
import Foundation
import Gatefold

/// A digest of PBKDF2 (RFC 8018 section 5.2), in whatever form it is stored.
struct PBKDF2Hash: Sendable {
    private let function: DigestFunction
    private let iterations: Int
    private let salt: [UInt8]
    private let digest: [UInt8]

    /// Iterations times blocks of output. The most that Django had asked for by 2026 is 1,200,000.
    static let mostIterations = 5_000_000

    /// - Parameter digest: of a fixed size in each form: a shorter one is the beginning of a longer one, and would match.
    /// - Returns: nil for sizes that nobody uses.
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
        iterations * ((digest.count + function.size - 1) / function.size) <= Self.mostIterations
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
            // Unchecked: what is stored is what it is.
            let key = try KDF.Insecure.PBKDF2.deriveKey(
                from: password, salt: salt, using: hash, outputByteCount: digest.count,
                unsafeUncheckedRounds: iterations)
            return key.withUnsafeBytes { isEqualInConstantTime($0, digest) }
        } catch {
            throw .hashingFailed
        }
    }

    var decoy: PBKDF2Hash { PBKDF2Hash(decoy: self) }

    private init(decoy other: PBKDF2Hash) {
        function = other.function
        iterations = other.iterations
        salt = other.salt
        digest = Array(repeating: 0, count: other.digest.count)
    }
}
