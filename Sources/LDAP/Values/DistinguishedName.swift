/// A distinguished name (RFC 4514), compared as directories compare the names of people and groups: types and values without
/// case, values without the blanks that mean nothing (RFC 4518 section 2.6.1), the values of one part in any order.
public struct DistinguishedName: Sendable, Hashable {
    private struct Value: Sendable, Hashable {
        /// The attribute's name in lower case.
        let type: String
        let text: String
    }

    /// From the entry's own part up to the root's.
    private let parts: [Set<Value>]

    /// Nil for what is no name, for the root's empty one, and for values that are not text.
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

    /// Whether it names something below an entry, at any depth.
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

    /// Without outer blanks, but for one that is escaped.
    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop { $0 == UInt8(ascii: " ") }
        while bytes.last == UInt8(ascii: " ") {
            let escapes = bytes.dropLast().reversed().prefix { $0 == UInt8(ascii: "\\") }.count
            guard escapes.isMultiple(of: 2) else { break }
            bytes.removeLast()
        }
        return bytes
    }

    /// What stands between separators that no backslash escapes.
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
