/// Base64 in the URL-safe alphabet without padding (RFC 4648 section 5).
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousStorageIfAvailable(encoded) ?? Array(bytes).withUnsafeBufferPointer(encoded)
    }

    private static func encoded(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let count = (bytes.count * 4 + 2) / 3
        return alphabet.withUnsafeBufferPointer { alphabet in
            String(unsafeUninitializedCapacity: count) { text in
                var (buffer, bits, written): (UInt32, UInt32, Int) = (0, 0, 0)
                for byte in bytes {
                    buffer = buffer << 8 | UInt32(byte)
                    bits += 8
                    while bits >= 6 {
                        bits -= 6
                        text[written] = alphabet[Int(buffer >> bits & 0x3F)]
                        written += 1
                    }
                }
                if bits > 0 { text[written] = alphabet[Int(buffer << (6 - bits) & 0x3F)] }
                return count
            }
        }
    }

    /// Returns the bytes of a text, or nil unless the text is the canonical encoding: no padding, no other letters,
    /// no stray bits.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(letters: Array(text.utf8)) }

    /// Returns the bytes of a text given as UTF-8 bytes.
    package static func decode(letters: [UInt8]) -> [UInt8]? {
        guard letters.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count * 3 / 4)
        var buffer: UInt32 = 0
        var bits = 0
        for letter in letters {
            let value = values[Int(letter)]
            guard value != 0xFF else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        guard buffer & ((1 << UInt32(bits)) - 1) == 0 else { return nil }
        return bytes
    }
}
