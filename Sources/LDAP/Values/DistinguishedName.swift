/// A distinguished name (RFC 4514), compared as directories compare the names of people and groups.
///
/// Types and values are case-insensitive, insignificant spaces in values are ignored (RFC 4518 section 2.6.1), and
/// the values of one part may be in any order.
public struct DistinguishedName: Sendable, Hashable {
    private struct Value: Sendable, Hashable {
        /// The attribute's name in lower case.
        let type: String
        let text: String
    }

    /// The parts from the entry's own up to the root's.
    private let parts: [Set<Value>]

    /// Returns nil for a text that is not a distinguished name, for the empty name of the root, and for values that
    /// are not UTF-8.
    public init?(_ name: String) {
        var parts: [Set<Value>] = []
        for part in Self.split(Array(name.utf8)[...], at: UInt8(ascii: ",")) {
            var values: Set<Value> = []
            for value in Self.split(part, at: UInt8(ascii: "+")) {
                guard let value = Self.value(value) else { return nil }
                values.insert(value)
            }
            parts.append(values)
        }
        self.parts = parts
    }

    /// Returns a Boolean value that indicates whether the name is below an entry, at any depth.
    public func isBelow(_ base: DistinguishedName) -> Bool {
        parts.count > base.parts.count && parts.suffix(base.parts.count).elementsEqual(base.parts)
    }

    private static func value(_ bytes: ArraySlice<UInt8>) -> Value? {
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let type = String(decoding: bytes[..<equals], as: UTF8.self).lowercased().filter { $0 != " " }
        guard !type.isEmpty, type.utf8.allSatisfy(isTypeLetter),
            let plain = NameValue.unescape(String(decoding: trimmed(bytes[(equals + 1)...]), as: UTF8.self)),
            let text = String(validating: plain, as: UTF8.self)
        else { return nil }
        let words = text.lowercased().split(separator: " ")
        return words.isEmpty ? nil : Value(type: type, text: words.joined(separator: " "))
    }

    /// Removes leading and trailing spaces, except an escaped one.
    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop { $0 == UInt8(ascii: " ") }
        while bytes.last == UInt8(ascii: " ") {
            let escapes = bytes.dropLast().reversed().prefix { $0 == UInt8(ascii: "\\") }.count
            guard escapes.isMultiple(of: 2) else { break }
            bytes.removeLast()
        }
        return bytes
    }

    /// Splits at the separators that no backslash escapes.
    private static func split(_ bytes: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        var index = start
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "\\") {
                index += 1
            } else if bytes[index] == separator {
                pieces.append(bytes[start..<index])
                start = index + 1
            }
            index += 1
        }
        return pieces + [bytes[start...]]
    }

    private static func isTypeLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}
