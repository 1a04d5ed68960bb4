import CCrypt
import Foundation

/// The crypt(3) function of libxcrypt. No other file uses the library. Memory that held a password is zeroed before
/// it is freed.
enum CryptFunction {
    /// Hashes a password with a setting, which is a salt string or a whole stored hash.
    ///
    /// - Parameter password: A password shorter than `CRYPT_MAX_PASSPHRASE_SIZE`.
    /// - Throws: ``PasswordError/unacceptablePassword`` for a password with a NUL, where C would end it.
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

    /// Creates a setting with a new salt.
    ///
    /// - Parameter cost: The cost in the units of crypt_gensalt(3) for the prefix. Range for yescrypt: 1 to 11.
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

    /// Returns whether this libcrypt supports the method of a setting. Distributions leave out old methods.
    static func supports(setting: String) -> Bool {
        ![CRYPT_SALT_INVALID, CRYPT_SALT_METHOD_DISABLED].contains(crypt_checksalt(setting))
    }
}
