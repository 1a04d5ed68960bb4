import Crypto
import CryptoExtras
import Foundation

/// The cost parameters of a scrypt hash (RFC 7914 section 2).
struct ScryptCost: Sendable, Equatable {
    /// The base-2 logarithm of the cost factor N.
    let logarithm: Int
    /// The block size, r.
    let blockSize: Int
    /// The parallelism, p.
    let parallelism: Int

    /// The maximum memory in bytes: 256 MiB.
    static let maxMemory = 256 << 20
    /// The maximum product of N, r and p.
    static let maxWork = 1 << 22

    var isAffordable: Bool {
        (1...30).contains(logarithm) && (1...(1 << 20)).contains(blockSize) && (1...(1 << 20)).contains(parallelism)
            && 128 * blockSize << logarithm <= Self.maxMemory
            && (blockSize << logarithm) * parallelism <= Self.maxWork
    }

    func hash(_ password: [UInt8], salt: [UInt8], size: Int) throws(PasswordError) -> [UInt8] {
        do {
            let key = try KDF.Scrypt.deriveKey(
                from: password, salt: salt, outputByteCount: size, rounds: 1 << logarithm, blockSize: blockSize,
                parallelism: parallelism)
            return key.withUnsafeBytes { Array($0) }
        } catch {
            throw .hashingFailed
        }
    }
}
