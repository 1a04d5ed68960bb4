import Primitives

/// A generator of random UUIDs in lower case (RFC 9562, version 4).
enum UUIDText {
    static func random(from source: RandomSource) -> String {
        var bytes = source.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(Hexadecimal.encode(bytes))
        let groups = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
        return groups.map { String($0) }.joined(separator: "-")
    }
}
