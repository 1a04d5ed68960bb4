/// An Apple receipt as apps send it, repaired of what forms and URLs do to base64.
enum ReceiptText {
    /// The longest receipt, in letters.
    static let longest = 256 << 10

    /// The receipt in the standard alphabet, padded and without line breaks, or a signed transaction as it is (JWS); nil for
    /// what can be neither.
    ///
    /// Baker's client leaves `+` as it is in a form, where it means a space (PROTOCOLS 2.1); receipts in a query have the
    /// URL-safe alphabet or lost their `+` in the same way (PROTOCOLS 3). A bare transaction identifier is no receipt here:
    /// it can be guessed.
    static func repaired(_ text: String) -> String? {
        guard text.utf8.count <= longest else { return nil }
        var letters: [UInt8] = []
        letters.reserveCapacity(text.utf8.count)
        var dots = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "\t"): continue
            case UInt8(ascii: " "), UInt8(ascii: "-"): letters.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): letters.append(UInt8(ascii: "/"))
            case UInt8(ascii: "."):
                dots += 1
                letters.append(byte)
            default: letters.append(byte)
            }
        }
        while letters.last == UInt8(ascii: "=") { letters.removeLast() }
        guard !letters.isEmpty, !letters.allSatisfy(isDigit) else { return nil }
        if dots == 2 { return signedTransaction(letters) }
        guard letters.allSatisfy(isBase64), letters.count % 4 != 1 else { return nil }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - letters.count % 4) % 4)
        return String(decoding: letters + padding, as: UTF8.self)
    }

    /// Three parts in the URL-safe alphabet (RFC 7515 section 7.1), the first of which begins like a JSON object.
    private static func signedTransaction(_ letters: [UInt8]) -> String? {
        let parts = letters.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isBase64) }),
            parts[0].starts(with: "eyJ".utf8)
        else { return nil }
        let safe = letters.map { letter in
            switch letter {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: letter
            }
        }
        return String(decoding: safe, as: UTF8.self)
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
