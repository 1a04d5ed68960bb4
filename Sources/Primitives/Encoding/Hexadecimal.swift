/// A conversion between bytes and hexadecimal digits.
public enum Hexadecimal {
    /// Returns two lower-case digits for each byte.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        bytes.withContiguousStorageIfAvailable(encoded) ?? Array(bytes).withUnsafeBufferPointer(encoded)
    }

    /// Returns two lower-case digits in ASCII for each byte.
    package static func digits(_ bytes: some Sequence<UInt8>) -> [UInt8] { Array(encode(bytes).utf8) }

    private static func encoded(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { digits in
            for index in bytes.indices {
                digits[2 * index] = digit(bytes[index] >> 4)
                digits[2 * index + 1] = digit(bytes[index] & 0xF)
            }
            return bytes.count * 2
        }
    }

    /// Returns the two upper-case digits of a byte in ASCII, which percent escapes and quoted-printable text use.
    package static func upperCaseDigits(_ byte: UInt8) -> [UInt8] {
        [digit(byte >> 4, ten: UInt8(ascii: "A")), digit(byte & 0xF, ten: UInt8(ascii: "A"))]
    }

    private static func digit(_ value: UInt8, ten: UInt8 = UInt8(ascii: "a")) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : ten - 10 + value
    }

    /// Returns the bytes of a text, or nil unless the text is an even number of hexadecimal digits of either case.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Returns the byte that two digits of either case represent, or nil for anything else.
    package static func byte(_ digits: some Collection<UInt8>) -> UInt8? {
        guard digits.count == 2, let first = digits.first, let high = value(first) else { return nil }
        return digits.dropFirst().first.flatMap(value).map { high << 4 | $0 }
    }

    /// Returns the value of one digit of either case.
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
