import CCrypt
import Foundation

/// crypt(3) of libxcrypt. The only file that sees it; memory that held a password is zeroed before it is freed.
enum CryptFunction {
    /// Hashes a password under a setting, which is a salt string or a whole stored hash.
    ///
    /// - Parameter password: shorter than `CRYPT_MAX_PASSPHRASE_SIZE`.
    /// - Throws: ``PasswordError/unacceptablePassword`` for one with a NUL, where C would end it.
    static func hash(_ password: [UInt8], setting: String) throws(PasswordError) -> String {
        guard password.count < Int(CRYPT_MAX_PASSPHRASE_SIZE), !password.contains(0) else {
            throw .unacceptablePassword
        }
        let size = MemoryLayout<crypt_data>.size
        let data = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: MemoryLayout<crypt_data>.alignment)
        memset(data, 0, size)
        let phrase = UnsafeMutablePointer<CChar>.allocate(capacity: password.count + 1)
        for (index, byte) in password.enumerated() { phrase[index] = CChar(bitPattern: byte) }
        phrase[password.count] = 0
        defer {
            explicit_bzero(data, size)
            data.deallocate()
            explicit_bzero(phrase, password.count + 1)
            phrase.deallocate()
        }
        guard let result = crypt_rn(phrase, setting, data, Int32(size)) else {
            throw supports(setting: setting) ? .hashingFailed : .methodMissing
        }
        return String(cString: result)
    }

    /// Makes a setting with a fresh salt.
    ///
    /// - Parameter cost: as crypt_gensalt(3) counts for the prefix; for yescrypt 1 to 11.
    static func setting(prefix: String, cost: Int, random: [UInt8]) throws(PasswordError) -> String {
        var text = [CChar](repeating: 0, count: Int(CRYPT_GENSALT_OUTPUT_SIZE))
        let made = random.withUnsafeBytes { random in
            crypt_gensalt_rn(
                prefix, UInt(cost), random.bindMemory(to: CChar.self).baseAddress, Int32(random.count), &text,
                Int32(text.count)) != nil
        }
        guard made else { throw .hashingFailed }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether this libcrypt computes hashes of the setting's method: distributions leave old ones out.
    static func supports(setting: String) -> Bool {
        ![CRYPT_SALT_INVALID, CRYPT_SALT_METHOD_DISABLED].contains(crypt_checksalt(setting))
    }
}
