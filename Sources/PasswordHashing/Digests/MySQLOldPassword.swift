import Primitives

/// A hash of MySQL's `OLD_PASSWORD()`, used before 4.1: 16 hexadecimal digits without salt. It is insecure by
/// current standards and can be searched within seconds.
struct MySQLOldPassword: StoredPassword {
    let scheme = PasswordScheme.mysqlOld
    let isAffordable = true
    let isQuick = true
    private let digest: [UInt8]

    init?(_ text: String) {
        guard let digest = Hexadecimal.decode(text), digest.count == 8 else { return nil }
        self.digest = digest
    }

    func matches(_ password: [UInt8]) -> Bool {
        var (first, second, sum): (UInt32, UInt32, UInt32) = (1_345_345_333, 0x1234_5671, 7)
        for byte in password where byte != 0x20 && byte != 0x09 {
            let value = UInt32(byte)
            first ^= (((first & 63) &+ sum) &* value) &+ (first << 8)
            second = second &+ ((second << 8) ^ first)
            sum = sum &+ value
        }
        let computed = [first & 0x7FFF_FFFF, second & 0x7FFF_FFFF].flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
        }
        return isEqualInConstantTime(computed, digest)
    }

    /// A dummy hash. It matches no password, because the highest bit of both halves is never set.
    var dummyHash: MySQLOldPassword { MySQLOldPassword(digest: Array(repeating: 0xFF, count: 8)) }

    private init(digest: [UInt8]) { self.digest = digest }
}
