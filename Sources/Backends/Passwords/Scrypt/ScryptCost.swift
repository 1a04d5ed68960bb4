import Crypto
import CryptoExtras
import Foundation

/// What a hash of scrypt costs (RFC 7914 section 2).
struct ScryptCost: Sendable, Equatable {
    /// log₂ N.
    let logarithm: Int
    /// r.
    let blockSize: Int
    /// p.
    let parallelism: Int

    /// In bytes.
    static let mostMemory = 256 << 20
    /// N times r times p.
    static let mostWork = 1 << 22

    var isAffordable: Bool {
        (1...30).contains(logarithm) && (1...(1 << 20)).contains(blockSize) && (1...(1 << 20)).contains(parallelism)
            && 128 * blockSize << logarithm <= Self.mostMemory
            && (blockSize << logarithm) * parallelism <= Self.mostWork
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
