import Foundation
import Gatefold

/// Base64 as receipts really arrive in it.
enum ReceiptText {
    /// Longer ones are not read, in bytes: base64 of a megabyte with its line breaks.
    static let longest = 1_500_000

    /// The bytes of base64 in either alphabet, with or without padding and line breaks; nil for anything else.
    static func decoded(_ text: String) -> [UInt8]? { letters(text, space: nil).flatMap { Base64URL.decode($0) } }

    /// What a text with spaces in it may stand for: clients send `+` unescaped, and reading a form makes a space of it
    /// (PROTOCOLS 2.1); or the spaces are mere white space.
    static func readings(_ text: String) -> [[UInt8]] {
        guard text.utf8.count <= longest else { return [] }
        let plain = letters(text, space: nil)
        guard text.utf8.contains(0x20) else { return [plain.flatMap { Base64URL.decode($0) }].compactMap { $0 } }
        return [letters(text, space: UInt8(ascii: "-")), plain].compactMap { $0.flatMap { Base64URL.decode($0) } }
    }

    /// As Apple takes it: one line, the common alphabet, padded. It refuses unified receipts with line breaks
    /// (PROTOCOLS 6.1).
    static func encoded(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// In the URL-safe alphabet; nil for letters of none.
    ///
    /// - Parameter space: what a space stands for; nil for nothing.
    private static func letters(_ text: String, space: UInt8?) -> String? {
        guard text.utf8.count <= longest else { return nil }
        var letters: [UInt8] = []
        letters.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x20: if let space { letters.append(space) }
            case 0x09, 0x0A, 0x0D: continue
            case UInt8(ascii: "+"): letters.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): letters.append(UInt8(ascii: "_"))
            default: letters.append(byte)
            }
        }
        // Padding only at the end, where it says nothing.
        while letters.last == UInt8(ascii: "=") { letters.removeLast() }
        return String(validating: letters, as: UTF8.self)
    }
}
